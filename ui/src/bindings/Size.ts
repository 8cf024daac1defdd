export type Size = "full" | "small";
