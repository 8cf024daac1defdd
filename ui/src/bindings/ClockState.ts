import type { LinkState } from "./LinkState";
import type { Advertisement } from "./Advertisement";
import type { Estimate } from "./Estimate";
import type { KnownClock } from "./KnownClock";
import type { Operation } from "./Operation";
import type { TimeSet } from "./TimeSet";
import type { Unsupported } from "./Unsupported";

export type ClockState = { chosen: KnownClock | null, link: LinkState, operation: Operation | null, scanning: boolean, nearby: Advertisement[], shown_slot: number | null, time_set: TimeSet | null, unsupported: Unsupported, estimate: Estimate, };
