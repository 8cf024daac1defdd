export type Stage = "queued" | "listening" | "connecting" | "discovering" | "sending" | "finishing" | "refreshing";
