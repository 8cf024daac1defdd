export type Face = "clock1" | "clock2" | "clock3" | "calendar1" | "calendar2" | "calendar3" | "picture";
