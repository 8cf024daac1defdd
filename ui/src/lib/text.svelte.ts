// Words of one's own: on the whole panel, or in the calendar's line.
import type { Composition } from "../bindings/Composition";
import type { Ink } from "../bindings/Ink";
import type { TextPage } from "../bindings/TextPage";
import { Composer } from "./composer.svelte";
import type { Store } from "./store.svelte";

export type Place = "panel" | "calendar";

export const INKS: readonly Ink[] = ["black", "white", "red"];
/** Pixels from line to line; a text that chooses its own size begins in the middle. */
export const SIZE = { min: 12, max: 200, first: 48 };

export class Writing {
  #store: Store;
  readonly composer: Composer;
  #place = $state<Place>("panel");
  page = $state.raw<TextPage>({ text: "", ink: "black", paper: "white", align: "centre", bold: false, size: null });

  constructor(store: Store) {
    this.#store = store;
    this.composer = new Composer(store);
  }

  get place(): Place {
    return this.#place;
  }

  put(place: Place): void {
    this.#place = place;
    this.#store.settle();
  }

  get blank(): boolean {
    return this.page.text.trim() === "";
  }

  set(patch: Partial<TextPage>): void {
    this.page = apart(this.page, patch);
    this.#store.settle();
    if (this.blank) this.composer.fault = null;
    else this.composer.draw(this.#composition);
  }

  get #composition(): Composition {
    return { kind: "text", ...this.page };
  }

  show(slot: number): void {
    const composition = this.#composition;
    void this.#store.operate(() => this.#store.api.showComposition({ composition, slot }));
  }

  showInCalendar(): void {
    const text = oneLine(this.page.text);
    void this.#store.operate(() => this.#store.api.calendarText(text));
  }
}

/** A calendar's line has no second one. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** Words on their own colour cannot be seen: choosing one ink for both swaps them. */
export function apart(page: TextPage, patch: Partial<TextPage>): TextPage {
  const next = { ...page, ...patch };
  if (next.ink !== next.paper) return next;
  return patch.ink ? { ...next, paper: page.ink } : { ...next, ink: page.paper };
}
