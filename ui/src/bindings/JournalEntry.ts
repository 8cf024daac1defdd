import type { Fault } from "./Fault";
import type { OperationKind } from "./OperationKind";

export type JournalEntry = { id: number, at: string, door: "window" | "cli" | "tray", action: OperationKind, target: string, detail: string, outcome: "done" | "failed" | "unknown" | "cancelled" | "interrupted", fault: Fault | null, duration_ms: number | null, };
