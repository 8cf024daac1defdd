export type Algorithm = "none" | "floyd-steinberg" | "atkinson" | "jarvis" | "stucki" | "burkes" | "sierra" | "sierra-lite" | "bayer" | "blue-noise" | "best";
