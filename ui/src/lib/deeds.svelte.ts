// What was asked of devices from this window, and what became of it. It outlives a look at another view.
import type { DeviceAnswer } from "../bindings/DeviceAnswer";
import type { DeviceRequest } from "../bindings/DeviceRequest";
import type { Fault } from "../bindings/Fault";
import { type Api, asFault } from "./api";

export type Deed = {
  id: number;
  device: string;
  request: DeviceRequest;
  began: number;
  /** Null while it is under way. */
  end: { at: number; answer: DeviceAnswer } | { at: number; fault: Fault } | null;
  /** It was seen long enough, and is one line now. */
  folded: boolean;
};

/** Long enough to be read by somebody who looked at the room meanwhile. */
export const SHOWN_MS = 10_000;

export class Deeds {
  readonly #api: Api;
  #all = $state.raw<readonly Deed[]>([]);
  #next = 1;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Those of a device, the newest first. */
  of(device: string): Deed[] {
    return this.#all.filter((deed) => deed.device === device);
  }

  running(device: string, request: DeviceRequest["request"]): boolean {
    return this.#all.some((deed) => deed.device === device && deed.request.request === request && deed.end === null);
  }

  /** Asks, and answers with what came of it; null where it failed, which its line then tells. */
  async ask(device: string, request: DeviceRequest): Promise<DeviceAnswer | null> {
    const id = this.#next++;
    const others = this.#all.filter((deed) => deed.device !== device || deed.end === null);
    this.#all = [{ id, device, request, began: Date.now(), end: null, folded: false }, ...others];
    try {
      const answer = await this.#api.askDevice(device, request);
      this.#change(id, { end: { at: Date.now(), answer } });
      return answer;
    } catch (error) {
      this.#change(id, { end: { at: Date.now(), fault: asFault(error) } });
      return null;
    } finally {
      setTimeout(() => this.#settle(id), SHOWN_MS);
    }
  }

  /** Folds one, and puts away what ended on the same device before it. */
  #settle(id: number): void {
    const settled = this.#all.find((deed) => deed.id === id);
    if (!settled) return;
    this.#all = this.#all.filter((deed) => deed.device !== settled.device || deed.end === null || deed.id >= id);
    this.#change(id, { folded: true });
  }

  unfold(id: number): void {
    this.#change(id, { folded: false });
  }

  dismiss(id: number): void {
    this.#all = this.#all.filter((deed) => deed.id !== id);
  }

  #change(id: number, patch: Partial<Deed>): void {
    this.#all = this.#all.map((deed) => (deed.id === id ? { ...deed, ...patch } : deed));
  }
}
