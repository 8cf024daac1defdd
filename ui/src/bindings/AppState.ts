import type { ClockState } from "./ClockState";
import type { Fault } from "./Fault";
import type { Locale } from "./Locale";
import type { Settings } from "./Settings";
import type { Slot } from "./Slot";

export type AppState = { version: string, locale: Locale, zone: string, simulated: boolean, demo_forced: boolean, clock: ClockState, slots: Array<Slot | null>, settings: Settings, warning: Fault | null, };
