export type Locale = "en" | "fr" | "zh";
