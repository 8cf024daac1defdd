// The picture being worked on: where it came from, its options, and what the app makes of it.
import { getContext, setContext } from "svelte";
import type { Adjust } from "../bindings/Adjust";
import type { Algorithm } from "../bindings/Algorithm";
import type { PictureInfo } from "../bindings/PictureInfo";
import type { PictureOptions } from "../bindings/PictureOptions";
import type { PictureRequest, Source } from "./api";
import { type InkMap, inkMap, originalPixels, type Rendered, thumbnailMaps } from "./frame";
import { t } from "./i18n.svelte";
import { debounce, Latest } from "./latest";
import { neutral } from "./options";
import type { Store } from "./store.svelte";

/** Thumbnails are eleven renders: they wait until a slider rests. */
const THUMBNAIL_REST_MS = 150;
/** Settings hold the last choice; no need to write every step of a slider. */
const SAVE_REST_MS = 500;

type Original = { key: string; width: number; height: number; rgba: Uint8Array };

export class Studio {
  #store: Store;
  picture = $state.raw<PictureInfo | null>(null);
  options: PictureOptions;
  frame = $state.raw<Rendered | null>(null);
  thumbnails = $state.raw<Map<Algorithm, InkMap>>(new Map());
  original = $state.raw<Original | null>(null);
  /** The original is asked for by a hold, which ends with it, or by a click, which lasts until the next. */
  #held = $state(false);
  #kept = $state(false);
  opening = $state(false);
  /** The slot that "Show on clock" fills. */
  slot = $state(0);

  #render: Latest<PictureRequest>;
  #thumbnails: Latest<PictureRequest>;
  #originals: Latest<PictureRequest>;
  #thumbnailsSoon: ReturnType<typeof debounce>;
  #saveSoon: ReturnType<typeof debounce>;

  constructor(store: Store, options: PictureOptions, slot: number) {
    this.#store = store;
    this.options = $state.raw(options);
    this.slot = slot;
    this.#render = new Latest(async (request) => {
      const answer = await store.attempt("preview", async () => inkMap(await store.api.render(request)));
      if (answer && request.picture === this.picture?.id) this.frame = answer;
    });
    this.#thumbnails = new Latest(async (request) => {
      const answer = await store.attempt("preview", async () => thumbnailMaps(await store.api.thumbnails(request)));
      if (answer && request.picture === this.picture?.id) this.thumbnails = answer;
    });
    this.#originals = new Latest(async (request) => {
      const key = originalKey(request);
      if (this.original?.key === key) return;
      const answer = await store.attempt("preview", async () => originalPixels(await store.api.original(request)));
      if (answer) this.original = { key, ...answer };
    });
    this.#thumbnailsSoon = debounce(() => this.#now(this.#thumbnails), THUMBNAIL_REST_MS);
    this.#saveSoon = debounce(() => void store.save({ picture: this.options }), SAVE_REST_MS);
  }

  get request(): PictureRequest | null {
    return this.picture ? { picture: this.picture.id, options: this.options } : null;
  }

  #now(queue: Latest<PictureRequest>): void {
    if (this.request) queue.submit(this.request);
  }

  /** Opens a picture; a refusal leaves the present one as it is. */
  async open(source: Source, files = 1): Promise<void> {
    this.opening = true;
    const picture = await this.#store.attempt("open", () => this.#store.api.open(source));
    this.opening = false;
    if (!picture) return;
    this.#store.settle();
    this.picture = picture;
    this.#held = this.#kept = false;
    this.original = null;
    this.#now(this.#render);
    this.#now(this.#thumbnails);
    if (files > 1) {
      const several = t("drop.several.other", { n: files });
      this.#store.tell("open", several, t("drop.several.hint"));
    }
  }

  set(patch: Partial<PictureOptions>): void {
    this.options = { ...this.options, ...patch };
    this.#store.settle();
    this.#now(this.#render);
    if (patch.adjust || patch.palette) this.#thumbnailsSoon.call();
    if (this.comparing) this.#now(this.#originals);
    this.#saveSoon.call();
  }

  adjust(patch: Partial<Adjust>): void {
    this.set({ adjust: { ...this.options.adjust, ...patch } });
  }

  resetAdjust(): void {
    this.set({ adjust: neutral(this.options.adjust) });
  }

  get comparing(): boolean {
    return (this.#held || this.#kept) && this.picture !== null;
  }

  get held(): boolean {
    return this.#held;
  }

  hold(): void {
    this.#held = this.picture !== null;
    if (this.#held) this.#now(this.#originals);
  }

  /** The end of a hold, after which the original is kept or not; without a word on that, as it was. */
  release(keep = this.#kept): void {
    this.#held = false;
    this.keepOriginal(keep);
  }

  keepOriginal(on: boolean): void {
    this.#kept = on && this.picture !== null;
    if (this.#kept) this.#now(this.#originals);
  }

  /** The undithered picture for the present options, once it has come. */
  get shownOriginal(): Original | null {
    const { request, original } = this;
    return this.comparing && request && original?.key === originalKey(request) ? original : null;
  }

  show(): void {
    const { request, slot } = this;
    if (request) void this.#store.operate(() => this.#store.api.show({ ...request, slot }));
  }
}

function originalKey({ picture, options }: PictureRequest): string {
  return `${picture} ${JSON.stringify(options.adjust)}`;
}

const KEY = Symbol("studio");

export function provideStudio(studio: Studio): Studio {
  return setContext(KEY, studio);
}

export function useStudio(): Studio {
  return getContext<Studio>(KEY);
}
