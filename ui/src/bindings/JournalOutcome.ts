export type JournalOutcome = "running" | "done" | "failed" | "unknown" | "cancelled" | "interrupted";
