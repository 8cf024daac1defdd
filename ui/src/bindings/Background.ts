export type Background = "white" | "black" | "red";
