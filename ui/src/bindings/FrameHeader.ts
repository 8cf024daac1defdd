import type { Algorithm } from "./Algorithm";
import type { Note } from "./Note";

export type FrameHeader = { width: number, height: number, notes: Note[], algorithms: Algorithm[] };
