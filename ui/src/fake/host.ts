// A host that lives in the page: pictures, slots, journal and one clock, all invented. It serves a browser
// and the tests, says so wherever it shows, and is no part of the shipped bundle.
import type { Advertisement } from "../bindings/Advertisement";
import type { AgentsState } from "../bindings/AgentsState";
import type { Algorithm } from "../bindings/Algorithm";
import type { AppState } from "../bindings/AppState";
import type { ClientConfiguration } from "../bindings/ClientConfiguration";
import type { Composition } from "../bindings/Composition";
import type { CountdownPlan } from "../bindings/CountdownPlan";
import type { CountdownStyle } from "../bindings/CountdownStyle";
import type { DeviceForm } from "../bindings/DeviceForm";
import type { DeviceRequest } from "../bindings/DeviceRequest";
import type { Family } from "../bindings/Family";
import type { Fault } from "../bindings/Fault";
import type { JournalEntry } from "../bindings/JournalEntry";
import type { KnownClock } from "../bindings/KnownClock";
import type { Language } from "../bindings/Language";
import type { Lesson } from "../bindings/Lesson";
import type { LinkState } from "../bindings/LinkState";
import type { Note } from "../bindings/Note";
import type { Operation } from "../bindings/Operation";
import type { OperationKind } from "../bindings/OperationKind";
import type { Outcome } from "../bindings/Outcome";
import type { PictureOptions } from "../bindings/PictureOptions";
import type { Report } from "../bindings/Report";
import type { RoomState } from "../bindings/RoomState";
import type { Unsupported } from "../bindings/Unsupported";
import { type Api, type DropEvent, type PictureRequest, type Source, TOKEN_PLACE } from "../lib/api";
import { dayFrom, daysUntil } from "../lib/countdown";
import { encodeFrame, type InkMap } from "../lib/frame";
import { lessonName } from "../lib/lessons";
import { METHODS, PANEL } from "../lib/options";
import { FakeAgents } from "./agents";
import { dithered, fitted } from "./dither";
import { configurations } from "./configurations";
import { FAULTS } from "./faults";
import { composed, countdownCells } from "./pages";
import { paintedPicture } from "./picture";
import { FakeRoom } from "./room";
import type { Scenario } from "./scenario";
import { TEMPLATES } from "./templates";

type Picture = { bitmap: ImageBitmap; name: string; notes: Note[] };

const PACKET_BYTES = 236;
/** What a clock of each family lacks, as the app says it. */
const UNSUPPORTED: Record<Family, Unsupported> = {
  pingping: {
    faces: ["clock2", "clock3", "calendar2", "calendar3"],
    toggles: ["font", "hour-format"],
    quiet_hours: false,
    countdown: false,
    reason: "code",
  },
  "epd-nrf5": {
    faces: ["clock2", "clock3", "calendar2", "calendar3"],
    toggles: ["invert", "font", "rotate180", "hour-format", "clock-color"],
    quiet_hours: true,
    countdown: true,
    reason: "firmware",
  },
};

function familyOf(name: string): Family {
  return name.startsWith("NRF_EPD_") ? "epd-nrf5" : "pingping";
}

const NEARBY: readonly Advertisement[] = [
  { address: "E2:01:9A:32:56:08", name: "NRF-325608", rssi: -52, simulated: true },
  { address: "E2:01:9A:41:0C:77", name: "NRF-410C77", rssi: -71, simulated: true },
  { address: "E2:01:9A:5B:E0:13", name: "NRF_EPD_E013", rssi: -88, simulated: true },
];

const DEFAULT_OPTIONS: PictureOptions = {
  algorithm: "atkinson",
  palette: "black-white-red",
  adjust: {
    brightness: 0,
    contrast: 0,
    saturation: 0,
    gamma: 1,
    sharpen: 0,
    diffusion: 100,
    fit: "cover",
    background: "white",
    rotate: 0,
    size: "full",
  },
};

const TOOL: Record<DeviceRequest["request"], string> = {
  led: "led_set",
  audio: "audio_play",
  puzzle: "puzzle_set_state",
  camera: "camera_capture",
  scenario: "scenario_advance",
  status: "device_status",
};

const FOLDERS = ["/home/marie/Pictures", "/srv/shop/Window displays/Winter opening"];

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class FakeHost implements Api {
  #scenario: Scenario;
  #state: AppState;
  #listeners = new Set<(state: AppState) => void>();
  #pictures = new Map<number, Picture>();
  #slotMaps: (InkMap | null)[] = [null, null, null, null];
  #screen: InkMap = { width: 400, height: 300, inks: new Uint8Array(120_000).fill(1) };
  #journal: JournalEntry[] = [];
  #nextPicture = 1;
  #nextOperation = 1;
  #cancelled = new Set<number>();
  #agents: FakeAgents;
  #room: FakeRoom;
  /** Every call by name, for tests to count. */
  readonly calls: string[] = [];
  #atLogin = false;
  /** Hands a picture over, as a second start does. */
  handOver: (source: Source) => void = () => undefined;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    const simulated = !scenario.real;
    const { state } = scenario;
    const unavailable =
      state === "radio-off" ? FAULTS.radioOff() : state === "no-adapter" ? FAULTS.noAdapter() : null;
    this.#state = {
      version: "0.1.0-fake",
      locale: locale(scenario.lang),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "Europe/Paris",
      simulated: scenario.demo || (simulated && state !== "first"),
      demo_forced: scenario.demo,
      clock: {
        chosen:
          state === "no-clock" || state === "first"
            ? null
            : FakeHost.#known(NEARBY[0]!, simulated),
        link: unavailable ? { state: "unavailable", fault: unavailable } : { state: "asleep" },
        operation: null,
        scanning: false,
        nearby: [],
        shown_slot: null,
        host_calendar: null,
        time_set: null,
        quiet_hours: null,
        unsupported: UNSUPPORTED.pingping,
        estimate: { send_seconds: 8, refresh_seconds: 20 },
      },
      slots: [null, null, null, null],
      settings: {
        language: scenario.lang,
        theme: scenario.theme,
        devices: state === "first" ? null : simulated ? "simulated" : "bluetooth",
        idle_seconds: 300,
        skip_unchanged: false,
        start_hidden: false,
        picture: DEFAULT_OPTIONS,
        inks: "ideal",
        agents: { at_start: false, port: 8790, reach: scenario.network ? "this-network" : "this-computer", picture_folders: [] },
        room: { search: true, ignored: [], devices: {} },
      },
      warnings: state === "warning" ? [FAULTS.boot()] : [],
      tokens: [],
      secrets:
        scenario.secrets === "memory"
          ? { kept: "memory", fault: FAULTS.noKeyring() }
          : scenario.secrets === "file"
            ? { kept: "file", path: "/home/marie/.config/regie/secrets.toml" }
            : { kept: "keyring" },
    };
    this.#state.settings = FakeHost.#unset(this.#state.settings);
    this.#agents = new FakeAgents(scenario, this.#state.settings.agents, (tokens) => this.#set({ tokens }));
    this.#state.tokens = this.#agents.tokens;
    this.#room = new FakeRoom(scenario, this.#state.settings.room);
  }

  static #known({ address, name }: Advertisement, simulated: boolean): KnownClock {
    return { address, name, family: familyOf(name), simulated };
  }

  /** What is not set does not cross the app's bridge at all. */
  static #unset(settings: AppState["settings"]): AppState["settings"] {
    const { devices, ...rest } = settings;
    return devices ? settings : (rest as AppState["settings"]);
  }

  /** Fills slots and opens a picture as the scenario wants; answers the picture's id. */
  async prepare(): Promise<void> {
    for (let slot = 0; slot < this.#scenario.slots; slot++) {
      const map = this.#inks(await paintedPicture(slot), DEFAULT_OPTIONS);
      this.#fill(slot, ["counter.jpg", "opening hours.png", "sale.png", "logo.svg"][slot] ?? "picture", map);
    }
    if (this.#scenario.slots > 0) {
      this.#patch({ shown_slot: 0 });
      this.#screen = this.#slotMaps[0]!;
    }
    const canned: Partial<Record<Scenario["state"], Scenario["fault"] | "done" | "cancelled">> = {
      failed: "fail",
      unknown: "unknown",
      done: "done",
      cancelled: "cancelled",
    };
    const end = canned[this.#scenario.state];
    if (end) {
      const operation = this.#begin("show", 0);
      operation.progress = { ...operation.progress, stage: "sending", packets_done: 63, packets_total: 127 };
      this.#end(operation, this.#outcome(end, { bytes: 30_000, packets: 127, packets_resent: 2, duration_ms: 7_900, reconnects: 0 }));
    }
    if (this.#scenario.state === "sending") {
      const operation = this.#begin("show", 0);
      operation.progress = { stage: "sending", packets_done: 63, packets_total: 127, bytes_per_second: 3_800, seconds_left: 4 };
      this.#patch({ operation, link: { state: "sending" } });
    }
    if (this.#scenario.state === "listening") {
      const operation = this.#begin("show", 0);
      operation.progress = { ...operation.progress, stage: "listening", seconds_left: 47 };
      this.#patch({ operation, link: { state: "listening", seconds_left: 47 } });
    }
  }

  // ---- state

  async state(): Promise<AppState> {
    if (this.#scenario.state === "boot-fault") throw FAULTS.boot();
    return this.#state;
  }

  async onState(callback: (state: AppState) => void): Promise<() => void> {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #set(patch: Partial<AppState>): void {
    this.#state = structuredClone({ ...this.#state, ...patch });
    for (const listener of this.#listeners) listener(this.#state);
  }

  #patch(clock: Partial<AppState["clock"]>): void {
    this.#set({ clock: { ...this.#state.clock, ...clock } });
  }

  // ---- pictures in

  async onDrop(callback: (event: DropEvent) => void): Promise<() => void> {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const on: Partial<Record<keyof WindowEventMap, (event: DragEvent) => void>> = {
      dragenter: (event) => {
        if (hasFiles(event) && depth++ === 0) callback({ type: "enter" });
      },
      dragover: (event) => event.preventDefault(),
      dragleave: (event) => {
        if (hasFiles(event) && --depth === 0) callback({ type: "leave" });
      },
      drop: (event) => {
        event.preventDefault();
        depth = 0;
        const files = [...(event.dataTransfer?.files ?? [])];
        const first = files[0];
        if (!first) return callback({ type: "drop", source: null, files: 0 });
        void bytesOf(first).then((source) => callback({ type: "drop", source, files: files.length }));
      },
    };
    const entries = Object.entries(on) as [string, EventListener][];
    for (const [type, listener] of entries) window.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of entries) window.removeEventListener(type, listener);
    };
  }

  pickFile(): Promise<Source | null> {
    const input = document.createElement("input");
    input.type = "file";
    input.hidden = true;
    document.body.append(input);
    return new Promise((done) => {
      const finish = async () => {
        input.remove();
        const file = input.files?.[0];
        done(file ? await bytesOf(file) : null);
      };
      input.onchange = finish;
      input.oncancel = finish;
      input.click();
    });
  }

  async open(source: Source) {
    this.calls.push("open");
    if ("path" in source) throw FAULTS.notPicture(source.path);
    if (source.bytes.length === 0) throw FAULTS.empty(source.name);
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(source.bytes)])).catch(() => {
      throw FAULTS.notPicture(source.name);
    });
    const notes: Note[] = [];
    if (bitmap.width < 400 || bitmap.height < 300) {
      notes.push({
        code: "enlarged",
        message: `Enlarged: the picture has only ${bitmap.width} x ${bitmap.height} pixels.`,
        params: { width: String(bitmap.width), height: String(bitmap.height) },
      });
    }
    return this.#keep({ bitmap, name: source.name, notes });
  }

  #keep(picture: Picture) {
    const id = this.#nextPicture++;
    this.#pictures.set(id, picture);
    return { id, name: picture.name, width: picture.bitmap.width, height: picture.bitmap.height, notes: picture.notes };
  }

  // ---- pictures out

  #picture(id: number): Picture {
    const picture = this.#pictures.get(id);
    if (!picture) throw FAULTS.gone();
    return picture;
  }

  #inks(bitmap: ImageBitmap, options: PictureOptions): InkMap {
    return { ...PANEL[options.adjust.size], inks: dithered(fitted(bitmap, options.adjust), options) };
  }

  #frame({ width, height, inks }: InkMap, notes: Note[] = [], algorithms: Algorithm[] = []): ArrayBuffer {
    return encodeFrame({ width, height, notes, algorithms }, inks);
  }

  async render({ picture, options }: PictureRequest) {
    this.calls.push("render");
    if (this.#scenario.renderMs) await wait(this.#scenario.renderMs);
    return this.#frame(this.#inks(this.#picture(picture).bitmap, options), [], [options.algorithm]);
  }

  async original({ picture, options }: PictureRequest) {
    const image = fitted(this.#picture(picture).bitmap, options.adjust);
    return encodeFrame({ width: image.width, height: image.height, notes: [], algorithms: [] }, new Uint8Array(image.data.buffer));
  }

  async thumbnails({ picture, options }: PictureRequest) {
    this.calls.push("thumbnails");
    const image = fitted(this.#picture(picture).bitmap, options.adjust, { width: 100, height: 75 });
    const algorithms = METHODS.map((m) => m.algorithm);
    const size = image.width * image.height;
    const payload = new Uint8Array(size * algorithms.length);
    algorithms.forEach((algorithm, i) => payload.set(dithered(image, { ...options, algorithm }), i * size));
    return encodeFrame({ width: image.width, height: image.height, notes: [], algorithms }, payload);
  }

  async slotPicture(slot: number) {
    const map = this.#slotMaps[slot];
    if (!map) throw FAULTS.gone();
    return this.#frame(map);
  }

  async onHandedOver(callback: (source: Source) => void): Promise<() => void> {
    this.handOver = callback;
    return () => undefined;
  }

  async startsAtLogin() {
    return this.#atLogin;
  }

  async startAtLogin(on: boolean) {
    this.calls.push(`startAtLogin ${on}`);
    this.#atLogin = on;
  }

  async systemSettings() {
    return [FAULTS.radioOff().code];
  }

  async openSystemSettings(code: string) {
    this.calls.push(`openSystemSettings ${code}`);
  }

  async simulatedScreen() {
    if (!this.#state.simulated) throw FAULTS.gone();
    return this.#frame(this.#screen);
  }

  // ---- operations

  #begin(kind: OperationKind, slot: number | null): Operation {
    return {
      id: this.#nextOperation++,
      kind,
      slot,
      progress: { stage: "queued", packets_done: 0, packets_total: 0, bytes_per_second: null, seconds_left: null },
      outcome: null,
    };
  }

  #outcome(end: Scenario["fault"] | "done" | "cancelled", report: Report): Outcome {
    if (end === "fail" || end === "stall") return { outcome: "failed", fault: FAULTS.lost(), report };
    if (end === "unknown") return { outcome: "unknown", fault: FAULTS.unknown(), report };
    if (end === "cancelled") return { outcome: "cancelled", report };
    return { outcome: "done", report };
  }

  #end(operation: Operation, outcome: Outcome, detail = ""): void {
    operation.outcome = outcome;
    const fault: Fault | null = "fault" in outcome ? outcome.fault : null;
    this.#journal.unshift({
      id: operation.id,
      at: new Date().toISOString(),
      door: "window",
      caller: null,
      action: { what: "operation", kind: operation.kind },
      target: this.#state.clock.chosen?.name ?? NEARBY[0]!.name,
      detail,
      outcome: outcome.outcome,
      fault,
      duration_ms: outcome.report.duration_ms,
    });
    const { link } = this.#state.clock;
    this.#patch({ operation: { ...operation }, link: link.state === "unavailable" ? link : { state: "connected" } });
  }

  /** Plays the stages of one operation as a clock would. `apply` is what it changes once it is done. */
  #play(kind: OperationKind, slot: number | null, packets: number, apply: () => void, detail = ""): number {
    if (this.#state.clock.operation && !this.#state.clock.operation.outcome) throw FAULTS.busy();
    if (this.#scenario.fault === "refuse") throw FAULTS.refused();
    const operation = this.#begin(kind, slot);
    const { link: now } = this.#state.clock;
    if (now.state === "unavailable") {
      const report: Report = { bytes: 0, packets: 0, packets_resent: 0, duration_ms: 1, reconnects: 0 };
      queueMicrotask(() => this.#end(operation, { outcome: "failed", fault: now.fault, report }, detail));
      return operation.id;
    }
    const began = performance.now();
    const pace = 1000 / this.#scenario.speed;
    const step = (stage: Operation["progress"]["stage"], link: LinkState, patch: Partial<Operation["progress"]> = {}) => {
      operation.progress = { ...operation.progress, seconds_left: null, ...patch, stage };
      this.#patch({ operation: { ...operation }, link });
    };
    const run = async (): Promise<void> => {
      const left = () => this.#cancelled.has(operation.id);
      const report = (done: number): Report => ({
        bytes: done * PACKET_BYTES,
        packets: done,
        packets_resent: 0,
        duration_ms: Math.round(performance.now() - began),
        reconnects: 0,
      });
      const stop = (done: number) => this.#end(operation, this.#outcome("cancelled", report(done)), detail);

      step("listening", { state: "listening", seconds_left: 30 }, { seconds_left: 30 });
      await wait(pace);
      if (left()) return stop(0);
      if (!this.#state.clock.chosen) this.#patch({ chosen: FakeHost.#known(NEARBY[0]!, true) });
      step("connecting", { state: "connecting" });
      await wait(pace / 2);
      step("discovering", { state: "connecting" });
      await wait(pace / 4);
      for (let done = 0; done < packets; done++) {
        if (left()) return stop(done);
        if (this.#scenario.fault === "fail" && done >= packets / 2) {
          return this.#end(operation, this.#outcome("fail", report(done)), detail);
        }
        while (this.#scenario.fault === "stall" && done >= packets / 2 && !left()) await wait(50);
        step("sending", { state: "sending" }, {
          packets_done: done,
          packets_total: packets,
          bytes_per_second: 3_800,
          seconds_left: ((packets - done) * PACKET_BYTES) / 3_800,
        });
        await wait((pace * PACKET_BYTES) / 3_800);
      }
      step("refreshing", { state: "refreshing", seconds_left: 20 }, { packets_done: packets, packets_total: packets, seconds_left: 20 });
      await wait(pace * 2);
      if (this.#scenario.fault === "unknown") return this.#end(operation, this.#outcome("unknown", report(packets)), detail);
      apply();
      this.#end(operation, this.#outcome("done", report(packets)), detail);
    };
    void run();
    return operation.id;
  }

  #fill(slot: number, name: string, map: InkMap): void {
    this.#slotMaps[slot] = map;
    this.#set({
      slots: this.#state.slots.map((old, i) => (i === slot ? { slot, name, changed: new Date().toISOString() } : old)),
    });
  }

  async show({ picture, options, slot }: PictureRequest & { slot: number }) {
    this.calls.push("show");
    const { bitmap, name } = this.#picture(picture);
    const map = this.#inks(bitmap, options);
    const id = this.#play("show", slot, 127, () => {
      this.#screen = map;
      this.#patch({ shown_slot: slot });
    }, `${name}, slot ${slot}`);
    this.#fill(slot, name, map);
    return id;
  }

  async showSlot(slot: number) {
    this.calls.push("showSlot");
    const map = this.#slotMaps[slot];
    if (!map) throw FAULTS.gone();
    return this.#play("show", slot, 127, () => {
      this.#screen = map;
      this.#patch({ shown_slot: slot });
    }, `slot ${slot}`);
  }

  // ---- words

  async templates() {
    this.calls.push("templates");
    return structuredClone([...TEMPLATES]);
  }

  async compose(composition: Composition) {
    this.calls.push("compose");
    if (this.#scenario.renderMs) await wait(this.#scenario.renderMs);
    const { map, notes } = composed(composition);
    return this.#frame(map, notes);
  }

  async showComposition({ composition, slot }: { composition: Composition; slot: number }) {
    this.calls.push(`showComposition ${composition.kind === "text" ? "text" : composition.template} ${slot}`);
    const { map } = composed(composition);
    const name = composition.kind === "text" ? composition.text.slice(0, 40) : composition.template;
    const id = this.#play("show", slot, 127, () => {
      this.#screen = map;
      this.#patch({ shown_slot: slot });
    }, `${name}, slot ${slot}`);
    this.#fill(slot, name, map);
    return id;
  }

  async countdown({ date, style, text }: CountdownPlan) {
    this.calls.push(`countdown ${date} ${style} ${text}`);
    if ((daysUntil(date, dayFrom(new Date())) ?? -1) < 0) throw FAULTS.past(date);
    if (text !== null) countdownCells(style, text);
    return this.#play("countdown", null, text === null ? 2 : 3, () => undefined, date);
  }

  async countdownOff() {
    this.calls.push("countdownOff");
    return this.#play("countdown-off", null, 2, () => undefined);
  }

  async countdownLine({ style, text }: { style: CountdownStyle; text: string }) {
    this.calls.push("countdownLine");
    const { map, notes } = countdownCells(style, text);
    return this.#frame(map, notes);
  }

  async calendarText(text: string) {
    this.calls.push(`calendarText ${text}`);
    return this.#play("calendar-text", null, 30, () => this.#patch({ shown_slot: null }), text);
  }

  async hostCalendar(text: string | null) {
    this.calls.push(`hostCalendar ${text ?? ""}`);
    const day = new Date().toISOString().slice(0, 10);
    return this.#play("host-calendar", null, 127, () => this.#patch({ shown_slot: null, host_calendar: { day, text } }), day);
  }

  async teach({ name, bytes }: Lesson) {
    this.calls.push(`teach ${name} ${bytes}`);
    const { unsupported } = this.#state.clock;
    const faces = unsupported.faces.filter((face) => lessonName({ face }) !== name);
    const toggles = unsupported.toggles.filter((toggle) => lessonName({ toggle }) !== name);
    this.#patch({ unsupported: { ...unsupported, faces, toggles, reason: faces.length + toggles.length ? "code" : null } });
  }

  async tryLesson({ name, bytes, refresh }: Lesson) {
    this.calls.push(`tryLesson ${name} ${bytes}`);
    // As the app: what resets the clock is not sent.
    if (/^\s*f\s*e/i.test(bytes)) throw FAULTS.denied("FE");
    return this.#play("raw", null, refresh ? 2 : 1, () => undefined, bytes);
  }

  async cancel(operation: number) {
    this.#cancelled.add(operation);
    // States set up by the address have nothing playing behind them.
    const current = this.#state.clock.operation;
    if (current && !current.outcome && ["sending", "listening"].includes(this.#scenario.state)) {
      this.#end(current, this.#outcome("cancelled", { bytes: 0, packets: 0, packets_resent: 0, duration_ms: 0, reconnects: 0 }));
    }
  }

  async dismiss(operation: number) {
    if (this.#state.clock.operation?.id === operation) this.#patch({ operation: null });
  }

  async setTime(zone: string | null) {
    this.calls.push(`setTime ${zone}`);
    return this.#play("set-time", null, 1, () =>
      this.#patch({ time_set: { at: new Date().toISOString(), zone: zone ?? this.#state.zone, follows_host: zone === null } }), zone ?? this.#state.zone);
  }

  async setFace(face: string) {
    this.calls.push(`setFace ${face}`);
    return this.#play("face", null, 1, () => undefined, face);
  }

  async toggle(toggle: string) {
    this.calls.push(`toggle ${toggle}`);
    return this.#play("toggle", null, 1, () => {
      if (toggle === "invert") {
        const { inks, ...size } = this.#screen;
        this.#screen = { ...size, inks: inks.map((ink) => [1, 0, 2][ink]!) };
      }
    }, toggle);
  }

  async quietHours({ on, start_hour, end_hour }: { on: boolean; start_hour: number; end_hour: number }) {
    this.calls.push(`quietHours ${on} ${start_hour} ${end_hour}`);
    return this.#play("quiet-hours", null, 1, () => this.#patch({ quiet_hours: { on, start_hour, end_hour } }), on ? `${start_hour}–${end_hour}` : "off");
  }

  async clear() {
    this.calls.push("clear");
    return this.#play("clear", null, 2, () => {
      this.#screen = { width: 400, height: 300, inks: new Uint8Array(120_000).fill(1) };
      this.#patch({ shown_slot: null });
    });
  }

  // ---- choosing a clock

  async scan() {
    this.calls.push("scan");
    const { link } = this.#state.clock;
    if (link.state === "unavailable") throw link.fault;
    const simulated = this.#state.simulated;
    this.#patch({ scanning: true, nearby: [] });
    void (async () => {
      for (let heard = 1; heard <= NEARBY.length; heard++) {
        await wait(600 / this.#scenario.speed);
        this.#patch({ nearby: NEARBY.slice(0, heard).map((c) => ({ ...c, simulated })) });
      }
      await wait(2000 / this.#scenario.speed);
      this.#patch({ scanning: false });
    })();
  }

  async chooseClock(address: string | null) {
    this.calls.push(`chooseClock ${address}`);
    const found = NEARBY.find((c) => c.address === address);
    this.#patch({
      chosen: found ? FakeHost.#known(found, this.#state.simulated) : null,
      unsupported: UNSUPPORTED[familyOf(found?.name ?? "")],
    });
  }

  async zones() {
    return Intl.supportedValuesOf("timeZone");
  }

  // ---- the rest

  async saveSettings(settings: AppState["settings"]) {
    this.calls.push("saveSettings");
    this.#agents.take(settings.agents);
    this.#room.take(settings.room);
    this.#set({
      settings,
      locale: locale(settings.language),
      simulated: this.#state.demo_forced || settings.devices === "simulated",
    });
  }

  async journal(limit: number) {
    return this.#journal.slice(0, limit);
  }

  // ---- agents

  async agents() {
    return this.#agents.state;
  }

  async onAgents(callback: (agents: AgentsState) => void) {
    return this.#agents.listen(callback);
  }

  async switchServer(on: boolean) {
    this.calls.push(`switchServer ${on}`);
    this.#agents.switch(on);
  }

  async makeToken(name: string) {
    this.calls.push(`makeToken ${name}`);
    return this.#agents.make(name);
  }

  async revealToken(id: string) {
    this.calls.push(`revealToken ${id}`);
    return this.#agents.secret(id);
  }

  async replaceToken(id: string) {
    this.calls.push(`replaceToken ${id}`);
    return this.#agents.replace(id);
  }

  async renameToken(id: string, name: string) {
    this.calls.push(`renameToken ${id} ${name}`);
    this.#agents.rename(id, name);
  }

  async revokeToken(id: string) {
    this.calls.push(`revokeToken ${id}`);
    this.#agents.revoke(id);
  }

  async clientConfigurations() {
    return configurations(this.#state.settings.agents.port);
  }

  async clientConfiguration(client: ClientConfiguration["client"], token: string | null) {
    this.calls.push(`clientConfiguration ${client} ${token}`);
    const found = configurations(this.#state.settings.agents.port).find((one) => one.client === client);
    const text = found?.text ?? "";
    return token === null ? text : text.replace(TOKEN_PLACE, this.#agents.secret(token));
  }

  // ---- the room

  async room() {
    return this.#room.state;
  }

  async onRoom(callback: (room: RoomState) => void) {
    return this.#room.listen(callback);
  }

  async askDevice(device: string, request: DeviceRequest) {
    this.calls.push(`askDevice ${device} ${JSON.stringify(request)}`);
    const began = performance.now();
    const journal = (fault: Fault | null) => this.#tellOfDevice(device, request, fault, Math.round(performance.now() - began));
    try {
      const answer = await this.#room.ask(device, request);
      journal(null);
      return answer;
    } catch (fault) {
      journal(fault as Fault);
      throw fault;
    }
  }

  #tellOfDevice(device: string, request: DeviceRequest, fault: Fault | null, duration_ms: number): void {
    this.#journal.unshift({
      id: this.#nextOperation++,
      at: new Date().toISOString(),
      door: "window",
      caller: null,
      action: { what: "device", tool: TOOL[request.request] },
      target: device,
      detail: "name" in request ? request.name : "puzzle" in request ? request.puzzle : "source" in request ? request.source : "",
      outcome: fault ? "failed" : "done",
      fault,
      duration_ms,
    });
  }

  async saveDevice(form: DeviceForm) {
    this.calls.push(`saveDevice ${JSON.stringify({ ...form, token: form.token === null ? null : "…" })}`);
    await this.#room.save(form);
  }

  async removeDevice(device: string) {
    this.calls.push(`removeDevice ${device}`);
    this.#room.remove(device);
  }

  async setDeviceToken(device: string, token: string | null) {
    this.calls.push(`setDeviceToken ${device} ${token === null ? "null" : "…"}`);
    await this.#room.token(device, token);
  }

  async ignoreFound(key: string) {
    this.calls.push(`ignoreFound ${key}`);
    this.#room.ignore(key);
    this.#set({});
  }

  async stopIgnoring(name: string) {
    this.calls.push(`stopIgnoring ${name}`);
    const { room } = this.#state.settings;
    const ignored = room.ignored.filter((other) => other !== name);
    const settings = { ...this.#state.settings, room: { ...room, ignored } };
    this.#room.take(settings.room);
    this.#set({ settings });
  }

  async lookAtDevice(address: string) {
    this.calls.push(`lookAtDevice ${address}`);
    return this.#room.look(address);
  }

  async tryDeviceNow(device: string) {
    this.calls.push(`tryDeviceNow ${device}`);
    await this.#room.tryNow(device);
  }

  async deviceHistory(device: string, since: number) {
    this.calls.push(`deviceHistory ${device}`);
    return this.#room.history(device, since);
  }

  /** The folders that a person would pick, one after the other. */
  async pickFolder() {
    this.calls.push("pickFolder");
    return FOLDERS[this.#state.settings.agents.picture_folders.length] ?? null;
  }
}

function locale(language: Language): AppState["locale"] {
  if (language !== "system") return language;
  const system = navigator.language.slice(0, 2);
  return system === "fr" || system === "zh" ? system : "en";
}

async function bytesOf(file: File): Promise<Source> {
  const bytes = await file.arrayBuffer().catch(() => new ArrayBuffer(0));
  return { name: file.name, bytes: new Uint8Array(bytes) };
}
