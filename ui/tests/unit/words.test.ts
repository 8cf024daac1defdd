import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/bindings/Operation";
import type { OperationKind } from "../../src/bindings/OperationKind";
import type { Progress } from "../../src/bindings/Progress";
import { asFault } from "../../src/lib/api";
import { isNeutral, METHODS, neutral, SLIDERS } from "../../src/lib/options";
import { Translator } from "../../src/lib/translator";
import { countdown, driftSeconds, journalAction, journalCaller, journalDetail, linkTone, linkWords, progressWords, reportWords, signal, timeSetWords, zoneCity } from "../../src/lib/words";

const en = new Translator("en");
const zh = new Translator("zh");
const progress: Progress = { stage: "sending", packets_done: 63, packets_total: 127, bytes_per_second: 3800, seconds_left: 4.2 };
const operation: Operation = { id: 1, kind: "show", slot: 0, progress, outcome: null };

describe("link words", () => {
  it("say what the clock is doing, with the time left where there is one", () => {
    expect(linkWords(en, { state: "asleep" }, null)).toBe("asleep");
    expect(linkWords(en, { state: "listening", seconds_left: 47 }, null)).toBe("listening 0:47");
    expect(linkWords(en, { state: "refreshing", seconds_left: 18.2 }, null)).toBe("drawing 0:18");
    expect(linkWords(zh, { state: "connected" }, null)).toBe("已连接");
  });

  it("count packets only of the operation that runs", () => {
    expect(linkWords(en, { state: "sending" }, operation)).toBe("sending 63 of 127");
    const report = { bytes: 1, packets: 1, packets_resent: 0, duration_ms: 1, reconnects: 0 };
    expect(linkWords(en, { state: "sending" }, { ...operation, outcome: { outcome: "done", report } })).toBe("sending");
    expect(linkWords(en, { state: "sending" }, null)).toBe("sending");
  });

  it("have a shape each", () => {
    expect(linkTone({ state: "asleep" })).toBe("off");
    expect(linkTone({ state: "connecting" })).toBe("busy");
    expect(linkTone({ state: "sending" })).toBe("good");
    expect(linkTone({ state: "unavailable", fault: asFault("x") })).toBe("bad");
  });
});

describe("progress words", () => {
  it("give stage, packets and time left while sending", () => {
    expect(progressWords(en, progress)).toEqual({
      stage: "Sending",
      detail: "63 of 127 packets",
      left: "about 4 s left",
      fraction: 63 / 127,
    });
  });

  it("do not invent a fraction or a time", () => {
    const listening = { ...progress, stage: "listening" as const, packets_total: 0, seconds_left: null };
    expect(progressWords(en, listening)).toMatchObject({ left: "", fraction: null });
    expect(progressWords(en, { ...progress, packets_total: 0 }).fraction).toBeNull();
    expect(progressWords(en, { ...progress, seconds_left: 0 }).left).toBe("about 1 s left");
  });

  it("report what was sent, again and over which interruptions", () => {
    const report = { bytes: 30_000, packets: 127, packets_resent: 2, duration_ms: 7_900, reconnects: 1 };
    expect(reportWords(en, report)).toBe("30 kB in 127 packets, 7.9 s · 2 packets sent again · 1 reconnection");
    expect(reportWords(en, { ...report, packets: 0 })).toBe("");
  });

  it("count few bytes as bytes", () => {
    const report = { bytes: 22, packets: 2, packets_resent: 0, duration_ms: 412, reconnects: 0 };
    expect(reportWords(en, report)).toBe("22 bytes in 2 packets, 412 ms");
    expect(reportWords(en, { ...report, bytes: 1, packets: 1 })).toBe("1 byte in 1 packet, 412 ms");
    expect(reportWords(zh, report)).toContain("22 字节");
    const fr = new Translator("fr");
    expect([0, 1, 2, 999, 1000].map((n) => fr.bytes(n))).toEqual([
      "0\u00a0octet", "1\u00a0octet", "2\u00a0octets", "999\u00a0octets", "1\u00a0ko",
    ]);
  });
});

describe("small words", () => {
  it("count down in minutes and seconds", () => {
    expect([countdown(47), countdown(5.4), countdown(90), countdown(-1)]).toEqual(["0:47", "0:05", "1:30", "0:00"]);
  });

  it("turn signal strength into bars and a word", () => {
    expect([-40, -60, -61, -80, -95, null].map((rssi) => signal(rssi).bars)).toEqual([4, 4, 3, 2, 1, 0]);
    expect(signal(null).word).toBe("none");
  });

  it("name faces and switches of the journal, and leave other details as they are", () => {
    const operation = (kind: OperationKind) => ({ what: "operation" as const, kind });
    expect(journalDetail(zh, { action: operation("face"), detail: "clock1" })).toBe("时钟 1");
    expect(journalDetail(en, { action: operation("toggle"), detail: "invert" })).toBe("Invert colours");
    expect(journalDetail(en, { action: operation("face"), detail: "sundial" })).toBe("sundial");
    expect(journalDetail(en, { action: operation("show"), detail: "picture" })).toBe("picture");
    expect(journalDetail(en, { action: { what: "call", tool: "toggle" }, detail: "invert" })).toBe("invert");
  });

  it("tell an agent's call by its tool and its name", () => {
    expect(journalAction(en, { what: "call", tool: "upload_image" })).toBe("Tool upload_image");
    expect(journalAction(en, { what: "operation", kind: "show" })).toBe("Show picture");
    expect(journalCaller(en, { door: "agent", caller: "curator" })).toBe("agent · curator");
    expect(journalCaller(en, { door: "window", caller: null })).toBe("window");
  });

  it("tell when the clock was set in the time it was set to", () => {
    const at = "2026-05-04T13:18:00Z";
    const now = new Date("2026-05-04T13:20:00Z");
    const set = (zone: string, then = now) => timeSetWords(en, { at, zone, follows_host: false }, then).replace(/\s/g, " ");
    expect(set("Europe/Paris")).toBe("Last set 3:18 PM, Europe/Paris");
    expect(set("America/New_York")).toBe("Last set 9:18 AM, America/New_York");
    expect(set("+05:45")).toBe("Last set 7:03 PM, +05:45");
    expect(set("-03:30")).toBe("Last set 9:48 AM, -03:30");
    // Today is the zone's day: there it is the fifth of May already, and later the sixth.
    expect(set("Pacific/Auckland")).toBe("Last set 1:18 AM, Pacific/Auckland");
    expect(set("Pacific/Auckland", new Date("2026-05-05T13:00:00Z"))).toContain("May 5, 2026");
    expect(set("Mars/Olympus")).toMatch(/^Last set \d+:\d\d [AP]M$/);
  });

  // TZ-8
  it("say how far the clock may be off by now, once that shows", () => {
    const at = "2026-05-01T00:00:00Z";
    const after = (days: number) => timeSetWords(en, { at, zone: "UTC", follows_host: false }, new Date(Date.parse(at) + days * 86_400_000));
    expect(after(1)).not.toContain("off");
    expect(after(7)).toContain("may be off by up to 14 s");
    expect(after(90)).toContain("may be off by up to 3 min");
    expect(driftSeconds(at, new Date(Date.parse(at) - 86_400_000))).toBe(0);
  });

  it("name a zone by its city", () => {
    expect(zoneCity("America/Argentina/Buenos_Aires")).toBe("Buenos Aires");
    expect(zoneCity("+05:30")).toBe("+05:30");
  });
});

describe("picture options", () => {
  it("offer every method once", () => {
    expect(new Set(METHODS.map((m) => m.algorithm)).size).toBe(11);
  });

  it("put every slider's neutral value at a position that gives it back", () => {
    for (const s of SLIDERS) expect(s.toValue(s.toPosition(s.neutral))).toBe(s.neutral);
  });

  it("let gamma run from 0.2 to 5 with 1 in the middle", () => {
    const gamma = SLIDERS.find((s) => s.name === "gamma")!;
    expect([gamma.toValue(gamma.min), gamma.toValue(0), gamma.toValue(gamma.max)]).toEqual([0.2, 1, 5]);
  });

  it("know neutral from moved, and keep what is no slider", () => {
    const adjust = { brightness: 3, contrast: 0, saturation: 0, gamma: 1, sharpen: 0, diffusion: 100, fit: "contain", background: "red", rotate: 90, size: "small" } as const;
    expect(isNeutral(adjust)).toBe(false);
    expect(neutral(adjust)).toEqual({ ...adjust, brightness: 0 });
  });
});

describe("faults", () => {
  it("are passed on as they come; anything else becomes one", () => {
    const fault = { code: "c", agent_code: "INTERNAL", message: "m", hint: "h", params: {} };
    expect(asFault(fault)).toBe(fault);
    expect(asFault(new Error("boom")).message).toContain("boom");
    expect(asFault("text").params).toEqual({ detail: "text" });
  });
});
