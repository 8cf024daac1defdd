import type { Note } from "./Note";

export type PictureInfo = { id: number, name: string, width: number, height: number, notes: Note[] };
