import type { Stage } from "./Stage";

export type Progress = { stage: Stage, packets_done: number, packets_total: number, bytes_per_second: number | null, seconds_left: number | null };
