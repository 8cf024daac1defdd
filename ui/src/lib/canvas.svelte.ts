// Canvases of the clock's view.
import { useStore } from "./store.svelte";

/**
 * Draws whenever what `draw` reads changes, and once more in the first frame after the view comes back: an engine may
 * have let go of what a canvas showed while nobody saw it.
 */
export function keepDrawn(draw: () => void): void {
  const store = useStore();
  $effect(draw);
  $effect(() => {
    if (store.view !== "clock") return;
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  });
}
