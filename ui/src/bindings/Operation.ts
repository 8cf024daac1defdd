import type { Outcome } from "./Outcome";
import type { OperationKind } from "./OperationKind";
import type { Progress } from "./Progress";

export type Operation = { id: number, kind: OperationKind, slot: number | null, progress: Progress, outcome: Outcome | null };
