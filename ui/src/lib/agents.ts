// The agents' side in words. Pure: same state and language, same words.
import type { CallOutcome } from "../bindings/CallOutcome";
import type { CallRecord } from "../bindings/CallRecord";
import type { ServerState } from "../bindings/ServerState";
import type { Translator } from "./translator";
import type { Tone } from "./words";

/** On, or about to be. */
export function isOn(server: ServerState): boolean {
  return server.state === "on" || server.state === "starting";
}

export function serverTone(server: ServerState): Tone {
  switch (server.state) {
    case "off":
      return "off";
    case "on":
      return "good";
    case "failed":
      return "bad";
    default:
      return "busy";
  }
}

/** For the status strip: "on at 127.0.0.1:8790". */
export function serverWords(tr: Translator, server: ServerState): string {
  if (server.state !== "on") return tr.t(`mcp.${server.state}`);
  const first = server.addresses[0];
  return first === undefined ? tr.t("mcp.on") : tr.t("mcp.on_at", { address: authority(first) });
}

/** "http://127.0.0.1:8790/mcp" -> "127.0.0.1:8790" */
export function authority(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** An address that leads back to this computer, whoever uses it. */
export function isLoopback(address: string): boolean {
  const host = URL.canParse(address) && address.includes("://") ? new URL(address).host : address;
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])(:\d+)?$/.test(host);
}

/** The TCP port that a text names; null where it names none. */
export function portOf(text: string): number | null {
  const digits = text.trim();
  if (!/^\d{1,5}$/.test(digits)) return null;
  const port = Number(digits);
  return port >= 1 && port <= 65535 ? port : null;
}

export const CALL_TONES: Record<CallOutcome, Tone> = { running: "busy", done: "good", failed: "bad", cancelled: "off" };

/** Arguments as a person reads them, a name a line; as they came where they are no longer JSON. */
export function argumentLines(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return "";
    return JSON.stringify(value, null, 2);
  } catch {
    return json;
  }
}

/**
 * Calls that keep their places while they are read: those shown when reading began, as they stand now, and how
 * many came since.
 */
export function held(calls: readonly CallRecord[], seen: readonly CallRecord[] | null): { shown: readonly CallRecord[]; waiting: number } {
  if (seen === null) return { shown: calls, waiting: 0 };
  const now = new Map(calls.map((call) => [call.id, call]));
  const newest = Math.max(0, ...seen.map(({ id }) => id));
  return {
    shown: seen.map((call) => now.get(call.id) ?? call),
    waiting: calls.filter(({ id }) => id > newest).length,
  };
}
