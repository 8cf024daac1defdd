// Bytes as a person writes them.
import type { Channel } from "../bindings/Channel";

/** Most bytes of one write: what the clock's own app sends on each channel. */
export const MOST_BYTES: Record<Channel, number> = { main: 500, alt: 128 };

export type Hex =
  | { bytes: number }
  | { problem: "empty" }
  | { problem: "odd" }
  | { problem: "foreign"; found: string }
  | { problem: "long"; bytes: number };

/** How many bytes a hexadecimal text holds, spaces allowed, or what keeps it from being sent. */
export function readHex(text: string, channel: Channel): Hex {
  const digits = text.replace(/\s+/g, "");
  const foreign = [...digits].find((c) => !/[\da-f]/i.test(c));
  if (foreign) return { problem: "foreign", found: foreign };
  if (digits === "") return { problem: "empty" };
  if (digits.length % 2) return { problem: "odd" };
  const bytes = digits.length / 2;
  return bytes > MOST_BYTES[channel] ? { problem: "long", bytes } : { bytes };
}
