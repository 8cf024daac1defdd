export type Palette = "black-white-red" | "black-white";
