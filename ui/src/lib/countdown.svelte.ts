// The countdown that is being set up. The clock draws it; here only the words before the days can be seen.
import type { CountdownPlan } from "../bindings/CountdownPlan";
import type { CountdownStyle } from "../bindings/CountdownStyle";
import type { Fault } from "../bindings/Fault";
import { asFault } from "./api";
import { characters, dayFrom, daysUntil, MOST_CHARACTERS } from "./countdown";
import { inkMap, type Rendered } from "./frame";
import { Latest } from "./latest";
import type { Store } from "./store.svelte";

export class Countdown {
  #store: Store;
  /** The day of this computer; a window may stay open for weeks. */
  today = $state("");
  #tomorrow = $state("");
  #chosen = $state<string | null>(null);
  #style = $state<CountdownStyle>("clock");
  #text = $state("");
  /** The words as the clock gets them; null while there are none. */
  line = $state.raw<Rendered | null>(null);
  fault = $state.raw<Fault | null>(null);
  #lines: Latest<{ style: CountdownStyle; text: string }>;

  constructor(store: Store, now = new Date()) {
    this.#store = store;
    this.tick(now);
    this.#lines = new Latest(async (request) => {
      try {
        const line = inkMap(await store.api.countdownLine(request));
        if (this.#text === "") return;
        this.line = line;
        this.fault = null;
      } catch (error) {
        if (this.#text !== "") this.fault = asFault(error);
      }
    });
  }

  tick(now: Date): void {
    this.today = dayFrom(now);
    this.#tomorrow = dayFrom(now, 1);
  }

  /** Tomorrow until another day is chosen; empty where none is. */
  get date(): string {
    return this.#chosen ?? this.#tomorrow;
  }

  set date(date: string) {
    this.#chosen = date;
    this.#store.settle();
  }

  get style(): CountdownStyle {
    return this.#style;
  }

  set style(style: CountdownStyle) {
    this.#style = style;
    this.#changed();
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#changed();
  }

  get used(): number {
    return characters(this.#text).length;
  }

  get room(): number {
    return MOST_CHARACTERS[this.#style];
  }

  /** Days from today, negative when the day is past; null where no day is given. */
  get days(): number | null {
    return daysUntil(this.date, this.today);
  }

  #changed(): void {
    this.#store.settle();
    if (this.#text !== "" && this.used <= this.room) {
      this.#lines.submit({ style: this.#style, text: this.#text });
      return;
    }
    this.line = null;
    this.fault = null;
  }

  begin(): void {
    const plan: CountdownPlan = { date: this.date, style: this.#style, text: this.#text || null };
    void this.#store.operate(() => this.#store.api.countdown(plan));
  }

  end(): void {
    void this.#store.operate(() => this.#store.api.countdownOff());
  }
}
