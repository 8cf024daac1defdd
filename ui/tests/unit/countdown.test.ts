import { describe, expect, it } from "vitest";
import { Countdown } from "../../src/lib/countdown.svelte";
import { characters, dayFrom, daysUntil, dayWords } from "../../src/lib/countdown";
import type { Store } from "../../src/lib/store.svelte";
import { Translator } from "../../src/lib/translator";
import { countdownWords } from "../../src/lib/words";

const at = (text: string) => new Date(`${text}`);

describe("a countdown", () => {
  it("counts whole days of this computer, whatever the hour and over changes of the clocks", () => {
    expect(daysUntil("2026-12-24", dayFrom(at("2026-12-12T23:59:00")))).toBe(12);
    expect(daysUntil("2026-12-24", dayFrom(at("2026-12-12T00:00:00")))).toBe(12);
    expect(daysUntil("2026-04-01", dayFrom(at("2026-03-01T12:00:00")))).toBe(31);
    expect(daysUntil("2026-11-01", dayFrom(at("2026-10-01T23:30:00")))).toBe(31);
    expect(daysUntil("2028-03-01", dayFrom(at("2028-02-28T12:00:00")))).toBe(2);
    expect(daysUntil("2026-05-04", dayFrom(at("2026-05-04T23:00:00")))).toBe(0);
    expect(daysUntil("2026-05-03", dayFrom(at("2026-05-04T01:00:00")))).toBe(-1);
  });

  it("is to no day that the calendar lacks", () => {
    const now = "2026-05-04";
    expect(["2027-02-29", "2026-13-01", "", "tomorrow", "2026-5-4"].map((date) => daysUntil(date, now))).toEqual([null, null, null, null, null]);
    expect(daysUntil("2028-02-29", now)).toBe(666);
  });

  it("starts from tomorrow, at the end of a year too", () => {
    expect(dayFrom(at("2026-12-31T23:59:59"), 1)).toBe("2027-01-01");
    expect(dayFrom(at("2026-03-08T00:30:00"))).toBe("2026-03-08");
  });

  it("says in a sentence what will be shown", () => {
    const now = "2026-12-12";
    const said = (locale: "en" | "fr" | "zh", date: string) => countdownWords(new Translator(locale), date, now);
    expect(said("en", "2026-12-24")).toBe("12 days until 24 December 2026");
    expect(said("en", "2026-12-13")).toBe("1 day until 13 December 2026");
    expect(said("en", "2026-12-12")).toBe("Today is 12 December 2026");
    expect(said("fr", "2026-12-24")).toBe("12 jours jusqu’au 24 décembre 2026");
    expect(said("zh", "2026-12-24")).toBe("距2026年12月24日还有 12 天");
    expect([said("en", "2026-12-11"), said("en", ""), dayWords("2026-02-30", "en")]).toEqual([null, null, null]);
  });

  it("is to tomorrow until a day is chosen, however long the window stays open", () => {
    const countdown = new Countdown({ settle: () => undefined } as unknown as Store, at("2026-12-30T22:00:00"));
    expect([countdown.date, countdown.days]).toEqual(["2026-12-31", 1]);
    countdown.tick(at("2027-01-02T08:00:00"));
    expect([countdown.date, countdown.days]).toEqual(["2027-01-03", 1]);
    countdown.date = "2027-01-10";
    countdown.tick(at("2027-01-05T08:00:00"));
    expect([countdown.date, countdown.days]).toEqual(["2027-01-10", 5]);
    countdown.date = "";
    expect(countdown.days).toBeNull();
  });

  it("counts characters as a reader does", () => {
    expect(["Opening", "é", "e\u0301", "开张", "👩‍🚀!", ""].map((text) => characters(text).length)).toEqual([7, 1, 1, 2, 2, 0]);
  });
});
