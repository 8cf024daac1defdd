// What the window knows of the app: its last state, the notices, and the view chosen.
import { getContext, setContext } from "svelte";
import type { AgentsState } from "../bindings/AgentsState";
import type { AppState } from "../bindings/AppState";
import type { Fault } from "../bindings/Fault";
import type { RoomState } from "../bindings/RoomState";
import type { Settings } from "../bindings/Settings";
import { type Api, asFault } from "./api";
import { Deeds } from "./deeds.svelte";
import { t, tr, useLocale } from "./i18n.svelte";
import type { InkMap } from "./frame";
import { inkMap } from "./frame";
import type { ViewName } from "./views";

/** `about` groups notices: a later one on the same matter takes the earlier one's place. */
export type Notice = { id: number; about: string; tone: "error" | "info"; code: string; message: string; hint: string };

type Start = () => Promise<number>;

export class Store {
  readonly api: Api;
  state = $state.raw<AppState | null>(null);
  /** The agents' side of the app; null until it is told. */
  agents = $state.raw<AgentsState | null>(null);
  /** The room and its devices; null until it is told. */
  room = $state.raw<RoomState | null>(null);
  /** What was asked of devices, and what became of it. */
  readonly deeds: Deeds;
  bootFault = $state.raw<Fault | null>(null);
  #view = $state<ViewName>("clock");
  notices = $state.raw<Notice[]>([]);
  /** The codes of the faults for which the system's settings can be opened. */
  settingsPages = $state.raw<string[]>([]);
  /** What each slot holds, by slot number; null while empty or not read yet. */
  slotMaps = $state.raw<(InkMap | null)[]>([null, null, null, null]);
  /** The operation whose cancellation was asked for. */
  cancelling = $state<number | null>(null);

  /** The simulated clock's screen is being looked at. */
  peeking = $state(false);

  #draft = $state.raw<Partial<Settings>>({});
  #saving: Promise<void> = Promise.resolve();
  #slotStamps: string[] = ["", "", "", ""];
  #noticeId = 0;
  /** The warnings of the start that were shown; each is shown once. */
  readonly #warned = new Set<string>();
  /** State, since an ending may be told before the answer to its start. */
  #retry = $state.raw<{ operation: number; start: Start } | null>(null);

  constructor(api: Api) {
    this.api = api;
    this.deeds = new Deeds(api);
  }

  get view(): ViewName {
    return this.#view;
  }

  /** Notices speak of what is seen: they go with the view. */
  set view(view: ViewName) {
    if (view === this.#view) return;
    this.#view = view;
    this.notices = [];
  }

  async start(): Promise<void> {
    try {
      let told = false;
      await this.api.onState((state) => {
        told = true;
        this.#take(state);
      });
      const state = await this.api.state();
      // A change told meanwhile is newer than this answer.
      if (!told) this.#take(state);
    } catch (error) {
      this.bootFault = asFault(error);
      return;
    }
    await this.#watch("agents", (take) => this.api.onAgents(take), () => this.api.agents(), (agents) => (this.agents = agents));
    await this.#watch("room", (take) => this.api.onRoom(take), () => this.api.room(), (room) => (this.room = room));
    // Where that cannot be told there is no button, which is no news for a person.
    const silent = () => undefined;
    this.settingsPages = (await this.attempt("system-settings", () => this.api.systemSettings(), silent)) ?? [];
  }

  /** The clock is no worse for a part that cannot be watched: that is a notice, not the end of the start. */
  async #watch<T>(about: string, listen: (take: (told: T) => void) => Promise<unknown>, read: () => Promise<T>, take: (told: T) => void): Promise<void> {
    await this.attempt(about, async () => {
      let told = false;
      await listen((state) => {
        told = true;
        take(state);
      });
      const state = await read();
      if (!told) take(state);
    });
  }

  #take(state: AppState): void {
    this.state = state;
    useLocale(state.locale);
    if (state.clock.operation?.outcome?.outcome === "done") this.dismissAbout("operation");
    this.#keepNotices((notice) => !this.#told(notice.code));
    for (const warning of state.warnings) {
      if (this.#warned.has(warning.code)) continue;
      this.#warned.add(warning.code);
      this.complain(`start ${warning.code}`, warning);
    }
    state.slots.forEach((slot, i) => {
      const stamp = slot?.changed ?? "";
      if (stamp === this.#slotStamps[i]) return;
      this.#slotStamps[i] = stamp;
      if (slot) void this.#readSlot(i, stamp);
      else this.#setSlotMap(i, null);
    });
  }

  async #readSlot(slot: number, stamp: string): Promise<void> {
    try {
      const map = inkMap(await this.api.slotPicture(slot));
      if (this.#slotStamps[slot] === stamp) this.#setSlotMap(slot, map);
      this.dismissAbout("slot");
    } catch (error) {
      this.complain("slot", error);
    }
  }

  #setSlotMap(slot: number, map: InkMap | null): void {
    this.slotMaps = this.slotMaps.map((old, i) => (i === slot ? map : old));
  }

  /** The settings with what is being saved right now laid over them. */
  get settings(): Settings | null {
    return this.state ? { ...this.state.settings, ...this.#draft } : null;
  }

  /** Saves some settings; calls follow one another, so that none undoes what another wrote. */
  save(patch: Partial<Settings>): Promise<void> {
    this.#draft = { ...this.#draft, ...patch };
    this.#saving = this.#saving.then(async () => {
      const settings = this.settings;
      if (!settings) return;
      try {
        await this.api.saveSettings(settings);
        this.dismissAbout("settings");
        // The state that follows says the same; until it comes, what was saved holds.
        if (this.state) this.state = { ...this.state, settings: { ...this.state.settings, ...patch } };
      } catch (error) {
        this.complain("settings", error);
      }
      this.#draft = Object.fromEntries(
        Object.entries(this.#draft).filter(([key, value]) => !(key in patch && patch[key as keyof Settings] === value)),
      );
    });
    return this.#saving;
  }

  /**
   * Does something to a device, has it asked, and waits until it says something else or again, so that what is shown
   * then is about this. One that goes on being silent says nothing: the wait has an end.
   */
  async tryDevice(device: string, first: () => Promise<unknown> = async () => undefined): Promise<void> {
    const said = () => {
      const state = this.room?.devices.find(({ id }) => id === device);
      return state && JSON.stringify([state.answered_at, state.condition, state.token]);
    };
    const before = said();
    await first();
    await this.api.tryDeviceNow(device);
    const end = Date.now() + TRIED_MS;
    while (said() === before && Date.now() < end) await new Promise((done) => setTimeout(done, LOOK_MS));
  }

  get running(): boolean {
    const operation = this.state?.clock.operation;
    return !!operation && operation.outcome === null;
  }

  /** Starts something on the clock and remembers how to start it again. */
  async operate(start: Start): Promise<void> {
    this.dismissAbout("operation");
    try {
      const operation = await start();
      this.#retry = { operation, start };
    } catch (error) {
      this.complain("operation", error);
    }
  }

  /** How to do the operation again, where this window started it. */
  retry(operation: number): (() => void) | null {
    const retry = this.#retry;
    return retry?.operation === operation ? () => void this.operate(retry.start) : null;
  }

  /** Puts away an ending that needs no more attention: it speaks of what was, not of what is on the panel now. */
  settle(): void {
    const operation = this.state?.clock.operation;
    const ended = operation?.outcome?.outcome;
    if (operation && (ended === "done" || ended === "cancelled")) {
      void this.attempt("operation", () => this.api.dismiss(operation.id));
    }
  }

  async cancel(operation: number): Promise<void> {
    this.cancelling = operation;
    try {
      await this.api.cancel(operation);
    } catch (error) {
      this.cancelling = null;
      this.complain("operation", error);
    }
  }

  /** Does something that may be refused; the refusal becomes a notice, or goes to who shows it in its own place. */
  async attempt<T>(about: string, work: () => Promise<T>, refused?: (fault: Fault) => void): Promise<T | undefined> {
    try {
      const result = await work();
      this.dismissAbout(about);
      return result;
    } catch (error) {
      if (refused) refused(asFault(error));
      else this.complain(about, error);
      return undefined;
    }
  }

  complain(about: string, error: unknown): void {
    const fault = asFault(error);
    if (this.#told(fault.code)) return;
    this.#notify({ about, tone: "error", code: fault.code, message: tr().faultMessage(fault), hint: tr().faultHint(fault) });
  }

  tell(about: string, message: string, hint: string): void {
    this.#notify({ about, tone: "info", code: "", message, hint });
  }

  /** The ending that is shown in the clock's view says the same. */
  #told(code: string): boolean {
    const outcome = this.state?.clock.operation?.outcome;
    return this.#view === "clock" && !!outcome && "fault" in outcome && outcome.fault.code === code;
  }

  /** The fault that keeps the clock out of reach, where nothing else on screen says it. */
  get untoldFault(): Fault | null {
    const link = this.state?.clock.link;
    return link?.state === "unavailable" && !this.#told(link.fault.code) ? link.fault : null;
  }

  #notify(notice: Omit<Notice, "id">): void {
    const id = ++this.#noticeId;
    this.notices = [...this.notices.filter((n) => n.about !== notice.about), { id, ...notice }].slice(-3);
  }

  dismissNotice(id: number): void {
    this.#keepNotices((n) => n.id !== id);
  }

  dismissAbout(about: string): void {
    this.#keepNotices((n) => n.about !== about);
  }

  #keepNotices(which: (notice: Notice) => boolean): void {
    if (!this.notices.every(which)) this.notices = this.notices.filter(which);
  }

  clockName(): string {
    return this.state?.clock.chosen?.name ?? t("panel.no_clock");
  }
}

/** Longer than any device is waited for. */
const TRIED_MS = 6_000;
/** How often it is looked whether a device has said something; a person sees no difference below. */
const LOOK_MS = 50;

const KEY = Symbol("store");

export function provideStore(store: Store): Store {
  return setContext(KEY, store);
}

export function useStore(): Store {
  return getContext<Store>(KEY);
}
