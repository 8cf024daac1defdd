import type { LinkState } from "./LinkState";
import type { Advertisement } from "./Advertisement";
import type { Face } from "./Face";
import type { KnownClock } from "./KnownClock";
import type { Operation } from "./Operation";
import type { TimeSet } from "./TimeSet";
import type { Toggle } from "./Toggle";

export type ClockState = { chosen: KnownClock | null, link: LinkState, operation: Operation | null, scanning: boolean, nearby: Advertisement[], shown_slot: number | null, time_set: TimeSet | null, unsupported: { faces: Face[], toggles: Toggle[] }, estimate: { send_seconds: number, refresh_seconds: number }, };
