// The room in words. Pure: same state, language and moment, same words.
import type { DeviceAnswer } from "../bindings/DeviceAnswer";
import type { DeviceCondition } from "../bindings/DeviceCondition";
import type { DeviceRemark } from "../bindings/DeviceRemark";
import type { DeviceRequest } from "../bindings/DeviceRequest";
import type { DeviceState } from "../bindings/DeviceState";
import type { EventType } from "../bindings/EventType";
import type { Pattern } from "../bindings/Pattern";
import type { Puzzle } from "../bindings/Puzzle";
import type { RoomOutcome } from "../bindings/RoomOutcome";
import type { Zone } from "../bindings/Zone";
import type { Translator } from "./translator";
import type { Tone } from "./words";

export const PUZZLES: readonly Puzzle[] = [
  "PUZZLE_FIOLE",
  "PUZZLE_COFFRE",
  "PUZZLE_MIROIR",
  "PUZZLE_ENGRENAGE",
  "PUZZLE_CRYSTAL",
  "PUZZLE_BOUSSOLE",
];
/** `off` is its own button. */
export const PATTERNS: readonly Exclude<Pattern, "off">[] = ["solid", "breathe", "pulse", "chase", "rainbow"];
export const ZONES: readonly Zone[] = ["all", "ambient", "puzzle", "alert"];
/** `manual` is the override's. */
export type ScenarioEvent = Exclude<EventType, "manual">;
export const EVENT_TYPES: readonly ScenarioEvent[] = ["unlock", "button", "serial", "timer", "audio_done", "espnow", "action"];
export const TOOLS = ["led_set", "audio_play", "puzzle_set_state", "camera_capture", "scenario_advance"] as const;

/** A device that was silent for no longer keeps its controls: nothing moves under a hand for a Wi-Fi that blinks. */
const BLINK_MS = 30_000;

/** It answers and lets itself be read, whatever else it refuses. */
export function answers({ condition }: DeviceState): boolean {
  return ["answering", "reading-only", "throttled"].includes(condition.state);
}

/** How many answer, of those that can: nobody hears from a device that is only relayed to. */
export function answering(devices: readonly DeviceState[]): { of: number; all: number } {
  const asked = devices.filter(({ condition }) => condition.state !== "relayed");
  return { of: asked.filter(answers).length, all: asked.length };
}

export function roomTone(devices: readonly DeviceState[]): Tone {
  const { of, all } = answering(devices);
  if (of === all) return "good";
  return of === 0 ? "bad" : "busy";
}

export function conditionTone({ state }: DeviceCondition): Tone {
  switch (state) {
    case "answering":
      return "good";
    case "unasked":
    case "relayed":
      return "off";
    case "reading-only":
    case "throttled":
    case "setup-mode":
      return "busy";
    default:
      return "bad";
  }
}

/** Whether its controls are of use: it does what it is asked, or is likely to in a moment. */
export function inPlay({ condition, answered_at, abilities }: DeviceState, now: number): boolean {
  if (abilities.tools.length === 0) return false;
  switch (condition.state) {
    case "answering":
    case "throttled":
    case "relayed":
      return true;
    case "unreachable":
      return answered_at !== null && now - answered_at < BLINK_MS;
    default:
      return false;
  }
}

/** A whole number of seconds since a moment; never before it, whatever the clock does. */
export function secondsSince(at: number, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1000));
}

export function agoWords(tr: Translator, at: number, now: number): string {
  const seconds = secondsSince(at, now);
  return seconds < 1 ? tr.t("room.just_now") : tr.t("room.ago", { time: tr.duration(seconds) });
}

export type ConditionWords = {
  /** The state itself. */
  word: string;
  /** Beside it: ages and figures. */
  beside: string[];
  /** Why, and what to do; may be empty. */
  why: string;
  /** What the device or the network said, in English. */
  detail: string;
};

export function conditionWords(tr: Translator, device: DeviceState, names: ReadonlyMap<string, string>, now: number): ConditionWords {
  const { condition, answered_at, round_trip_ms, reading, via, busy } = device;
  const rssi = reading?.rssi ?? null;
  const plain = { beside: [] as string[], why: "", detail: "" };
  switch (condition.state) {
    case "answering": {
      const beside = answered_at === null ? [] : [agoWords(tr, answered_at, now)];
      if (round_trip_ms !== null) beside.push(tr.milliseconds(round_trip_ms));
      if (busy) beside.push(tr.t("room.busy"));
      return { ...plain, word: tr.t("room.state.answering"), beside };
    }
    case "unreachable": {
      const word =
        answered_at === null
          ? tr.t("room.state.never")
          : tr.t("room.state.silent", { time: tr.duration(Math.max(1, secondsSince(answered_at, now))) });
      const beside = rssi === null ? [] : [tr.t("room.last_seen", { signal: dbm(tr, rssi) })];
      return { word, beside, why: "", detail: condition.detail };
    }
    case "throttled": {
      const left = Math.ceil((condition.until - now) / 1000);
      const beside = left > 0 ? [tr.t("room.state.throttled.left", { time: tr.duration(left) })] : [];
      return { ...plain, word: tr.t("room.state.throttled"), beside };
    }
    case "garbled":
      return { ...plain, word: tr.t("room.state.garbled"), why: tr.t("room.why.garbled"), detail: condition.detail };
    case "relayed": {
      const word = tr.t("room.state.relayed", { name: (via && names.get(via)) ?? via ?? "–" });
      return { ...plain, word, why: tr.t("room.why.relayed") };
    }
    case "unasked":
      return { ...plain, word: tr.t("room.state.unasked") };
    default: {
      const beside = answered_at === null ? [] : [agoWords(tr, answered_at, now)];
      return { ...plain, word: tr.t(`room.state.${condition.state}`), beside, why: tr.t(`room.why.${condition.state}`) };
    }
  }
}

export function dbm(tr: Translator, rssi: number): string {
  return tr.t("signal.dbm", { n: tr.number(rssi).replace("-", "−") });
}

export function remarkWords(tr: Translator, remark: DeviceRemark, now: number): string {
  switch (remark.remark) {
    case "restarted":
    case "wifi-dropped":
    case "moved":
      return tr.t(`room.remark.${remark.remark}`, { ago: agoWords(tr, remark.at, now) });
    case "battery-low":
      return tr.t("room.remark.battery-low", { n: tr.number(remark.percent) });
    case "mesh-failing":
      return tr.n("room.remark.mesh-failing", remark.failed);
    case "own-access-point":
      return tr.t("room.remark.own-access-point");
  }
}

/** A puzzle as people call it. */
export function puzzleName(tr: Translator, puzzle: string): string {
  return tr.word(`puzzle.${puzzle}`) ?? puzzle;
}

/** A puzzle's state: in words where it is one that is known, as the device says it where not. */
export function puzzleState(tr: Translator, state: string): string {
  return tr.word(`puzzle.state.${state}`) ?? state;
}

/** The last part of a path or address, which is what tells sounds apart. */
export function soundName(source: string): string {
  return source.split("/").filter(Boolean).at(-1) ?? source;
}

/** What was asked, for the line that says what became of it. */
export function requestWords(tr: Translator, request: DeviceRequest): string {
  switch (request.request) {
    case "led":
      return request.color === "off" || request.pattern === "off"
        ? tr.t("room.did.led_off")
        : tr.t("room.did.led", { colour: tr.word(`colour.${request.color}`) ?? request.color });
    case "audio":
      return tr.t(`room.did.audio.${request.action}`, { name: soundName(request.source) });
    case "puzzle":
      return tr.t(`room.did.puzzle.${request.state}`, { puzzle: puzzleName(tr, request.puzzle) });
    case "camera":
      return tr.t("room.did.camera");
    case "scenario":
      return request.event === "manual"
        ? tr.t("room.did.override", { name: request.target ?? request.name })
        : tr.t("room.did.advance", { name: request.name });
    case "status":
      return tr.t("room.did.status");
  }
}

export const OUTCOME_TONES: Record<RoomOutcome, Tone> = { accepted: "good", confirmed: "good", "no-change-seen": "busy" };

/** What an answer tells besides its outcome: what is not certain, and what was not exact. */
export function answerNotes(tr: Translator, answer: DeviceAnswer): string[] {
  const notes: string[] = [];
  if (answer.outcome === "no-change-seen") notes.push(tr.t("room.answer.look"));
  if (answer.broadcast) notes.push(tr.t("room.answer.broadcast"));
  if (answer.sent_again) notes.push(tr.t("room.answer.again"));
  return [...notes, ...answer.remarks];
}

export type RoomGroup = { room: string | null; devices: DeviceState[] };

/** Devices by their room, in the order they come in; those without one last. */
export function byRoom(devices: readonly DeviceState[]): RoomGroup[] {
  const groups = new Map<string | null, DeviceState[]>();
  for (const device of devices) {
    const group = groups.get(device.room);
    if (group) group.push(device);
    else groups.set(device.room, [device]);
  }
  return [...groups]
    .map(([room, devices]) => ({ room, devices }))
    .sort((a, b) => Number(a.room === null) - Number(b.room === null));
}

export function deviceNames(devices: readonly DeviceState[]): Map<string, string> {
  return new Map(devices.map(({ id, name }) => [id, name]));
}

/** What a device lacks, a sentence each: whole tools first, then parts of those it has. */
export function lackWords(tr: Translator, { abilities }: DeviceState): string[] {
  if (abilities.tools.length === 0) return [];
  const missing = TOOLS.filter((tool) => !abilities.tools.includes(tool)).map((tool) => tr.t(`room.no_tool.${tool}`));
  return [...missing, ...abilities.lacks.filter((code) => code !== "tool").map((code) => lack(tr, code))];
}

export function lack(tr: Translator, code: string): string {
  return tr.word(`room.lack.${code}`) ?? code;
}
