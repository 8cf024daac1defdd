import { describe, expect, it } from "vitest";
import { decodeFrame, encodeFrame, inkMap, originalPixels, thumbnailMaps } from "../../src/lib/frame";

const header = { width: 2, height: 2, notes: [], algorithms: [] };

describe("binary answers", () => {
  it("come back as they were packed, whatever the header's length", () => {
    for (const message of ["", "é", "中文 note", "x".repeat(500)]) {
      const notes = [{ code: "n", message, params: {} }];
      const frame = decodeFrame(encodeFrame({ ...header, notes }, Uint8Array.of(0, 1, 2, 1)));
      expect(frame.header.notes[0]?.message).toBe(message);
      expect([...frame.payload]).toEqual([0, 1, 2, 1]);
    }
  });

  it("give ink maps, pixels, and thumbnails in the header's order", () => {
    expect([...inkMap(encodeFrame(header, Uint8Array.of(0, 1, 2, 1))).inks]).toEqual([0, 1, 2, 1]);
    expect(originalPixels(encodeFrame(header, new Uint8Array(16))).rgba.length).toBe(16);
    const maps = thumbnailMaps(
      encodeFrame({ ...header, algorithms: ["bayer", "none"] }, Uint8Array.of(0, 0, 0, 0, 2, 2, 2, 2)),
    );
    expect([...maps.keys()]).toEqual(["bayer", "none"]);
    expect([...maps.get("none")!.inks]).toEqual([2, 2, 2, 2]);
  });

  it("are refused when they are cut off or too long", () => {
    expect(() => decodeFrame(new ArrayBuffer(3))).toThrow("shorter");
    expect(() => decodeFrame(Uint8Array.of(255, 255, 0, 0, 1).buffer)).toThrow("cut off");
    expect(() => inkMap(encodeFrame(header, new Uint8Array(3)))).toThrow("3 bytes where 4");
    expect(() => originalPixels(encodeFrame(header, new Uint8Array(4)))).toThrow("4 bytes where 16");
    expect(() => thumbnailMaps(encodeFrame({ ...header, algorithms: ["none"] }, new Uint8Array(5)))).toThrow();
  });
});
