import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { debounce, Latest } from "../../src/lib/latest";

/** Work that ends when told to. */
function gate() {
  const started: number[] = [];
  const release: (() => void)[] = [];
  const work = (value: number) =>
    new Promise<void>((done) => {
      started.push(value);
      release.push(done);
    });
  return { started, work, next: async () => { release.shift()?.(); await Promise.resolve(); await Promise.resolve(); await Promise.resolve(); } };
}

describe("Latest", () => {
  it("has at most one call under way and skips values that were overtaken", async () => {
    const { started, work, next } = gate();
    const queue = new Latest(work);
    for (let v = 1; v <= 5; v++) queue.submit(v);
    expect(started).toEqual([1]);
    await next();
    expect(started).toEqual([1, 5]);
    queue.submit(6);
    queue.submit(7);
    await next();
    expect(started).toEqual([1, 5, 7]);
    await next();
    expect(queue.busy).toBe(false);
  });

  it("starts again after it has come to rest", async () => {
    const { started, work, next } = gate();
    const queue = new Latest(work);
    queue.submit(1);
    await next();
    queue.submit(2);
    expect(started).toEqual([1, 2]);
  });

  it("goes on with the newest value when a call fails", async () => {
    const seen: number[] = [];
    const queue = new Latest<number>(async (value) => {
      seen.push(value);
      if (value === 1) throw new Error("refused");
    });
    queue.submit(1);
    queue.submit(2);
    await vi.waitFor(() => expect(seen).toEqual([1, 2]));
    await vi.waitFor(() => expect(queue.busy).toBe(false));
  });
});

describe("debounce", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs once, when things have been quiet", () => {
    const run = vi.fn();
    const soon = debounce(run, 150);
    soon.call();
    vi.advanceTimersByTime(100);
    soon.call();
    vi.advanceTimersByTime(149);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  });

  it("can be called off", () => {
    const run = vi.fn();
    const soon = debounce(run, 150);
    soon.call();
    soon.cancel();
    vi.advanceTimersByTime(1000);
    expect(run).not.toHaveBeenCalled();
  });
});
