// A plain way from a picture to ink bytes, for the fake host only: enough to see every option act.
// The app's own is in Rust and works in linear light.
import type { Adjust } from "../bindings/Adjust";
import type { Algorithm } from "../bindings/Algorithm";
import type { PictureOptions } from "../bindings/PictureOptions";
import { INK_COLOURS } from "../lib/inks";
import { PANEL } from "../lib/options";

const BACKGROUND = { white: "#fff", black: "#000", red: "#f00" } as const;

export function fitted(bitmap: ImageBitmap, adjust: Adjust, panel = PANEL[adjust.size]): ImageData {
  const { width, height } = panel;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  context.fillStyle = BACKGROUND[adjust.background];
  context.fillRect(0, 0, width, height);
  const turned = adjust.rotate % 180 !== 0;
  const w = turned ? bitmap.height : bitmap.width;
  const h = turned ? bitmap.width : bitmap.height;
  let sx = width / w;
  let sy = height / h;
  if (adjust.fit !== "stretch") sx = sy = adjust.fit === "cover" ? Math.max(sx, sy) : Math.min(sx, sy);
  context.imageSmoothingQuality = "high";
  context.translate(width / 2, height / 2);
  context.scale(sx, sy);
  context.rotate((adjust.rotate * Math.PI) / 180);
  context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2);
  return context.getImageData(0, 0, width, height);
}

function tuned(image: ImageData, adjust: Adjust): Float32Array {
  const { width, height, data } = image;
  const out = new Float32Array(width * height * 3);
  const contrast = (100 + adjust.contrast) / 100;
  const saturation = (100 + adjust.saturation) / 100;
  for (let i = 0, o = 0; o < out.length; i += 4, o += 3) {
    const rgb = [data[i]!, data[i + 1]!, data[i + 2]!];
    const grey = 0.3 * rgb[0]! + 0.59 * rgb[1]! + 0.11 * rgb[2]!;
    for (let c = 0; c < 3; c++) {
      let v = grey + (rgb[c]! - grey) * saturation;
      v = (v - 128) * contrast + 128 + adjust.brightness * 1.28;
      v = 255 * Math.max(0, Math.min(1, v / 255)) ** (1 / adjust.gamma);
      out[o + c] = v;
    }
  }
  if (adjust.sharpen > 0) {
    const source = out.slice();
    const amount = adjust.sharpen / 100;
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1; x < width - 1; x++) {
        for (let c = 0; c < 3; c++) {
          const o = (y * width + x) * 3 + c;
          const around = source[o - 3]! + source[o + 3]! + source[o - width * 3]! + source[o + width * 3]!;
          out[o] = source[o]! + amount * (source[o]! - around / 4);
        }
      }
    }
  }
  return out;
}

/** [dx, dy, weight] of each neighbour that takes a share of the error. */
type Kernel = readonly (readonly [number, number, number])[];

function kernel(divisor: number, ...rows: string[]): Kernel {
  return rows.flatMap((row, dy) => {
    const weights = row.split(" ").map(Number);
    const middle = dy === 0 ? -1 : (weights.length - 1) / 2;
    return weights.flatMap((weight, i) => (weight ? [[i - middle, dy, weight / divisor] as const] : []));
  });
}

const KERNELS: Partial<Record<Algorithm, Kernel>> = {
  "floyd-steinberg": kernel(16, "7", "3 5 1"),
  best: kernel(16, "7", "3 5 1"),
  atkinson: kernel(8, "1 1", "1 1 1", "0 1 0"),
  jarvis: kernel(48, "7 5", "3 5 7 5 3", "1 3 5 3 1"),
  stucki: kernel(42, "8 4", "2 4 8 4 2", "1 2 4 2 1"),
  burkes: kernel(32, "8 4", "2 4 8 4 2"),
  sierra: kernel(32, "5 3", "2 4 5 4 2", "0 2 3 2 0"),
  "sierra-lite": kernel(4, "2", "1 1 0"),
};

const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/** A spread of thresholds without visible rows: fractional parts of a plane-filling sequence. */
const spread = (x: number, y: number) => (x * 0.7548776662466927 + y * 0.5698402909980532) % 1;

export function dithered(image: ImageData, { algorithm, palette, adjust }: PictureOptions): Uint8Array {
  const { width, height } = image;
  const pixels = tuned(image, adjust);
  const inks = INK_COLOURS.ideal.slice(0, palette === "black-white" ? 2 : 3);
  const out = new Uint8Array(width * height);
  const shares = KERNELS[algorithm];
  const strength = adjust.diffusion / 100;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const nudge =
        algorithm === "bayer"
          ? (BAYER[(y % 4) * 4 + (x % 4)]! / 16 - 0.47) * 220
          : algorithm === "blue-noise"
            ? (spread(x, y) - 0.5) * 220
            : 0;
      let best = 0;
      let least = Infinity;
      for (let k = 0; k < inks.length; k++) {
        const ink = inks[k]!;
        const r = pixels[i * 3]! + nudge - ink[0];
        const g = pixels[i * 3 + 1]! + nudge - ink[1];
        const b = pixels[i * 3 + 2]! + nudge - ink[2];
        const distance = 0.3 * r * r + 0.59 * g * g + 0.11 * b * b;
        if (distance < least) {
          least = distance;
          best = k;
        }
      }
      out[i] = best;
      if (!shares) continue;
      const ink = inks[best]!;
      for (const [dx, dy, weight] of shares) {
        const nx = x + dx;
        if (nx < 0 || nx >= width || y + dy >= height) continue;
        const n = ((y + dy) * width + nx) * 3;
        for (let c = 0; c < 3; c++) {
          const error = Math.max(-128, Math.min(128, pixels[i * 3 + c]! - ink[c]!));
          pixels[n + c] = pixels[n + c]! + error * weight * strength;
        }
      }
    }
  }
  return out;
}
