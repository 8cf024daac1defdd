import type { Devices } from "./Devices";
import type { Language } from "./Language";
import type { PictureOptions } from "./PictureOptions";
import type { Theme } from "./Theme";

export type Settings = { language: Language, theme: Theme, devices: Devices | null, idle_seconds: number, start_hidden: boolean, picture: PictureOptions, inks: "ideal" | "real", };
