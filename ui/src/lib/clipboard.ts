// Text to the clipboard.

/**
 * Copies a text that may yet have to be fetched; false where the system refuses.
 *
 * WebKit allows a copy only within the click that asked for it, which is over once something was awaited: it takes
 * the promise instead of the text. Rejects where the text cannot be had.
 */
export async function copyText(text: Promise<string>): Promise<boolean> {
  const copied = write(text);
  // Whether there is a text at all is told first: its fault is the one to be said.
  const had = await text;
  if (await copied) return true;
  try {
    await navigator.clipboard.writeText(had);
    return true;
  } catch {
    return false;
  }
}

async function write(text: Promise<string>): Promise<boolean> {
  try {
    const blob = text.then((had) => new Blob([had], { type: "text/plain" }));
    // Who takes no promise leaves it alone.
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return true;
  } catch {
    return false;
  }
}

/** Selects what an element says, so that a person can copy it themselves. */
export function selectText(element: Element): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
