import { describe, expect, it } from "vitest";
import type { Unsupported } from "../../src/bindings/Unsupported";
import { readHex } from "../../src/lib/hex";
import { gaps, lessonName } from "../../src/lib/lessons";

const lacking: Unsupported = { faces: ["clock2"], toggles: ["hour-format"], quiet_hours: false, countdown: false, reason: "code" };

describe("what a clock can be taught", () => {
  it("is what it has no command for, by the names of its profile", () => {
    expect(gaps(lacking).map(lessonName)).toEqual(["clock2", "hour_format"]);
  });

  it("is nothing where the firmware lacks it", () => {
    expect(gaps({ ...lacking, reason: "firmware" })).toEqual([]);
    expect(gaps({ ...lacking, reason: null })).toEqual([]);
  });
});

describe("bytes as text", () => {
  it("are pairs of hexadecimal digits, spaces allowed anywhere", () => {
    expect(readHex("E1 03", "main")).toEqual({ bytes: 2 });
    expect(readHex(" e10 3\n", "alt")).toEqual({ bytes: 2 });
  });

  it("say what is wrong with them", () => {
    expect(readHex("", "main")).toEqual({ problem: "empty" });
    expect(readHex("E1 0", "main")).toEqual({ problem: "odd" });
    expect(readHex("E1 0x", "main")).toEqual({ problem: "foreign", found: "x" });
    expect(readHex("E1, 03", "main")).toEqual({ problem: "foreign", found: "," });
  });

  it("are no more than a channel takes", () => {
    expect(readHex("00".repeat(128), "alt")).toEqual({ bytes: 128 });
    expect(readHex("00".repeat(129), "alt")).toEqual({ problem: "long", bytes: 129 });
    expect(readHex("00".repeat(129), "main")).toEqual({ bytes: 129 });
  });
});
