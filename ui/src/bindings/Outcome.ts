import type { Fault } from "./Fault";
import type { Report } from "./Report";

export type Outcome = { "outcome": "done", report: Report, } | { "outcome": "failed", fault: Fault, report: Report, } | { "outcome": "unknown", fault: Fault, report: Report, } | { "outcome": "cancelled", report: Report, };
