export type Door = "window" | "tray" | "cli";
