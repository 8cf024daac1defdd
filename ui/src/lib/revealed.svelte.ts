// A secret that is looked at: it goes by itself.

/** Long enough to type it elsewhere, short enough that a screen left alone does not keep it. */
export const REVEAL_SECONDS = 30;

export class Revealed {
  #text = $state.raw<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The secret while it is looked at. */
  get text(): string | null {
    return this.#text;
  }

  show(text: string): void {
    this.hide();
    this.#text = text;
    this.#timer = setTimeout(() => this.hide(), REVEAL_SECONDS * 1000);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#text = null;
  }
}
