import { beforeAll, describe, expect, it, vi } from "vitest";
import type { AgentsState } from "../../src/bindings/AgentsState";
import type { AppState } from "../../src/bindings/AppState";
import type { RoomState } from "../../src/bindings/RoomState";
import type { Settings } from "../../src/bindings/Settings";
import type { Api } from "../../src/lib/api";
import { Store } from "../../src/lib/store.svelte";

beforeAll(() => void vi.stubGlobal("document", { documentElement: {} }));

const settings = { language: "en", theme: "system", devices: "simulated", idle_seconds: 300 } as Settings;
const state = (version: string): AppState =>
  ({ version, locale: "en", settings, slots: [null, null, null, null], clock: { operation: null }, warnings: [] }) as unknown as AppState;
const agents = (state: "off" | "starting"): AgentsState => ({ server: { state }, connected: [], calls: [] });
const fault = (code: string) => ({ code, agent_code: "INTERNAL", message: `${code} happened.`, hint: "Do this.", params: {} });

function host(parts: Partial<Api>): Api {
  return {
    onState: async () => () => undefined,
    state: async () => state("1"),
    onAgents: async () => () => undefined,
    agents: async () => agents("off"),
    onRoom: async () => () => undefined,
    room: async () => ({ devices: [], found: [], search: { state: "off" } }),
    systemSettings: async () => [],
    ...parts,
  } as Api;
}

describe("the store", () => {
  it("does not let the first answer undo a change that was told meanwhile", async () => {
    let tell: (state: AppState) => void = () => undefined;
    const store = new Store(
      host({
        onState: async (callback) => {
          tell = callback;
          return () => undefined;
        },
        state: async () => {
          const old = state("old");
          tell(state("new"));
          return old;
        },
      }),
    );
    await store.start();
    expect(store.state?.version).toBe("new");
  });

  it("follows the agents, and lets the first answer undo no change either", async () => {
    let tell: (agents: AgentsState) => void = () => undefined;
    const store = new Store(
      host({
        onAgents: async (callback) => {
          tell = callback;
          return () => undefined;
        },
        agents: async () => {
          tell(agents("starting"));
          return agents("off");
        },
      }),
    );
    await store.start();
    expect(store.agents?.server.state).toBe("starting");
    tell(agents("off"));
    expect(store.agents?.server.state).toBe("off");
  });

  it("works the clock on where agents cannot be watched, and says so (PORT-5)", async () => {
    const store = new Store(host({ agents: () => Promise.reject(fault("no-agents")) }));
    await store.start();
    expect(store.bootFault).toBeNull();
    expect(store.state?.version).toBe("1");
    expect(store.notices.map((notice) => notice.code)).toEqual(["no-agents"]);
  });

  it("says why the app cannot be reached", async () => {
    const store = new Store(host({ state: () => Promise.reject(fault("no-app")) }));
    await store.start();
    expect(store.bootFault?.code).toBe("no-app");
  });

  it("saves one thing after the other, each with what came before", async () => {
    const saved: Settings[] = [];
    const release: (() => void)[] = [];
    const store = new Store(
      host({
        saveSettings: (settings) => {
          saved.push(settings);
          return new Promise((done) => release.push(done));
        },
      }),
    );
    await store.start();
    const first = store.save({ theme: "dark" });
    const second = store.save({ idle_seconds: 0 });
    expect(store.settings).toMatchObject({ theme: "dark", idle_seconds: 0 });
    await vi.waitFor(() => expect(saved.length).toBe(1));
    release[0]?.();
    await first;
    await vi.waitFor(() => expect(saved.length).toBe(2));
    release[1]?.();
    await second;
    expect(saved[1]).toMatchObject({ theme: "dark", idle_seconds: 0 });
    expect(store.settings).toMatchObject({ theme: "dark", idle_seconds: 0 });
  });

  it("takes back what could not be saved, and says so", async () => {
    const store = new Store(host({ saveSettings: () => Promise.reject(fault("disk-full")) }));
    await store.start();
    await store.save({ theme: "dark" });
    expect(store.settings?.theme).toBe("system");
    expect(store.notices).toMatchObject([{ tone: "error", message: "disk-full happened.", hint: "Do this." }]);
  });

  it("keeps one notice on each matter, three at most", () => {
    const store = new Store(host({}));
    for (const about of ["a", "b", "a", "c", "d"]) store.complain(about, fault(about));
    expect(store.notices.map((notice) => notice.about)).toEqual(["a", "c", "d"]);
    store.dismissAbout("c");
    expect(store.notices.length).toBe(2);
  });

  it("says nothing twice: what the ending of an operation tells is no notice", async () => {
    let tell: (state: AppState) => void = () => undefined;
    const store = new Store(host({ onState: async (callback) => ((tell = callback), () => undefined) }));
    await store.start();
    const ended = (outcome: object) => ({ ...state("2"), clock: { operation: { id: 1, outcome } } }) as unknown as AppState;
    store.complain("scan", fault("radio-off"));
    store.complain("settings", fault("disk-full"));
    tell(ended({ outcome: "failed", fault: fault("radio-off") }));
    store.complain("scan", fault("radio-off"));
    expect(store.notices.map((notice) => notice.code)).toEqual(["disk-full"]);
    store.complain("operation", fault("busy"));
    tell(ended({ outcome: "done" }));
    expect(store.notices.map((notice) => notice.code)).toEqual(["disk-full"]);
    store.view = "activity";
    expect(store.notices).toEqual([]);
    store.complain("scan", fault("radio-off"));
    expect(store.notices.length).toBe(1);
  });

  it("hands a refusal to who shows it", async () => {
    const store = new Store(host({}));
    const refused = vi.fn();
    await store.attempt("scan", () => Promise.reject(fault("radio-off")), refused);
    expect(refused).toHaveBeenCalledWith(fault("radio-off"));
    expect(store.notices).toEqual([]);
  });

  it("offers Cancel again when cancelling was refused", async () => {
    const store = new Store(host({ cancel: () => Promise.reject(fault("too-late")) }));
    await store.cancel(4);
    expect(store.cancelling).toBeNull();
    expect(store.notices.length).toBe(1);
  });

  it("does again what it started, and only that", async () => {
    const starts = [7, 8];
    const showSlot = vi.fn(async () => starts.shift() ?? 9);
    const store = new Store(host({ showSlot }));
    await store.operate(() => store.api.showSlot(2));
    expect(store.retry(6)).toBeNull();
    store.retry(7)?.();
    await vi.waitFor(() => expect(showSlot).toHaveBeenCalledTimes(2));
  });
});

describe("a device that is tried", () => {
  const told = (patch: object) => ({ devices: [{ id: "a", answered_at: 1, condition: { state: "no-token" }, token: "none", ...patch }], found: [], search: { state: "off" } }) as unknown as RoomState;

  it("is waited for until it says something after what was done to it", async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    const store = new Store(host({ tryDeviceNow: async (device) => void asked.push(device) }));
    store.room = told({});
    let done = false;
    void store.tryDevice("a", async () => asked.push("first")).then(() => (done = true));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([asked, done]).toEqual([["first", "a"], false]);
    store.room = told({ answered_at: 2 });
    await vi.advanceTimersByTimeAsync(100);
    expect(done).toBe(true);
    vi.useRealTimers();
  });

  it("and stays silent is not waited for without an end", async () => {
    vi.useFakeTimers();
    const store = new Store(host({ tryDeviceNow: async () => undefined }));
    store.room = told({});
    let done = false;
    void store.tryDevice("a").then(() => (done = true));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(done).toBe(true);
    vi.useRealTimers();
  });
});
