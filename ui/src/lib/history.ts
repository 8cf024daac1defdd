// Samples of a device as lines of a chart. Pure; lengths are in the units of the drawing's own box.
import type { DeviceSample } from "../bindings/DeviceSample";

export type Measure = "rssi" | "heap_free" | "round_trip_ms";
export type Span = { from: number; to: number };
export type Course = {
  /** One run of points for each stretch without a gap. */
  lines: { x: number; y: number }[][];
  least: number;
  most: number;
};

/** Samples further apart than this many times the usual distance have a gap between them. */
const GAP = 4;

/** The usual distance between samples: the median, since silences stretch a mean. */
export function usualDistance(samples: readonly DeviceSample[]): number {
  const distances = samples.slice(1).map((sample, i) => sample.at - samples[i]!.at).sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

/** The values of one measure in a box; null where there are none. */
export function course(samples: readonly DeviceSample[], measure: Measure, span: Span, width: number, height: number): Course | null {
  const known = samples.flatMap((sample) => sample[measure] ?? []);
  if (known.length === 0) return null;
  let least = Math.min(...known);
  let most = Math.max(...known);
  // A value that hardly moves is a flat line in the middle, not noise from edge to edge.
  const room = Math.max((most - least) * 0.15, Math.abs(most) * 0.02, 1);
  least -= room;
  most += room;

  const far = usualDistance(samples) * GAP;
  const lines: Course["lines"] = [];
  let line: Course["lines"][number] = [];
  let before: number | null = null;
  for (const sample of samples) {
    const value = sample[measure];
    if (value === null || (before !== null && far > 0 && sample.at - before > far)) {
      if (line.length > 0) lines.push(line);
      line = [];
    }
    if (value !== null) {
      line.push({
        x: ((sample.at - span.from) / (span.to - span.from)) * width,
        y: height - ((value - least) / (most - least)) * height,
      });
    }
    before = sample.at;
  }
  if (line.length > 0) lines.push(line);
  return { lines, least, most };
}

/** A run of points as an SVG path; a point alone is a dot. */
export function path(line: readonly { x: number; y: number }[]): string {
  const points = line.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return points.length === 1 ? `M${points[0]}h0.01` : `M${points.join("L")}`;
}

/** Stretches without an answer, from the first sample that had none to the next that had one. */
export function silences(samples: readonly DeviceSample[], to: number): Span[] {
  const spans: Span[] = [];
  let from: number | null = null;
  for (const { at, answered } of samples) {
    if (!answered) from ??= at;
    else if (from !== null) {
      spans.push({ from, to: at });
      from = null;
    }
  }
  if (from !== null) spans.push({ from, to });
  return spans;
}

export function restarts(samples: readonly DeviceSample[]): number[] {
  return samples.filter(({ restarted }) => restarted).map(({ at }) => at);
}

/** The sample nearest to a moment. */
export function nearest(samples: readonly DeviceSample[], at: number): DeviceSample | null {
  let best: DeviceSample | null = null;
  for (const sample of samples) if (!best || Math.abs(sample.at - at) < Math.abs(best.at - at)) best = sample;
  return best;
}
