import type { ClockState } from "./ClockState";
import type { Settings } from "./Settings";
import type { Slot } from "./Slot";

export type AppState = { version: string, locale: "en" | "fr" | "zh", zone: string, simulated: boolean, demo_forced: boolean, clock: ClockState, slots: Slot[], settings: Settings, };
