import { afterEach, describe, expect, it, vi } from "vitest";
import { copyText } from "../../src/lib/clipboard";
import { REVEAL_SECONDS, Revealed } from "../../src/lib/revealed.svelte";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Clipboard = { write?: (items: unknown[]) => Promise<void>; writeText?: (text: string) => Promise<void> };
const refuse = () => Promise.reject(new Error("NotAllowedError"));

function clipboard(parts: Clipboard): void {
  vi.stubGlobal("navigator", { clipboard: parts });
  vi.stubGlobal(
    "ClipboardItem",
    class {
      constructor(readonly parts: Record<string, Promise<Blob>>) {}
    },
  );
}

describe("copying", () => {
  it("hands the promise over within the click, since WebKit allows no copy after it", async () => {
    const write = vi.fn(async (items: unknown[]) => void (await (items[0] as { parts: Record<string, Promise<Blob>> }).parts["text/plain"]));
    clipboard({ write });
    const copied = copyText(new Promise((done) => setTimeout(() => done("secret"))));
    expect(write).toHaveBeenCalledOnce();
    expect(await copied).toBe(true);
  });

  it("writes the text where promises are not taken", async () => {
    const writeText = vi.fn(async () => undefined);
    clipboard({ write: refuse, writeText });
    expect(await copyText(Promise.resolve("secret"))).toBe(true);
    expect(writeText).toHaveBeenCalledWith("secret");
  });

  it("says that it was refused, also where there is no clipboard at all", async () => {
    clipboard({ write: refuse, writeText: refuse });
    expect(await copyText(Promise.resolve("secret"))).toBe(false);
    vi.stubGlobal("navigator", {});
    expect(await copyText(Promise.resolve("secret"))).toBe(false);
  });

  it("tells why there is nothing to copy", async () => {
    clipboard({ write: async (items) => void (await (items[0] as { parts: Record<string, Promise<Blob>> }).parts["text/plain"]) });
    await expect(copyText(Promise.reject(new Error("no such token")))).rejects.toThrow("no such token");
  });
});

describe("a secret that is looked at", () => {
  it("goes by itself after half a minute, counted from the last look", () => {
    vi.useFakeTimers();
    const secret = new Revealed();
    secret.show("one");
    vi.advanceTimersByTime((REVEAL_SECONDS - 1) * 1000);
    secret.show("two");
    vi.advanceTimersByTime((REVEAL_SECONDS - 1) * 1000);
    expect(secret.text).toBe("two");
    vi.advanceTimersByTime(1000);
    expect(secret.text).toBeNull();
    secret.show("three");
    secret.hide();
    expect(secret.text).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });
});
