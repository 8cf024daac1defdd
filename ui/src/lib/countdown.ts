// Days and words of a countdown.
import type { CountdownStyle } from "../bindings/CountdownStyle";

/** Most characters before the days: the clock's own store for them. */
export const MOST_CHARACTERS: Record<CountdownStyle, number> = { clock: 8, calendar: 4 };

/** Characters as a reader counts them: an accent belongs to its letter, a flag is one. */
export function characters(text: string): string[] {
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);
}

/** A day of this computer as `YYYY-MM-DD`, some days from `now`. */
export function dayFrom(now: Date, days = 0): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${String(day.getFullYear()).padStart(4, "0")}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Days from one day to another, negative when that is past; null where it is no day of the calendar. */
export function daysUntil(date: string, today: string): number | null {
  const to = noon(date);
  const from = noon(today);
  return to && from ? Math.round((to.getTime() - from.getTime()) / 86_400_000) : null;
}

/** A day in words; null where it is none. Days have no zone: they are told in UTC, where they begin and end alike. */
export function dayWords(date: string, locale: string): string | null {
  const day = noon(date);
  // Elsewhere than in America the day comes first.
  return day && new Intl.DateTimeFormat(locale === "en" ? "en-GB" : locale, { dateStyle: "long", timeZone: "UTC" }).format(day);
}

function noon(date: string): Date | null {
  if (!/^\d{4,}-\d\d-\d\d$/.test(date)) return null;
  const day = new Date(`${date}T12:00:00Z`);
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date) ? null : day;
}
