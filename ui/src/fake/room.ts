// The room of the fake host: devices that answer, refuse and stay silent as their state has it.
import type { DeviceAnswer } from "../bindings/DeviceAnswer";
import type { DeviceForm } from "../bindings/DeviceForm";
import type { DeviceRequest } from "../bindings/DeviceRequest";
import type { DeviceSample } from "../bindings/DeviceSample";
import type { DeviceState } from "../bindings/DeviceState";
import type { FoundDevice } from "../bindings/FoundDevice";
import type { RoomSettings } from "../bindings/RoomSettings";
import type { RoomState } from "../bindings/RoomState";
import { ABILITIES, allDevices, foundAt, foundDevices, readyDevices } from "./devices";
import { FAULTS } from "./faults";
import type { Scenario } from "./scenario";
import { snapshot } from "./snapshot";

/** How long a device takes to do something, and how often it is asked for its status, in milliseconds. */
const ANSWER_MS = 600;
const POLL_MS = 2_000;
const MOST_SAMPLES = 240;

const LAMPS: Record<string, string> = { red: "#FF0000", green: "#00FF00", blue: "#0000FF", white: "#FFFFFF", warm: "#FFB060", off: "#000000" };

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** A number in 0..1 that is the same for the same words. */
function chance(words: string): number {
  let state = 17;
  for (const character of words) state = Math.imul(state ^ character.codePointAt(0)!, 2_654_435_761);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}

export class FakeRoom {
  state: RoomState;
  #scenario: Scenario;
  #settings: RoomSettings;
  #listeners = new Set<(state: RoomState) => void>();

  constructor(scenario: Scenario, settings: RoomSettings) {
    this.#scenario = scenario;
    this.#settings = settings;
    const { room } = scenario;
    this.state = {
      devices: room === "all" ? allDevices() : room === "ready" ? readyDevices() : [],
      found: room === "all" ? foundDevices() : [],
      search: this.#search(),
    };
    if (this.state.devices.length > 0) setInterval(() => this.#poll(), POLL_MS);
  }

  listen(callback: (state: RoomState) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #set(patch: Partial<RoomState>): void {
    this.state = structuredClone({ ...this.state, ...patch });
    for (const listener of this.#listeners) listener(this.state);
  }

  #search(): RoomState["search"] {
    if (this.#scenario.room === "unavailable") return { state: "unavailable", detail: "the port 5353 is closed to Regie" };
    return this.#settings.search ? { state: "running", interfaces: ["wlan0", "enp3s0"] } : { state: "off" };
  }

  take(settings: RoomSettings): void {
    this.#settings = settings;
    this.#set({ search: this.#search() });
  }

  #device(id: string): DeviceState {
    const device = this.state.devices.find((one) => one.id === id);
    if (!device) throw FAULTS.deviceUnknown(id);
    return device;
  }

  #change(id: string, patch: (device: DeviceState) => Partial<DeviceState>): void {
    this.#set({ devices: this.state.devices.map((device) => (device.id === id ? { ...device, ...patch(device) } : device)) });
  }

  #poll(): void {
    const devices = this.state.devices.map((device) => {
      const { state } = device.condition;
      if (["unreachable", "unasked", "relayed", "garbled"].includes(state)) return device;
      const reading = device.reading && {
        ...device.reading,
        rssi: device.reading.rssi === null ? null : device.reading.rssi + Math.round(Math.random() * 2 - 1),
        uptime_seconds: (device.reading.uptime_seconds ?? 0) + POLL_MS / 1_000,
      };
      return { ...device, reading, answered_at: Date.now(), round_trip_ms: Math.round((device.round_trip_ms ?? 40) * (0.9 + Math.random() * 0.2)) };
    });
    this.#set({ devices });
  }

  // ---- asking

  async ask(id: string, request: DeviceRequest): Promise<DeviceAnswer> {
    const began = performance.now();
    const device = this.#device(id);
    this.#change(id, () => ({ busy: true }));
    await wait(ANSWER_MS / this.#scenario.speed);
    this.#change(id, () => ({ busy: false }));
    this.#refuse(device, request);
    const answer: DeviceAnswer = {
      outcome: "confirmed",
      reply: { ok: true },
      picture: null,
      sent_again: false,
      broadcast: false,
      remarks: [],
      device_ms: Math.round(performance.now() - began),
    };
    if (device.condition.state === "relayed") return { ...answer, outcome: "accepted", broadcast: true };
    return { ...answer, ...(await this.#apply(device, request)) };
  }

  /** Says why the device does not do it, as the app would. */
  #refuse({ id, condition, family }: DeviceState, request: DeviceRequest): void {
    const reads = request.request === "status" || request.request === "camera";
    switch (condition.state) {
      case "unreachable":
        throw FAULTS.deviceUnreachable(id, condition.detail);
      case "no-token":
        throw FAULTS.deviceToken(id, "missing");
      case "token-refused":
        throw FAULTS.deviceToken(id, "refused");
      case "reading-only":
        if (!reads) throw FAULTS.deviceToken(id, "reading-only");
        break;
      case "setup-mode":
        throw FAULTS.deviceToken(id, "setup-mode");
      case "throttled":
        // The override is never held back.
        if (!(request.request === "scenario" && request.event === "manual")) throw FAULTS.deviceThrottled(id, condition.until);
        break;
      case "garbled":
        throw FAULTS.deviceNonsense(id, condition.detail);
    }
    if (request.request === "camera" && this.#device(id).reading?.camera === "blocked") throw FAULTS.cameraBlocked(id);
    if (request.request === "audio" && /missing/.test(request.source)) throw FAULTS.deviceRefused(id, `there is no file ${request.source}`);
    if (family === "story-v2" && request.request === "scenario" && request.event !== "manual") throw FAULTS.deviceCannot(id, "events other than the override");
  }

  async #apply({ id, family }: DeviceState, request: DeviceRequest): Promise<Partial<DeviceAnswer>> {
    const read = (patch: Partial<NonNullable<DeviceState["reading"]>>) =>
      this.#change(id, ({ reading }) => ({ reading: reading && { ...reading, ...patch } }));
    switch (request.request) {
      case "led": {
        read({ led: LAMPS[request.color] ?? request.color });
        return family === "freenove" && request.zone !== "all" ? { remarks: ["All its LEDs follow: it has one colour for all of them."] } : {};
      }
      case "audio":
        read({ playing: request.action === "play" || request.action === "resume" ? request.source : "" });
        return family === "spec" ? { outcome: "accepted" } : { sent_again: request.action === "stop" };
      case "puzzle":
        this.#change(id, ({ reading }) => ({ reading: reading && { ...reading, puzzles: { ...reading.puzzles, [request.puzzle]: request.state === "reset" ? "locked" : request.state } } }));
        return family === "freenove" ? { outcome: "no-change-seen" } : {};
      case "camera":
        return { picture: await snapshot(this.#device(id).name) };
      case "scenario":
        read({ step: request.target ?? (request.event === "manual" ? "STEP_ETAPE_3" : null) ?? this.#device(id).reading?.step ?? null });
        return request.event === "manual" ? {} : { outcome: "no-change-seen" };
      case "status":
        return {};
    }
  }

  /** As in the app, what the device says comes later. */
  async tryNow(id: string): Promise<void> {
    this.#device(id);
    void this.#told(id);
  }

  async #told(id: string): Promise<void> {
    await wait(ANSWER_MS / this.#scenario.speed);
    const device = this.state.devices.find((one) => one.id === id);
    if (!device) return;
    if (["unreachable", "garbled"].includes(device.condition.state)) return;
    this.#change(id, ({ condition }) => ({ answered_at: Date.now(), condition: condition.state === "unasked" ? { state: "answering" } : condition }));
  }

  // ---- setting

  async save(form: DeviceForm): Promise<void> {
    const old = form.replaces === null ? undefined : this.#device(form.replaces);
    if (form.id !== form.replaces && this.state.devices.some(({ id }) => id === form.id)) throw FAULTS.deviceTaken(form.id);
    if (form.address !== null && !/^[\w.:[\]-]+$/.test(form.address)) throw FAULTS.addressInvalid(form.address);
    const found = this.state.found.find(({ key }) => key === form.found);
    const family = old?.family ?? found?.family ?? "spec";
    const token = form.token !== null ? "kept" : (old?.token ?? "none");
    const device: DeviceState = {
      ...(old ?? {
        ...readyDevices()[0]!,
        remarks: [],
        condition: found?.asks_for_token && form.token === null ? { state: "no-token" } : { state: "answering" },
      }),
      id: form.id,
      name: form.name || form.id,
      room: form.room || null,
      address: form.address ?? old?.address ?? found?.address ?? null,
      via: form.via,
      volume_limit: form.volume_limit,
      family,
      abilities: ABILITIES[family],
      token,
    };
    if (form.token !== null) this.#taken(device, form.token);
    this.#set({
      devices: [...this.state.devices.filter(({ id }) => id !== form.replaces), device].sort((a, b) => `${a.room} ${a.name}`.localeCompare(`${b.room} ${b.name}`)),
      found: this.state.found.filter(({ key }) => key !== form.found),
    });
  }

  /** "wrong" is what these devices do not take. */
  #taken(device: DeviceState, token: string): void {
    device.condition = { state: token === "wrong" ? "token-refused" : token === "reading" ? "reading-only" : "answering" };
    if (device.condition.state === "answering") device.reading ??= readyDevices()[0]!.reading;
  }

  remove(id: string): void {
    this.#device(id);
    this.#set({ devices: this.state.devices.filter((device) => device.id !== id) });
  }

  async token(id: string, token: string | null): Promise<void> {
    await wait(ANSWER_MS / this.#scenario.speed);
    this.#change(id, (device) => {
      const next = structuredClone(device);
      if (token !== null) this.#taken(next, token);
      return { ...next, token: token === null ? "none" : "kept" };
    });
  }

  ignore(key: string): void {
    const found = this.state.found.find((one) => one.key === key);
    this.#settings.ignored.push(found?.instance ?? found?.address ?? key);
    this.#set({ found: this.state.found.filter((one) => one.key !== key) });
  }

  async look(address: string): Promise<FoundDevice> {
    await wait(ANSWER_MS / this.#scenario.speed);
    if (!/^[\w.:[\]/-]+$/.test(address)) throw FAULTS.addressInvalid(address);
    if (/^(8|1)\.\d/.test(address)) throw FAULTS.addressPublic(address);
    if (address.endsWith(".99")) throw FAULTS.deviceUnreachable(address, "port 80 refused the connection, ports 8080 and 8081 gave no answer in 2 s");
    const found = foundAt(address);
    this.#set({ found: [...this.state.found.filter(({ key }) => key !== found.key), found] });
    return found;
  }

  // ---- the past

  history(id: string, since: number): DeviceSample[] {
    const device = this.#device(id);
    if (device.condition.state === "relayed" || device.condition.state === "unasked") return [];
    const until = Date.now();
    const every = (until - since) / MOST_SAMPLES;
    const samples: DeviceSample[] = [];
    for (let i = 0; i < MOST_SAMPLES; i++) {
      const at = Math.round(since + (i + 0.5) * every);
      const slow = Math.sin(i / 17 + chance(id) * 6) * 4;
      const silent = device.condition.state === "unreachable" ? i > MOST_SAMPLES * 0.94 : id === "telephone" && i > 96 && i < 108;
      const restarted = (id === "telephone" && i === 108) || (id === "mirror" && i === 180);
      const rssi = (device.reading?.rssi ?? -70) + slow + chance(`${id} ${i}`) * 3;
      samples.push({
        device: id,
        at,
        answered: !silent,
        restarted,
        round_trip_ms: silent ? null : Math.round(36 + chance(`${i} ${id}`) * 22 + (i % 41 === 0 ? 160 : 0)),
        rssi: silent ? null : Math.round(rssi),
        heap_free: silent ? null : Math.round(182_000 - (i % 108) * 260 + chance(`heap ${i}`) * 3_000),
        uptime_seconds: silent ? null : Math.round((i % 108) * (every / 1_000)),
        step: device.reading?.step ?? null,
        mesh_failed: null,
      });
    }
    return samples;
  }
}
