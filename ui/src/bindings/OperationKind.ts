export type OperationKind = "show" | "set-time" | "face" | "toggle" | "quiet-hours" | "clear" | "raw";
