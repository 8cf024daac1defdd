import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { DeviceCondition } from "../../src/bindings/DeviceCondition";
import type { DeviceRequest } from "../../src/bindings/DeviceRequest";
import type { DeviceState } from "../../src/bindings/DeviceState";
import { allDevices, readyDevices } from "../../src/fake/devices";
import { formOfDevice, gateways, idFrom, rooms, validId } from "../../src/lib/deviceform";
import { course, nearest, path, restarts, silences } from "../../src/lib/history";
import { answering, answerNotes, byRoom, conditionTone, conditionWords, inPlay, lackWords, remarkWords, requestWords, roomTone } from "../../src/lib/room";
import { checks, roomChecks } from "../../src/lib/roomready";
import { Translator } from "../../src/lib/translator";

const en = new Translator("en");
const NOW = Date.UTC(2026, 10, 30, 20, 0, 0);
const names = new Map([["piano", "Piano"]]);
const base = readyDevices()[0]!;

function device(patch: Partial<DeviceState>): DeviceState {
  return { ...base, answered_at: NOW - 3_000, round_trip_ms: 42, remarks: [], ...patch };
}
const words = (patch: Partial<DeviceState>) => conditionWords(en, device(patch), names, NOW);

describe("the state of a device in words", () => {
  it("counts the age of an answer and says how long it took", () => {
    expect(words({})).toMatchObject({ word: "Answering", beside: ["3 s ago", "42 ms"] });
    expect(words({ busy: true }).beside.at(-1)).toBe("at work");
    expect(words({ answered_at: NOW + 9_000 }).beside[0]).toBe("just now");
  });

  it("says for how long a device is silent, how well it was heard last, and what was tried (NET-6)", () => {
    const condition: DeviceCondition = { state: "unreachable", detail: "no answer in 5 s" };
    expect(words({ condition, answered_at: NOW - 120_000, reading: { ...base.reading!, rssi: -84 } })).toEqual({
      word: "Silent for 2 min",
      beside: ["last seen at −84 dBm"],
      why: "",
      detail: "no answer in 5 s",
    });
    expect(words({ condition, answered_at: NOW - 3 * 3_600_000, reading: null }).word).toBe("Silent for 3 h");
    expect(words({ condition, answered_at: NOW - 50 * 3_600_000, reading: null }).word).toBe("Silent for 2 d");
    expect(words({ condition, answered_at: null, reading: null })).toMatchObject({ word: "Never answered", beside: [] });
  });

  it("tells a token that is missing, refused, or good for reading only apart", () => {
    const said = (["no-token", "token-refused", "reading-only"] as const).map((state) => words({ condition: { state } }));
    expect(said.map(({ word }) => word)).toEqual(["Asks for a token", "Token refused", "Reading only"]);
    expect(said[2]!.why).toBe("This token may read, not write.");
  });

  it("counts a pause down, and names the gateway of a device that is relayed to", () => {
    expect(words({ condition: { state: "throttled", until: NOW + 9_200 } }).beside).toEqual(["10 s left"]);
    expect(words({ condition: { state: "throttled", until: NOW - 1 } }).beside).toEqual([]);
    expect(words({ condition: { state: "relayed" }, via: "piano" })).toMatchObject({ word: "Relayed through Piano", why: "Heard by all nodes, not confirmed." });
    expect(words({ condition: { state: "relayed" }, via: "gone" }).word).toBe("Relayed through gone");
  });

  it("has words in every language for every state and remark, and a tone for every state", () => {
    for (const locale of ["en", "fr", "zh"] as const) {
      const tr = new Translator(locale);
      for (const one of allDevices()) {
        const { word, why } = conditionWords(tr, one, names, NOW);
        expect([locale, one.id, /\{|room\./.test(word + why)]).toEqual([locale, one.id, false]);
        for (const remark of one.remarks) expect(remarkWords(tr, remark, NOW)).not.toMatch(/\{|room\./);
        expect(["off", "busy", "good", "bad"]).toContain(conditionTone(one.condition));
        for (const lack of lackWords(tr, one)) expect(lack).not.toMatch(/^[\w.-]+$/);
      }
    }
  });
});

// What a family can lack is a closed list of the app's.
describe("what a firmware lacks", () => {
  const source = readFileSync(fileURLToPath(new URL("../../../src-tauri/room/src/dialect/lack.rs", import.meta.url)), "utf8");
  const codes = [...source.matchAll(/const [A-Z_]+: &str = "([a-z-]+)"/g)].map((match) => match[1]!);

  it.each(["en", "fr", "zh"] as const)("has a sentence for each code in %s", (locale) => {
    expect(codes.length).toBeGreaterThan(10);
    for (const code of codes) expect([code, new Translator(locale).word(`room.lack.${code}`)]).toEqual([code, expect.any(String)]);
  });
});

describe("how many answer", () => {
  it("counts those that can be read, and leaves those out that are only relayed to", () => {
    const states = ["answering", "reading-only", "no-token", "relayed"] as const;
    const devices = states.map((state) => device({ condition: { state } as DeviceCondition }));
    expect(answering(devices)).toEqual({ of: 2, all: 3 });
    expect(roomTone(devices)).toBe("busy");
    expect(roomTone([device({})])).toBe("good");
    expect(roomTone([device({ condition: { state: "unasked" } })])).toBe("bad");
  });
});

describe("the controls of a device", () => {
  const silent: DeviceCondition = { state: "unreachable", detail: "" };

  it("stay for a Wi-Fi that blinks, and go with a device that stays silent", () => {
    expect(inPlay(device({ condition: silent, answered_at: NOW - 10_000 }), NOW)).toBe(true);
    expect(inPlay(device({ condition: silent, answered_at: NOW - 60_000 }), NOW)).toBe(false);
    expect(inPlay(device({ condition: silent, answered_at: null }), NOW)).toBe(false);
  });

  it("are not there while nobody knows what the device can do", () => {
    expect(inPlay(device({ abilities: { tools: [], lacks: [] } }), NOW)).toBe(false);
    expect(inPlay(device({ condition: { state: "reading-only" } }), NOW)).toBe(false);
  });
});

describe("rooms", () => {
  it("group devices in their order, those without a room last", () => {
    const groups = byRoom([device({ id: "a", room: null }), device({ id: "b", room: "Salle 2" }), device({ id: "c", room: "Salle 1" }), device({ id: "d", room: "Salle 2" })]);
    expect(groups.map(({ room, devices }) => [room, devices.map(({ id }) => id)])).toEqual([
      ["Salle 2", ["b", "d"]],
      ["Salle 1", ["c"]],
      [null, ["a"]],
    ]);
  });
});

describe("what was asked", () => {
  it.each<[DeviceRequest, string]>([
    [{ request: "led", zone: "all", color: "red", pattern: "solid", brightness: 128, duration_ms: 0 }, "Light red"],
    [{ request: "led", zone: "all", color: "off", pattern: "off", brightness: 128, duration_ms: 0 }, "Light off"],
    [{ request: "audio", action: "play", source: "/audio/hint_01.mp3", volume: 70, loop: false }, "Play hint_01.mp3"],
    [{ request: "puzzle", puzzle: "PUZZLE_COFFRE", state: "unlocked", effects: true }, "Unlock Chest"],
    [{ request: "camera", resolution: "QVGA", quality: 20 }, "Snapshot"],
    [{ request: "scenario", event: "unlock", name: "UNLOCK_COFFRE", target: null }, "Advance with UNLOCK_COFFRE"],
    [{ request: "scenario", event: "manual", name: "MANUAL_ADVANCE", target: "STEP_3" }, "Override: STEP_3"],
  ])("%j is said in words", (request, said) => expect(requestWords(en, request)).toBe(said));

  it("tells what is not certain of an answer, then what was not exact", () => {
    const answer = { outcome: "no-change-seen" as const, reply: null, picture: null, sent_again: true, broadcast: true, remarks: ["All LEDs follow."], device_ms: 1 };
    const notes = answerNotes(en, answer);
    expect(notes).toHaveLength(4);
    expect(notes[0]).toContain("have a look");
    expect(notes[3]).toBe("All LEDs follow.");
    expect(answerNotes(en, { ...answer, outcome: "confirmed", sent_again: false, broadcast: false, remarks: [] })).toEqual([]);
  });
});

describe("the check before players enter", () => {
  const bad = (patch: Partial<DeviceState>) => checks(device(patch), NOW).filter(({ verdict }) => verdict === "bad").map(({ name }) => name);
  const reading = { ...base.reading!, uptime_seconds: 7_200, rssi: -60 };

  it("finds nothing on a device that is well", () => {
    expect(bad({ reading })).toEqual([]);
    expect(roomChecks([device({ reading })], NOW).bad).toBe(0);
  });

  it("finds weak signal, low battery, a fresh start, a blocked camera and a Wi-Fi of its own", () => {
    expect(bad({ reading: { ...reading, rssi: -76, battery: 19, camera: "blocked", own_access_point: true } })).toEqual(["signal", "battery", "camera", "access-point"]);
    expect(bad({ reading: { ...reading, uptime_seconds: 599 } })).toEqual(["restart"]);
    expect(bad({ reading, remarks: [{ remark: "restarted", at: NOW - 60_000 }] })).toEqual(["restart"]);
    expect(bad({ reading: { ...reading, rssi: -75, battery: 20 } })).toEqual([]);
  });

  it("finds a token that is not good for writing, and a device that does not answer", () => {
    expect(bad({ reading, condition: { state: "reading-only" } })).toEqual(["token"]);
    expect(bad({ reading, condition: { state: "no-token" } })).toEqual(["answering", "token"]);
    expect(bad({ reading, condition: { state: "unreachable", detail: "" } })).toEqual(["answering"]);
  });

  it("judges nothing of a device that is only relayed to", () => {
    expect(checks(device({ condition: { state: "relayed" } }), NOW).map(({ verdict }) => verdict)).toEqual(["known"]);
  });
});

describe("the course of a device", () => {
  const sample = (at: number, rssi: number | null, patch: object = {}) => ({
    device: "a", at, answered: rssi !== null, restarted: false, round_trip_ms: null, rssi, heap_free: null, uptime_seconds: null, step: null, mesh_failed: null, ...patch,
  });
  const span = { from: 0, to: 100 };

  it("is broken where it was silent or where nothing was kept", () => {
    const samples = [sample(0, -60), sample(5, -61), sample(10, null), sample(15, -62), sample(20, -62), sample(80, -63), sample(85, -63)];
    const drawn = course(samples, "rssi", span, 100, 50)!;
    expect(drawn.lines.map((line) => line.map(({ x }) => x))).toEqual([[0, 5], [15, 20], [80, 85]]);
    for (const { y } of drawn.lines.flat()) expect(y >= 0 && y <= 50).toBe(true);
    expect(drawn.lines[0]![0]!.y).toBeLessThan(drawn.lines[0]![1]!.y);
  });

  it("is flat in the middle where a value does not move, and nothing where there is none", () => {
    const drawn = course([sample(0, -60), sample(5, -60)], "rssi", span, 100, 50)!;
    expect(drawn.lines[0]!.map(({ y }) => y)).toEqual([25, 25]);
    expect(course([sample(0, -60)], "heap_free", span, 100, 50)).toBeNull();
    expect(path([{ x: 1, y: 2 }])).toBe("M1.0 2.0h0.01");
  });

  it("marks silences to the next answer or the end, and restarts", () => {
    const samples = [sample(0, -60), sample(10, null), sample(20, null), sample(30, -60, { restarted: true }), sample(40, null)];
    expect(silences(samples, 100)).toEqual([{ from: 10, to: 30 }, { from: 40, to: 100 }]);
    expect(restarts(samples)).toEqual([30]);
    expect(nearest(samples, 17)?.at).toBe(20);
    expect(nearest([], 17)).toBeNull();
  });
});

describe("the form of a device", () => {
  it("suggests an identifier that the app takes", () => {
    expect(idFrom("  Boîte à secrets n° 3 ")).toBe("boite-a-secrets-n-3");
    expect(idFrom("密室")).toBe("");
    expect(validId(idFrom("x".repeat(200)))).toBe(true);
    expect(["", "a b", "é", "x".repeat(65)].filter(validId)).toEqual([]);
  });

  it("keeps following a device whose address nobody wrote", () => {
    const written = { name: "", room: null, address: null, found_as: "a._zacus._tcp.local.", via: null, volume_limit: null };
    expect(formOfDevice(device({ address: "192.168.0.9:80" }), written).address).toBeNull();
    expect(formOfDevice(device({ address: "192.168.0.9:80" }), undefined).address).toBe("192.168.0.9:80");
  });

  it("offers the rooms there are, and gateways that are reached themselves", () => {
    const devices = [device({ id: "a", room: "Salle 1" }), device({ id: "b", room: "Salle 1", via: "a" }), device({ id: "c", room: null })];
    expect(rooms(devices)).toEqual(["Salle 1"]);
    expect(gateways(devices, "c").map(({ id }) => id)).toEqual(["a"]);
  });
});
