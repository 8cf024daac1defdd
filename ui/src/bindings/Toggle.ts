export type Toggle = "invert" | "font" | "rotate180" | "hour-format" | "clock-color";
