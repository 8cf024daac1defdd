import type { Background } from "./Background";
import type { Fit } from "./Fit";
import type { Size } from "./Size";

export type Adjust = { brightness: number, contrast: number, saturation: number, gamma: number, sharpen: number, diffusion: number, fit: Fit, background: Background, rotate: 0 | 90 | 180 | 270, size: Size, };
