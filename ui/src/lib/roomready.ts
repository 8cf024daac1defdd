// Whether a room can take players: what is looked at on each device, and what came of it.
import type { DeviceState } from "../bindings/DeviceState";
import { answers } from "./room";

export type CheckName = "answering" | "token" | "signal" | "battery" | "restart" | "camera" | "access-point" | "step";
export type Check = {
  name: CheckName;
  /** `known`: nothing to judge, but worth a look. */
  verdict: "good" | "bad" | "known";
  /** The value that was judged, where there is one. */
  value: number | string | null;
};
export type DeviceChecks = { id: string; name: string; room: string | null; checks: Check[] };

/** Weaker than this, frames are lost and answers come late. */
export const WEAKEST_DBM = -75;
/** Below this a battery may not last for a game. */
export const LEAST_BATTERY = 20;
/** A device that started within this time may have lost its place in the scenario. */
export const SETTLED_SECONDS = 600;

export function checks(device: DeviceState, now: number): Check[] {
  const { condition, reading, remarks } = device;
  if (condition.state === "relayed") return [{ name: "answering", verdict: "known", value: "relayed" }];
  const alive = answers(device);
  const list: Check[] = [{ name: "answering", verdict: alive ? "good" : "bad", value: condition.state }];
  const token = ["no-token", "token-refused", "reading-only", "setup-mode"].includes(condition.state);
  if (alive || token) list.push({ name: "token", verdict: token ? "bad" : "good", value: token ? condition.state : device.token });
  if (!alive || !reading) return list;

  if (reading.rssi !== null) list.push({ name: "signal", verdict: reading.rssi >= WEAKEST_DBM ? "good" : "bad", value: reading.rssi });
  if (reading.battery !== null) list.push({ name: "battery", verdict: reading.battery >= LEAST_BATTERY ? "good" : "bad", value: reading.battery });
  const restart = remarks.find((remark) => remark.remark === "restarted");
  const since = restart && "at" in restart ? Math.floor((now - restart.at) / 1000) : null;
  const up = Math.min(since ?? Infinity, reading.uptime_seconds ?? Infinity);
  if (Number.isFinite(up)) list.push({ name: "restart", verdict: up >= SETTLED_SECONDS ? "good" : "bad", value: up });
  if (reading.camera !== null) list.push({ name: "camera", verdict: reading.camera === "ready" ? "good" : "bad", value: reading.camera });
  if (reading.own_access_point) list.push({ name: "access-point", verdict: "bad", value: null });
  if (reading.step !== null) list.push({ name: "step", verdict: "known", value: reading.step });
  return list;
}

export function roomChecks(devices: readonly DeviceState[], now: number): { devices: DeviceChecks[]; bad: number } {
  const all = devices.map((device) => ({ id: device.id, name: device.name, room: device.room, checks: checks(device, now) }));
  return { devices: all, bad: all.flatMap(({ checks }) => checks).filter(({ verdict }) => verdict === "bad").length };
}
