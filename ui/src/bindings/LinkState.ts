import type { Fault } from "./Fault";

export type LinkState = { "state": "unavailable", fault: Fault, } | { "state": "asleep" } | { "state": "listening", seconds_left: number, } | { "state": "connecting" } | { "state": "connected" } | { "state": "sending" } | { "state": "refreshing", seconds_left: number, };
