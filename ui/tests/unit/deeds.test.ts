import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DeviceAnswer } from "../../src/bindings/DeviceAnswer";
import type { DeviceRequest } from "../../src/bindings/DeviceRequest";
import type { Api } from "../../src/lib/api";
import { Deeds, SHOWN_MS } from "../../src/lib/deeds.svelte";
import { remember, remembered, withSound } from "../../src/lib/remembered";

const status: DeviceRequest = { request: "status" };
const camera: DeviceRequest = { request: "camera", resolution: "QVGA", quality: 20 };
const answer: DeviceAnswer = { outcome: "confirmed", reply: null, picture: null, sent_again: false, broadcast: false, remarks: [], device_ms: 5 };
const fault = { code: "device-unreachable", agent_code: "", message: "It does not answer.", hint: "", params: {} };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Devices that answer when they are told to. */
function slow() {
  const waiting: { device: string; done: (answer: DeviceAnswer) => void; fail: (fault: unknown) => void }[] = [];
  const deeds = new Deeds({ askDevice: (device) => new Promise((done, fail) => waiting.push({ device, done, fail })) } as Partial<Api> as Api);
  return { deeds, waiting };
}

describe("what was asked of devices", () => {
  it("is under way, then told, then one line", async () => {
    const { deeds, waiting } = slow();
    const asked = deeds.ask("a", camera);
    expect(deeds.running("a", "camera")).toBe(true);
    expect(deeds.running("b", "camera")).toBe(false);
    waiting[0]!.done(answer);
    expect(await asked).toEqual(answer);
    expect(deeds.of("a")[0]).toMatchObject({ folded: false, end: { answer } });
    vi.advanceTimersByTime(SHOWN_MS);
    expect(deeds.of("a")[0]!.folded).toBe(true);
    deeds.unfold(deeds.of("a")[0]!.id);
    expect(deeds.of("a")[0]!.folded).toBe(false);
    deeds.dismiss(deeds.of("a")[0]!.id);
    expect(deeds.of("a")).toEqual([]);
  });

  it("keeps a failure with its reason", async () => {
    const { deeds, waiting } = slow();
    const asked = deeds.ask("a", status);
    waiting[0]!.fail(fault);
    expect(await asked).toBeNull();
    expect(deeds.of("a")[0]!.end).toMatchObject({ fault });
  });

  it("of one device is not held up by another, and an ending leaves those under way alone", async () => {
    const { deeds, waiting } = slow();
    void deeds.ask("a", camera);
    const quick = deeds.ask("b", status);
    waiting[1]!.done(answer);
    await quick;
    expect(deeds.of("a")[0]!.end).toBeNull();
    void deeds.ask("a", status);
    waiting[2]!.done(answer);
    await vi.advanceTimersByTimeAsync(SHOWN_MS);
    expect(deeds.of("a").map(({ end }) => end === null)).toEqual([false, true]);
  });

  it("shows one ending a device: the last one", async () => {
    const { deeds, waiting } = slow();
    for (let i = 0; i < 5; i++) {
      const asked = deeds.ask("a", status);
      waiting[i]!.done(answer);
      await asked;
    }
    expect(deeds.of("a")).toHaveLength(1);
  });
});

describe("what was used last on a device", () => {
  it("is remembered for each, and nothing is lost where nothing can be kept", () => {
    const kept = new Map<string, string>();
    vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
    remember("a", { volume: 40 });
    remember("a", { event: { type: "unlock", name: "X" } });
    expect(remembered("a")).toMatchObject({ volume: 40, event: { name: "X" }, sounds: [] });
    expect(remembered("b").volume).toBeNull();
    kept.set("device c", "not JSON");
    expect(remembered("c").sounds).toEqual([]);
    vi.stubGlobal("localStorage", { getItem: () => { throw new Error("refused"); }, setItem: () => { throw new Error("full"); } });
    expect(remember("a", { volume: 10 }).volume).toBe(10);
    vi.unstubAllGlobals();
  });

  it("puts the last sound first, once, and forgets the oldest", () => {
    expect(withSound(["a", "b", "c"], "b")).toEqual(["b", "a", "c"]);
    expect(withSound(["1", "2", "3", "4", "5", "6"], "7")).toEqual(["7", "1", "2", "3", "4", "5"]);
  });
});
