// The choices of a picture: methods in the order shown, sliders with their ranges and neutral values.
import type { Adjust } from "../bindings/Adjust";
import type { Algorithm } from "../bindings/Algorithm";
import type { Background } from "../bindings/Background";
import type { Fit } from "../bindings/Fit";
import type { Palette } from "../bindings/Palette";
import type { Size } from "../bindings/Size";

/** With each method's name in the literature, which needs no translation. */
export const METHODS: readonly { algorithm: Algorithm; technical: string | null }[] = [
  { algorithm: "best", technical: null },
  { algorithm: "floyd-steinberg", technical: "Floyd–Steinberg" },
  { algorithm: "atkinson", technical: "Atkinson" },
  { algorithm: "jarvis", technical: "Jarvis–Judice–Ninke" },
  { algorithm: "stucki", technical: "Stucki" },
  { algorithm: "burkes", technical: "Burkes" },
  { algorithm: "sierra", technical: "Sierra" },
  { algorithm: "sierra-lite", technical: "Sierra Lite" },
  { algorithm: "blue-noise", technical: "Blue noise" },
  { algorithm: "bayer", technical: "Bayer" },
  { algorithm: "none", technical: null },
];

export const FITS: readonly Fit[] = ["cover", "contain", "stretch"];
export const BACKGROUNDS: readonly Background[] = ["white", "black", "red"];
export const ROTATIONS = [0, 90, 180, 270] as const;
export const SIZES: readonly Size[] = ["full", "small"];
export const PALETTES: readonly Palette[] = ["black-white-red", "black-white"];

export const PANEL: Record<Size, { width: number; height: number }> = {
  full: { width: 400, height: 300 },
  small: { width: 280, height: 100 },
};

export type SliderName = "brightness" | "contrast" | "saturation" | "gamma" | "sharpen" | "diffusion";

/** `position` is what the slider moves through, `value` what the picture gets. */
export type SliderSpec = {
  name: SliderName;
  min: number;
  max: number;
  step: number;
  neutral: number;
  toPosition(value: number): number;
  toValue(position: number): number;
  /** Numbers that may be negative carry their sign. */
  signed: boolean;
  decimals: number;
};

const linear = (name: SliderName, min: number, max: number, neutral: number): SliderSpec => ({
  name,
  min,
  max,
  step: 1,
  neutral,
  toPosition: (value) => value,
  toValue: (position) => position,
  signed: min < 0,
  decimals: 0,
});

/** Gamma runs over 1/5..5; in logarithms neutral sits in the middle and both halves feel alike. */
const GAMMA_STEPS = 50;
const gamma: SliderSpec = {
  name: "gamma",
  min: -GAMMA_STEPS,
  max: GAMMA_STEPS,
  step: 1,
  neutral: 1,
  toPosition: (value) => Math.round((Math.log(value) / Math.log(5)) * GAMMA_STEPS),
  toValue: (position) => Math.round(5 ** (position / GAMMA_STEPS) * 100) / 100,
  signed: false,
  decimals: 2,
};

export const SLIDERS: readonly SliderSpec[] = [
  linear("brightness", -100, 100, 0),
  linear("contrast", -100, 100, 0),
  linear("saturation", -100, 100, 0),
  gamma,
  linear("sharpen", 0, 100, 0),
  linear("diffusion", 0, 100, 100),
];

export function isNeutral(adjust: Adjust): boolean {
  return SLIDERS.every((s) => adjust[s.name] === s.neutral);
}

export function neutral(adjust: Adjust): Adjust {
  return SLIDERS.reduce((a, s) => ({ ...a, [s.name]: s.neutral }), adjust);
}
