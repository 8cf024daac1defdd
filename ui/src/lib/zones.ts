// Finding a zone by what a person types.

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase()
    .replace(/[_/\-\s]+/g, " ")
    .trim();
}

const OFFSET = /^(?:utc|gmt)?\s*([+\-−])(\d{1,2})(?::?(\d{2}))?$/i;

/** "+5:30", "UTC+5", "-0330" -> "+05:30"; null where it is no offset, or none that exists on Earth (−12:00 to +14:00). */
export function parseOffset(query: string): string | null {
  const match = OFFSET.exec(query.trim());
  if (!match) return null;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  const negative = match[1] !== "+";
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > (negative ? 12 : 14) * 60) return null;
  return `${negative ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** "+05:45" -> 345; null where it is no offset. */
export function offsetMinutes(zone: string): number | null {
  const offset = parseOffset(zone);
  if (!offset) return null;
  const [hours, minutes] = offset.slice(1).split(":").map(Number) as [number, number];
  return (hours * 60 + minutes) * (offset[0] === "-" ? -1 : 1);
}

/** Zones of which every word of the query begins a word; those whose city begins with it come first. */
export function findZones(zones: readonly string[], query: string): string[] {
  const offset = parseOffset(query);
  if (offset) return [offset];
  const words = plain(query).split(" ").filter(Boolean);
  if (words.length === 0) return [...zones];
  const ranked = zones.flatMap((zone) => {
    const parts = plain(zone).split(" ");
    if (!words.every((word) => parts.some((part) => part.startsWith(word)))) return [];
    const city = plain(zone.split("/").at(-1) ?? zone);
    return [{ zone, rank: city.startsWith(words[0]!) ? 0 : 1 }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map((r) => r.zone);
}
