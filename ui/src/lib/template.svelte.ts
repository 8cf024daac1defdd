// Templates: what each form holds while the window lives, and the page it makes.
import type { Composition } from "../bindings/Composition";
import type { Palette } from "../bindings/Palette";
import type { TemplateInfo } from "../bindings/TemplateInfo";
import { Composer } from "./composer.svelte";
import { type Field, formOf } from "./form";
import { type InkMap, inkMap } from "./frame";
import { type Draft, draftOf, type Filled, payloadOf, sameForm } from "./payload";
import type { Store } from "./store.svelte";

/** A template with its form. */
export class TemplatePage {
  readonly info: TemplateInfo;
  readonly fields: readonly Field[];
  readonly composer: Composer;
  readonly #example: Draft;
  draft: Draft;
  readonly filled: Filled;

  constructor(store: Store, info: TemplateInfo) {
    this.info = info;
    this.fields = formOf(info.schema);
    this.composer = new Composer(store);
    this.#example = draftOf(this.fields, info.example);
    this.draft = $state.raw(this.#example);
    this.filled = $derived(payloadOf(this.fields, this.draft));
  }

  get isExample(): boolean {
    return sameForm(this.fields, this.draft, this.#example);
  }

  get isEmpty(): boolean {
    return Object.keys(this.filled.payload).length === 0;
  }

  composition(palette: Palette): Composition {
    return { kind: "template", template: this.info.name, payload: this.filled.payload, palette };
  }
}

export class Templates {
  #store: Store;
  pages = $state.raw<readonly TemplatePage[]>([]);
  /** The page being filled in. */
  page = $state.raw<TemplatePage | null>(null);
  palette: Palette;
  /** Each template's example, by its name. */
  thumbnails = $state.raw<ReadonlyMap<string, InkMap>>(new Map());
  #asked = false;

  constructor(store: Store, palette: Palette) {
    this.#store = store;
    this.palette = $state.raw(palette);
  }

  /** Reads the templates when they are first looked at; a failure is told, and the next look asks again. */
  async open(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    const infos = await this.#store.attempt("templates", () => this.#store.api.templates());
    if (!infos) {
      this.#asked = false;
      return;
    }
    this.pages = infos.map((info) => new TemplatePage(this.#store, info));
    if (this.pages[0]) this.choose(this.pages[0]);
    await this.#drawThumbnails();
  }

  choose(page: TemplatePage): void {
    this.page = page;
    this.#draw();
  }

  type(draft: Draft): void {
    if (!this.page) return;
    this.page.draft = draft;
    this.#store.settle();
    this.#draw();
  }

  fillIn(what: "example" | "nothing"): void {
    if (this.page) this.type(draftOf(this.page.fields, what === "example" ? this.page.info.example : {}));
  }

  ink(palette: Palette): void {
    this.palette = palette;
    this.#store.settle();
    this.#draw();
    void this.#drawThumbnails();
  }

  #draw(): void {
    if (this.page && this.page.filled.problems.length === 0) this.page.composer.draw(this.page.composition(this.palette));
  }

  /** One after the other: the page being written comes between them. */
  async #drawThumbnails(): Promise<void> {
    const { palette } = this;
    for (const { info } of this.pages) {
      const composition: Composition = { kind: "template", template: info.name, payload: info.example, palette };
      const map = await this.#store.attempt("templates", async () => inkMap(await this.#store.api.compose(composition)));
      if (palette !== this.palette) return;
      if (map) this.thumbnails = new Map(this.thumbnails).set(info.name, map);
    }
  }

  show(slot: number): void {
    const composition = this.page?.composition(this.palette);
    if (composition) void this.#store.operate(() => this.#store.api.showComposition({ composition, slot }));
  }
}
