import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Composition } from "../../src/bindings/Composition";
import type { CountdownPlan } from "../../src/bindings/CountdownPlan";
import type { DeviceForm } from "../../src/bindings/DeviceForm";
import type { Lesson } from "../../src/bindings/Lesson";
import type { PictureOptions } from "../../src/bindings/PictureOptions";
import type { Settings } from "../../src/bindings/Settings";
import type { DropEvent } from "../../src/lib/api";

type Call = { command: string; args: unknown; headers: unknown };

/** Stands where the real window has its bridge, and notes what crosses it. */
const calls: Call[] = [];
const callbacks: ((event: unknown) => void)[] = [];
let answer: unknown = null;

vi.stubGlobal("window", {
  addEventListener: () => undefined,
  __TAURI_INTERNALS__: {
    metadata: { currentWindow: { label: "main" }, currentWebview: { label: "main", windowLabel: "main" } },
    transformCallback: (callback: (event: unknown) => void) => callbacks.push(callback) - 1,
    invoke: async (command: string, args: unknown, options?: { headers?: unknown }) => {
      calls.push({ command, args, headers: options?.headers });
      return answer;
    },
  },
});

const { tauriApi } = await import("../../src/lib/tauri");
const api = tauriApi();
const options = { algorithm: "bayer" } as unknown as PictureOptions;
const words: Composition = { kind: "template", template: "notice", payload: { title: "Open" }, palette: "black-white" };
const plan: CountdownPlan = { date: "2026-12-24", style: "clock", text: null };
const form: DeviceForm = { id: "a", replaces: null, found: null, name: "", room: "", address: null, via: null, volume_limit: 100, token: null };
const lesson: Lesson = { name: "clock2", channel: "main", bytes: "E1 03", refresh: true };

beforeEach(() => {
  calls.length = 0;
  callbacks.length = 0;
  answer = null;
});

describe("the transport of the window", () => {
  it.each<[string, () => Promise<unknown>, unknown]>([
    ["state", () => api.state(), {}],
    ["starts_at_login", () => api.startsAtLogin(), {}],
    ["start_at_login", () => api.startAtLogin(true), { on: true }],
    ["open_path", () => api.open({ path: "/a b.png" }), { path: "/a b.png" }],
    ["render", () => api.render({ picture: 3, options }), { picture: 3, options }],
    ["original", () => api.original({ picture: 3, options }), { picture: 3, options }],
    ["thumbnails", () => api.thumbnails({ picture: 3, options }), { picture: 3, options }],
    ["slot_picture", () => api.slotPicture(2), { slot: 2 }],
    ["simulated_screen", () => api.simulatedScreen(), {}],
    ["show", () => api.show({ picture: 3, options, slot: 1 }), { picture: 3, options, slot: 1 }],
    ["show_slot", () => api.showSlot(1), { slot: 1 }],
    ["templates", () => api.templates(), {}],
    ["compose", () => api.compose(words), { composition: words }],
    ["show_composition", () => api.showComposition({ composition: words, slot: 2 }), { composition: words, slot: 2 }],
    ["countdown", () => api.countdown(plan), { plan }],
    ["countdown_off", () => api.countdownOff(), {}],
    ["countdown_line", () => api.countdownLine({ style: "clock", text: "in" }), { style: "clock", text: "in" }],
    ["calendar_text", () => api.calendarText("Closed"), { text: "Closed" }],
    ["teach", () => api.teach(lesson), { lesson }],
    ["try_lesson", () => api.tryLesson(lesson), { lesson }],
    ["cancel", () => api.cancel(7), { operation: 7 }],
    ["dismiss", () => api.dismiss(7), { operation: 7 }],
    ["set_time", () => api.setTime(null), { zone: null }],
    ["set_face", () => api.setFace("clock1"), { face: "clock1" }],
    ["toggle", () => api.toggle("invert"), { toggle: "invert" }],
    ["quiet_hours", () => api.quietHours({ on: true, start_hour: 23, end_hour: 6 }), { on: true, startHour: 23, endHour: 6 }],
    ["clear", () => api.clear(), {}],
    ["system_settings", () => api.systemSettings(), {}],
    ["open_system_settings", () => api.openSystemSettings("bluetooth-off"), { code: "bluetooth-off" }],
    ["scan", () => api.scan(), {}],
    ["choose_clock", () => api.chooseClock("AA"), { address: "AA" }],
    ["zones", () => api.zones(), {}],
    ["agents", () => api.agents(), {}],
    ["switch_server", () => api.switchServer(true), { on: true }],
    ["make_token", () => api.makeToken("Cursor"), { name: "Cursor" }],
    ["reveal_token", () => api.revealToken("t1"), { id: "t1" }],
    ["replace_token", () => api.replaceToken("t1"), { id: "t1" }],
    ["rename_token", () => api.renameToken("t1", "VS Code"), { id: "t1", name: "VS Code" }],
    ["revoke_token", () => api.revokeToken("t1"), { id: "t1" }],
    ["client_configurations", () => api.clientConfigurations(), {}],
    ["client_configuration", () => api.clientConfiguration("cursor", null), { client: "cursor", token: null }],
    ["room", () => api.room(), {}],
    ["ask_device", () => api.askDevice("a", { request: "status" }), { device: "a", request: { request: "status" } }],
    ["save_device", () => api.saveDevice(form), { form }],
    ["remove_device", () => api.removeDevice("a"), { device: "a" }],
    ["set_device_token", () => api.setDeviceToken("a", null), { device: "a", token: null }],
    ["ignore_found", () => api.ignoreFound("k"), { key: "k" }],
    ["stop_ignoring", () => api.stopIgnoring("n"), { name: "n" }],
    ["look_at_device", () => api.lookAtDevice("192.168.0.50"), { address: "192.168.0.50" }],
    ["try_device_now", () => api.tryDeviceNow("a"), { device: "a" }],
    ["device_history", () => api.deviceHistory("a", 5), { device: "a", since: 5 }],
    ["save_settings", () => api.saveSettings({ theme: "dark" } as Settings), { settings: { theme: "dark" } }],
    ["journal", () => api.journal(50), { limit: 50 }],
  ])("calls %s with its arguments", async (command, call, args) => {
    await call();
    expect(calls).toEqual([{ command, args, headers: undefined }]);
  });

  it("sends a picture's bytes as they are, its name in a header that any name fits", async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    await api.open({ name: "été 图.png", bytes });
    expect(calls).toEqual([
      { command: "open_bytes", args: bytes, headers: { name: encodeURIComponent("été 图.png") } },
    ]);
  });

  it("asks for one picture file, and takes no for an answer", async () => {
    expect(await api.pickFile("Open", "Pictures")).toBeNull();
    answer = "C:\\pictures\\a.png";
    expect(await api.pickFile("Open", "Pictures")).toEqual({ path: "C:\\pictures\\a.png" });
    expect(calls[0]).toMatchObject({
      command: "plugin:dialog|open",
      args: { options: { multiple: false, directory: false, filters: [{ name: "Pictures" }] } },
    });
  });

  it("asks for one folder, and takes no for an answer", async () => {
    expect(await api.pickFolder("Pictures")).toBeNull();
    answer = "C:\\pictures";
    expect(await api.pickFolder("Pictures")).toBe("C:\\pictures");
    expect(calls[0]).toMatchObject({ command: "plugin:dialog|open", args: { options: { title: "Pictures", directory: true, multiple: false } } });
  });

  it("passes on every state of the agents", async () => {
    const seen: unknown[] = [];
    await api.onAgents((agents) => seen.push(agents));
    callbacks[0]?.({ event: "agents", id: 1, payload: { calls: [] } });
    expect(seen).toEqual([{ calls: [] }]);
  });

  it("passes on every state of the room", async () => {
    const seen: unknown[] = [];
    await api.onRoom((room) => seen.push(room));
    callbacks[0]?.({ event: "room", id: 1, payload: { devices: [] } });
    expect(seen).toEqual([{ devices: [] }]);
  });

  it("passes on every state that the app tells", async () => {
    const seen: unknown[] = [];
    await api.onState((state) => seen.push(state));
    callbacks[0]?.({ event: "state", id: 1, payload: { version: "1" } });
    expect(seen).toEqual([{ version: "1" }]);
  });

  it("takes the picture it was started with, and each that a second start brings", async () => {
    const seen: unknown[] = [];
    answer = "/first.png";
    await api.onHandedOver((source) => seen.push(source));
    answer = "/second.png";
    const handedOver = callbacks[0];
    handedOver?.({ event: "handed-over", id: 1, payload: null });
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    answer = null;
    handedOver?.({ event: "handed-over", id: 2, payload: null });
    await vi.waitFor(() => expect(calls.filter((call) => call.command === "handed_over")).toHaveLength(3));
    expect(seen).toEqual([{ path: "/first.png" }, { path: "/second.png" }]);
  });

  it("takes the first of the files dropped and says how many there were", async () => {
    const seen: DropEvent[] = [];
    await api.onDrop((event) => seen.push(event));
    // Tauri listens for enter, over, drop and leave, in this order.
    const position = { x: 0, y: 0 };
    callbacks[0]?.({ payload: { paths: ["/a", "/b"], position } });
    callbacks[1]?.({ payload: { position } });
    callbacks[2]?.({ payload: { paths: ["/a", "/b"], position } });
    callbacks[2]?.({ payload: { paths: [], position } });
    callbacks[3]?.({ payload: null });
    expect(seen).toEqual([
      { type: "enter" },
      { type: "drop", source: { path: "/a" }, files: 2 },
      { type: "drop", source: null, files: 0 },
      { type: "leave" },
    ]);
  });
});
