import type { Adjust } from "./Adjust";
import type { Algorithm } from "./Algorithm";
import type { Palette } from "./Palette";

export type PictureOptions = { algorithm: Algorithm, palette: Palette, adjust: Adjust };
