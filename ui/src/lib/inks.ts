// Ink bytes to pixels.
import type { InkMap } from "./frame";

export type Inks = "ideal" | "real";
type Rgb = readonly [number, number, number];

/** Per ink byte: black, white, red. Real inks are those of a typical black/white/red panel in daylight. */
export const INK_COLOURS: Record<Inks, readonly [Rgb, Rgb, Rgb]> = {
  ideal: [
    [0, 0, 0],
    [255, 255, 255],
    [255, 0, 0],
  ],
  real: [
    [44, 42, 39],
    [222, 219, 208],
    [168, 44, 36],
  ],
};

/** RGBA bytes of the whole map, one pixel for one pixel. */
export function paint(map: InkMap, inks: Inks): Uint8ClampedArray<ArrayBuffer> {
  const colours = INK_COLOURS[inks];
  const rgba = new Uint8ClampedArray(map.width * map.height * 4);
  for (let i = 0, o = 0; i < map.inks.length; i++, o += 4) {
    const colour = colours[map.inks[i]!] ?? colours[1];
    rgba[o] = colour[0];
    rgba[o + 1] = colour[1];
    rgba[o + 2] = colour[2];
    rgba[o + 3] = 255;
  }
  return rgba;
}

const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const c = v / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

function encoded(linear: number): number {
  return 255 * (linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055);
}

/**
 * The map made smaller by averaging in linear light, so that a small picture keeps the tones that the
 * eye sees on the panel; plain scaling of dots gives moire. Fits inside `width` x `height`.
 */
export function shrink(
  map: InkMap,
  width: number,
  height: number,
  inks: Inks,
): { width: number; height: number; rgba: Uint8ClampedArray<ArrayBuffer> } {
  const ratio = Math.min(width / map.width, height / map.height, 1);
  const w = Math.max(1, Math.round(map.width * ratio));
  const h = Math.max(1, Math.round(map.height * ratio));
  const colours = INK_COLOURS[inks].map((c) => c.map((v) => LINEAR[v]!));
  const rgba = new Uint8ClampedArray(w * h * 4);
  for (let y = 0; y < h; y++) {
    const y0 = Math.floor((y * map.height) / h);
    const y1 = Math.max(y0 + 1, Math.floor(((y + 1) * map.height) / h));
    for (let x = 0; x < w; x++) {
      const x0 = Math.floor((x * map.width) / w);
      const x1 = Math.max(x0 + 1, Math.floor(((x + 1) * map.width) / w));
      let r = 0;
      let g = 0;
      let b = 0;
      for (let sy = y0; sy < y1; sy++) {
        for (let sx = x0; sx < x1; sx++) {
          const c = colours[map.inks[sy * map.width + sx]!] ?? colours[1]!;
          r += c[0]!;
          g += c[1]!;
          b += c[2]!;
        }
      }
      const n = (y1 - y0) * (x1 - x0);
      const o = (y * w + x) * 4;
      rgba[o] = encoded(r / n);
      rgba[o + 1] = encoded(g / n);
      rgba[o + 2] = encoded(b / n);
      rgba[o + 3] = 255;
    }
  }
  return { width: w, height: h, rgba };
}

/** The middle of the map, at most `width` x `height`, dot for dot. */
export function crop(map: InkMap, width: number, height: number): InkMap {
  const w = Math.min(width, map.width);
  const h = Math.min(height, map.height);
  const x0 = (map.width - w) >> 1;
  const y0 = (map.height - h) >> 1;
  const inks = new Uint8Array(w * h);
  for (let y = 0; y < h; y++) {
    const from = (y0 + y) * map.width + x0;
    inks.set(map.inks.subarray(from, from + w), y * w);
  }
  return { width: w, height: h, inks };
}

/** How much of the panel each ink covers, in whole percent. */
export function coverage(map: InkMap): { black: number; white: number; red: number } {
  const counts = [0, 0, 0];
  for (const ink of map.inks) counts[ink] = (counts[ink] ?? 0) + 1;
  const percent = (n: number) => Math.round((100 * n) / Math.max(1, map.inks.length));
  return { black: percent(counts[0]!), white: percent(counts[1]!), red: percent(counts[2]!) };
}
