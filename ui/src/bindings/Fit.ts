export type Fit = "cover" | "contain" | "stretch";
