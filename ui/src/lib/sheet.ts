// What the panel in the middle shows, and what the bar beneath it sends.
import type { Palette } from "../bindings/Palette";
import type { Rendered } from "./frame";

export type SourceName = "picture" | "template" | "countdown" | "text";
export const SOURCES: readonly SourceName[] = ["picture", "template", "countdown", "text"];

export type Sheet = {
  /** What it is called for who does not see it. */
  name: string;
  frame: Rendered | null;
  /** What was typed since cannot be drawn: the frame is of before. */
  stale: boolean;
  original: { width: number; height: number; rgba: Uint8Array } | null;
  /** The panel's size while there is no frame. */
  size: { width: number; height: number };
  palette: Palette;
};

/** Lies on a page that the clock will not show: what it will, and why that is not drawn here. */
export type Veil = { title: string | null; body: string };

export type Sending = {
  action: string;
  start: () => void;
  /** Why it cannot be sent, as a sentence. */
  reason: string | null;
  /** What is sent is kept in a slot. */
  kept: boolean;
  /** What else there is to say before it is sent. */
  about: readonly string[];
  /** Another thing that may be done instead. */
  other: { text: string; title: string; start: () => void; disabled?: boolean } | null;
};
