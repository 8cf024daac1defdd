export type Language = "system" | "en" | "fr" | "zh";
