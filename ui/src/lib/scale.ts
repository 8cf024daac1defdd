/**
 * How many device pixels a panel pixel gets, as a whole number: any other scale makes moire out of a
 * dithered picture. Two CSS pixels where they fit, else the most that does, and never none.
 */
export function panelScale(
  available: { width: number; height: number },
  panel: { width: number; height: number },
  devicePixelRatio: number,
): number {
  const fits = Math.floor(
    Math.min(
      (available.width * devicePixelRatio) / panel.width,
      (available.height * devicePixelRatio) / panel.height,
    ) + 1e-6,
  );
  return Math.max(1, Math.min(fits, Math.max(2, Math.floor(2 * devicePixelRatio))));
}
