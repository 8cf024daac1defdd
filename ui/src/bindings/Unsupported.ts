import type { Face } from "./Face";
import type { Toggle } from "./Toggle";

export type Unsupported = { faces: Array<Face>, toggles: Array<Toggle>, };
