// A page of words as the app draws it.
import type { Composition } from "../bindings/Composition";
import type { Fault } from "../bindings/Fault";
import { asFault } from "./api";
import { inkMap, type Rendered } from "./frame";
import { Latest } from "./latest";
import type { Store } from "./store.svelte";

export class Composer {
  /** The last page that could be drawn. */
  frame = $state.raw<Rendered | null>(null);
  /** Why the newest could not be. */
  fault = $state.raw<Fault | null>(null);
  #latest: Latest<Composition>;

  constructor(store: Store) {
    this.#latest = new Latest(async (composition) => {
      try {
        this.frame = inkMap(await store.api.compose(composition));
        this.fault = null;
      } catch (error) {
        this.fault = asFault(error);
      }
    });
  }

  draw(composition: Composition): void {
    this.#latest.submit(composition);
  }
}
