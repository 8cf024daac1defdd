/**
 * Runs `work` for the newest value only: at most one call under way, and while it is, later values
 * replace each other. A slider that moves faster than pictures are made thus never builds a backlog,
 * and the last position always gets its picture.
 */
export class Latest<T> {
  #work: (value: T) => Promise<void>;
  #running = false;
  #waiting: { value: T } | null = null;

  constructor(work: (value: T) => Promise<void>) {
    this.#work = work;
  }

  get busy(): boolean {
    return this.#running;
  }

  submit(value: T): void {
    this.#waiting = { value };
    if (!this.#running) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    try {
      while (this.#waiting) {
        const { value } = this.#waiting;
        this.#waiting = null;
        await this.#work(value).catch(() => undefined);
      }
    } finally {
      this.#running = false;
    }
  }
}

/** Calls `run` once things have been quiet for `ms`. */
export function debounce(run: () => void, ms: number): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call() {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    },
    cancel() {
      clearTimeout(timer);
    },
  };
}
