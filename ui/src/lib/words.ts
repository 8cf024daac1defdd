// States of the clock and of an operation, in words. Pure: same state and language, same words.
import type { Action } from "../bindings/Action";
import type { JournalEntry } from "../bindings/JournalEntry";
import type { LinkState } from "../bindings/LinkState";
import type { Operation } from "../bindings/Operation";
import type { Progress } from "../bindings/Progress";
import type { Report } from "../bindings/Report";
import type { TimeSet } from "../bindings/TimeSet";
import { daysUntil, dayWords } from "./countdown";
import type { Translator } from "./translator";

/** Shape and colour of a state dot. Never the only sign: words always stand beside it. */
export type Tone = "off" | "busy" | "good" | "bad";

export function linkTone(link: LinkState): Tone {
  switch (link.state) {
    case "unavailable":
      return "bad";
    case "asleep":
      return "off";
    case "connected":
    case "sending":
      return "good";
    default:
      return "busy";
  }
}

/** 47 -> "0:47" */
export function countdown(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

export function linkWords(tr: Translator, link: LinkState, operation: Operation | null): string {
  switch (link.state) {
    case "listening":
    case "refreshing":
      return tr.t(`link.${link.state}`, { time: countdown(link.seconds_left) });
    case "sending": {
      const progress = operation && !operation.outcome ? operation.progress : null;
      if (!progress || progress.packets_total < 2) return tr.t("link.sending");
      return tr.t("link.sending_count", {
        done: tr.number(progress.packets_done),
        total: tr.number(progress.packets_total),
      });
    }
    default:
      return tr.t(`link.${link.state}`);
  }
}

export type ProgressWords = {
  stage: string;
  /** Packets, or what the wait is for; may be empty. */
  detail: string;
  left: string;
  /** 0..1, or null where how far it is cannot be told. */
  fraction: number | null;
};

export function progressWords(tr: Translator, progress: Progress): ProgressWords {
  const { stage, packets_done, packets_total, seconds_left } = progress;
  const counted = stage === "sending" && packets_total > 0;
  return {
    stage: tr.t(`stage.${stage}`),
    detail: counted
      ? tr.n("progress.packets", packets_total, { done: tr.number(packets_done) })
      : stage === "listening"
        ? tr.t("stage.listening.hint")
        : "",
    left:
      seconds_left === null
        ? ""
        : tr.t("progress.left", { time: tr.duration(Math.max(1, Math.round(seconds_left))) }),
    fraction: counted ? Math.min(1, packets_done / packets_total) : null,
  };
}

/** What a finished operation did, in figures. Empty where nothing was sent. */
export function reportWords(tr: Translator, report: Report): string {
  if (report.packets === 0) return "";
  const parts = [
    tr.n("report.sent", report.packets, {
      size: tr.bytes(report.bytes),
      time: tr.milliseconds(report.duration_ms),
    }),
  ];
  if (report.packets_resent > 0) parts.push(tr.n("report.resent", report.packets_resent));
  if (report.reconnects > 0) parts.push(tr.n("report.reconnects", report.reconnects));
  return parts.join(" · ");
}

/** What was done: an operation by its name, what a device was asked for by what it is, any other call by its tool's. */
export function journalAction(tr: Translator, action: Action): string {
  if (action.what === "operation") return tr.t(`action.${action.kind}`);
  return tr.word(`action.device.${action.tool}`) ?? tr.t("action.call", { tool: action.tool });
}

/** What exactly was done: faces and switches by their names in the language, anything else as it was noted. */
export function journalDetail(tr: Translator, { action, detail }: Pick<JournalEntry, "action" | "detail">): string {
  if (action.what !== "operation" || (action.kind !== "face" && action.kind !== "toggle")) return detail;
  return tr.word(`${action.kind}.${detail}`) ?? detail;
}

/** Who asked, with the name where there is one. */
export function journalCaller(tr: Translator, { door, caller }: Pick<JournalEntry, "door" | "caller">): string {
  const word = tr.t(`door.${door}`);
  return caller === null ? word : `${word} · ${caller}`;
}

export type Signal = { bars: 0 | 1 | 2 | 3 | 4; word: "strong" | "good" | "weak" | "poor" | "none" };

/** Bars for a received signal strength in dBm; the steps are those of common phone indicators. */
export function signal(rssi: number | null): Signal {
  if (rssi === null) return { bars: 0, word: "none" };
  if (rssi >= -60) return { bars: 4, word: "strong" };
  if (rssi >= -72) return { bars: 3, word: "good" };
  if (rssi >= -84) return { bars: 2, word: "weak" };
  return { bars: 1, word: "poor" };
}

/** When the clock was set, in the time that it was set to; where the engine cannot tell that, in the time of here. */
export function timeSetWords(tr: Translator, { at, zone }: TimeSet, now = new Date()): string {
  const when = tr.whenIn(zone, at, now);
  const set = when === null ? tr.t("time.last_here", { when: tr.when(at, now) }) : tr.t("time.last", { when, zone });
  const drift = driftSeconds(at, now);
  if (drift < WORTH_SAYING_SECONDS) return set;
  const off =
    drift < 60
      ? tr.t("time.drift_seconds", { n: tr.number(drift) })
      : tr.t("time.drift_minutes", { n: tr.number(Math.round(drift / 60)) });
  return `${set} · ${off}`;
}

/** Less is not seen on a clock without a second hand. */
const WORTH_SAYING_SECONDS = 10;

/** How far a clock may be off by now: its makers say up to a minute a month, which is two seconds a day. */
export function driftSeconds(setAt: string, now: Date): number {
  const days = (now.getTime() - new Date(setAt).getTime()) / 86_400_000;
  return Number.isFinite(days) ? Math.max(0, Math.round(days * 2)) : 0;
}

/** What a countdown to a day will say; null where there is nothing to count. */
export function countdownWords(tr: Translator, date: string, today: string): string | null {
  const days = daysUntil(date, today);
  const day = dayWords(date, tr.locale);
  if (days === null || day === null || days < 0) return null;
  return days === 0 ? tr.t("countdown.today", { date: day }) : tr.n("countdown.until", days, { date: day });
}

/** "Europe/Paris" -> "Paris"; offsets stay. */
export function zoneCity(zone: string): string {
  return zone.split("/").at(-1)?.replaceAll("_", " ") ?? zone;
}
