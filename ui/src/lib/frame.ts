// Binary answers: u32 little-endian header length, header as UTF-8 JSON, then the payload bytes.
import type { Algorithm } from "../bindings/Algorithm";
import type { FrameHeader } from "../bindings/FrameHeader";
import type { Note } from "../bindings/Note";

/** One panel picture, one byte a pixel: 0 black, 1 white, 2 red. */
export type InkMap = { width: number; height: number; inks: Uint8Array };
export type Rendered = InkMap & { notes: Note[] };

export type Frame = { header: FrameHeader; payload: Uint8Array };

export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < 4) throw new Error("the picture answer is shorter than its header");
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error("the picture answer is cut off in its header");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as FrameHeader;
  return { header, payload: new Uint8Array(buffer, 4 + length) };
}

export function encodeFrame(header: FrameHeader, payload: Uint8Array): ArrayBuffer {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + json.length + payload.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(payload, 4 + json.length);
  return bytes.buffer;
}

export function inkMap(buffer: ArrayBuffer): Rendered {
  const { header, payload } = decodeFrame(buffer);
  const { width, height, notes } = header;
  expectLength(payload, width * height);
  return { width, height, notes, inks: payload };
}

export function originalPixels(buffer: ArrayBuffer): { width: number; height: number; rgba: Uint8Array } {
  const { header, payload } = decodeFrame(buffer);
  expectLength(payload, header.width * header.height * 4);
  return { width: header.width, height: header.height, rgba: payload };
}

/** One ink map per algorithm, in the header's order. */
export function thumbnailMaps(buffer: ArrayBuffer): Map<Algorithm, InkMap> {
  const { header, payload } = decodeFrame(buffer);
  const { width, height } = header;
  const size = width * height;
  expectLength(payload, size * header.algorithms.length);
  return new Map(
    header.algorithms.map((algorithm, i) => [
      algorithm,
      { width, height, inks: payload.subarray(i * size, (i + 1) * size) },
    ]),
  );
}

function expectLength(payload: Uint8Array, length: number): void {
  if (payload.length !== length) {
    throw new Error(`the picture answer holds ${payload.length} bytes where ${length} were announced`);
  }
}
