// What a clock can be taught: the faces and switches that nobody has published a command for.
import type { Face } from "../bindings/Face";
import type { Toggle } from "../bindings/Toggle";
import type { Unsupported } from "../bindings/Unsupported";

export type Gap = { face: Face } | { toggle: Toggle };

/** Only where a command is missing: a firmware without the function cannot be taught it. */
export function gaps({ faces, toggles, reason }: Unsupported): Gap[] {
  if (reason !== "code") return [];
  return [...faces.map((face) => ({ face })), ...toggles.map((toggle) => ({ toggle }))];
}

/** The name a profile has it under. */
export function lessonName(gap: Gap): string {
  return "face" in gap ? gap.face : gap.toggle.replaceAll("-", "_");
}
