import { describe, expect, it } from "vitest";
import { coverage, crop, INK_COLOURS, paint, shrink } from "../../src/lib/inks";
import { panelScale } from "../../src/lib/scale";

const map = { width: 4, height: 2, inks: Uint8Array.of(0, 1, 2, 1, 1, 0, 1, 2) };

describe("ink maps", () => {
  it("are painted pixel for pixel in the inks asked for", () => {
    expect([...paint(map, "ideal").slice(0, 12)]).toEqual([0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 255]);
    expect([...paint(map, "real").slice(8, 11)]).toEqual([...INK_COLOURS.real[2]]);
  });

  it("shrink by averaging light, not code values", () => {
    const checker = { width: 2, height: 2, inks: Uint8Array.of(0, 1, 1, 0) };
    const { width, height, rgba } = shrink(checker, 1, 1, "ideal");
    expect([width, height]).toEqual([1, 1]);
    // Half the light of white is 188 in sRGB; a plain mean of code values would give 128.
    expect(rgba[0]).toBe(188);
  });

  it("keep their shape when they shrink and are never enlarged", () => {
    const strip = { width: 280, height: 100, inks: new Uint8Array(28_000).fill(1) };
    expect(shrink(strip, 56, 42, "ideal")).toMatchObject({ width: 56, height: 20 });
    expect(shrink(map, 56, 42, "ideal")).toMatchObject({ width: 4, height: 2 });
  });

  it("are cropped around the middle", () => {
    expect(crop(map, 2, 1)).toEqual({ width: 2, height: 1, inks: Uint8Array.of(1, 2) });
    expect(crop(map, 99, 99)).toEqual(map);
  });

  it("tell how much of the panel each ink covers", () => {
    expect(coverage(map)).toEqual({ black: 25, white: 50, red: 25 });
  });
});

describe("panel scale", () => {
  const panel = { width: 400, height: 300 };

  it("is two where that fits, else one", () => {
    expect(panelScale({ width: 820, height: 640 }, panel, 1)).toBe(2);
    expect(panelScale({ width: 799, height: 640 }, panel, 1)).toBe(1);
    expect(panelScale({ width: 2000, height: 2000 }, panel, 1)).toBe(2);
  });

  it("counts device pixels, in whole numbers at any density", () => {
    expect(panelScale({ width: 800, height: 600 }, panel, 2)).toBe(4);
    expect(panelScale({ width: 800, height: 600 }, panel, 1.5)).toBe(3);
    expect(panelScale({ width: 800, height: 600 }, panel, 1.25)).toBe(2);
    expect(panelScale({ width: 430, height: 330 }, panel, 1.5)).toBe(1);
  });

  it("never falls to nothing", () => {
    expect(panelScale({ width: 0, height: 0 }, panel, 1)).toBe(1);
  });
});
