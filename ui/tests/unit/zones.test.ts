import { describe, expect, it } from "vitest";
import { findZones, parseOffset } from "../../src/lib/zones";

const ZONES = ["Africa/Algiers", "America/Argentina/Buenos_Aires", "America/Sao_Paulo", "America/St_Johns", "Asia/Kolkata", "Asia/Shanghai", "Europe/Paris", "Indian/Mauritius", "UTC"];

describe("finding a zone", () => {
  it("takes the beginning of any word, without regard to case, accents and underscores", () => {
    expect(findZones(ZONES, "par")).toEqual(["Europe/Paris"]);
    expect(findZones(ZONES, "São pau")).toEqual(["America/Sao_Paulo"]);
    expect(findZones(ZONES, "buenos aires")).toEqual(["America/Argentina/Buenos_Aires"]);
    expect(findZones(ZONES, "america st")).toEqual(["America/St_Johns"]);
  });

  it("puts zones whose city matches before those whose region does", () => {
    expect(findZones(["Asia/Kolkata", "Europe/Asiago"], "asia")).toEqual(["Europe/Asiago", "Asia/Kolkata"]);
  });

  it("lists all without a query and none for nonsense", () => {
    expect(findZones(ZONES, "  ")).toEqual(ZONES);
    expect(findZones(ZONES, "qqq")).toEqual([]);
  });

  // TZ-5: half-hour zones can be set.
  it("takes offsets, half hours too, and refuses those that do not exist", () => {
    expect(["+5:30", "+05:45", "UTC+9", "-0330", "−3:30", "+14", "-12:00"].map(parseOffset)).toEqual([
      "+05:30", "+05:45", "+09:00", "-03:30", "-03:30", "+14:00", "-12:00",
    ]);
    expect(["+14:30", "-13", "+5:75", "5", "+", ""].map(parseOffset)).toEqual([null, null, null, null, null, null]);
    expect(findZones(ZONES, "+05:30")).toEqual(["+05:30"]);
  });
});
