import type { Door } from "./Door";
import type { Fault } from "./Fault";
import type { JournalOutcome } from "./JournalOutcome";
import type { OperationKind } from "./OperationKind";

export type JournalEntry = { id: number, at: string, door: Door, action: OperationKind, target: string, detail: string, outcome: JournalOutcome, fault: Fault | null, duration_ms: number | null, };
