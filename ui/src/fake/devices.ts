// Three rooms' worth of invented devices, with every state that a device can be in.
import type { DeviceAbilities } from "../bindings/DeviceAbilities";
import type { DeviceCondition } from "../bindings/DeviceCondition";
import type { DeviceFamily } from "../bindings/DeviceFamily";
import type { DeviceReading } from "../bindings/DeviceReading";
import type { DeviceRemark } from "../bindings/DeviceRemark";
import type { DeviceState } from "../bindings/DeviceState";
import type { FoundDevice } from "../bindings/FoundDevice";

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

const ALL = ["device_status", "led_set", "audio_play", "puzzle_set_state", "camera_capture", "scenario_advance"];
export const ABILITIES: Record<DeviceFamily, DeviceAbilities> = {
  spec: { tools: ALL, lacks: [] },
  freenove: {
    tools: ALL,
    lacks: ["led-zone", "led-pattern", "led-duration", "audio-loop", "audio-url", "puzzle-lock", "puzzle-reset", "puzzle-effects", "camera-size"],
  },
  "story-v2": { tools: ["device_status", "audio_play", "scenario_advance"], lacks: ["audio-source", "audio-volume", "scenario-event", "scenario-target"] },
  unknown: { tools: ["device_status"], lacks: ["tool"] },
};

const READING: DeviceReading = {
  scenario: "DEFAULT",
  step: "STEP_ETAPE_2",
  screen: null,
  puzzles: {},
  rssi: -58,
  heap_free: 182_000,
  uptime_seconds: 3_700,
  playing: null,
  volume: null,
  led: null,
  battery: null,
  version: "3.1.0",
  own_address: null,
  own_access_point: false,
  camera: null,
  counters: {},
};

type Invented = Partial<Omit<DeviceState, "reading">> & { id: string; reading?: Partial<DeviceReading> | null };

function device({ reading, ...given }: Invented): DeviceState {
  const family = given.family === undefined ? "spec" : given.family;
  return {
    name: given.id,
    room: null,
    origin: "settings",
    address: "192.168.0.50:80",
    via: null,
    volume_limit: 80,
    family,
    abilities: family === null ? { tools: [], lacks: [] } : ABILITIES[family],
    token: "kept",
    condition: { state: "answering" },
    remarks: [],
    answered_at: Date.now() - 3_000,
    round_trip_ms: 42,
    busy: false,
    ...given,
    reading: reading === null ? null : { ...READING, ...reading },
  };
}

const troubled = (state: DeviceCondition["state"]) => ({ state }) as DeviceCondition;
const restarted = (minutes: number): DeviceRemark => ({ remark: "restarted", at: minutesAgo(minutes) });

export function readyDevices(): DeviceState[] {
  return [
    device({ id: "console", name: "Main console", room: "Salle 1", reading: { puzzles: { PUZZLE_COFFRE: "locked" }, camera: "ready", led: "#FFB060" } }),
    device({ id: "piano", name: "Piano", room: "Salle 1", family: "freenove", address: "192.168.0.51:80", reading: { rssi: -64, step: "SCENE_LEFOU_DETECTOR" } }),
    device({ id: "mirror", name: "Mirror", room: "Salle 2", address: "192.168.0.52:80", reading: { rssi: -71, puzzles: { PUZZLE_MIROIR: "locked" } } }),
  ];
}

export function allDevices(): DeviceState[] {
  return [
    device({
      id: "console",
      name: "Main console",
      room: "Salle 1",
      reading: { puzzles: { PUZZLE_COFFRE: "locked", PUZZLE_FIOLE: "unlocked" }, camera: "ready", led: "#FFB060", playing: "/audio/ambience_cellar.mp3" },
    }),
    device({
      id: "lantern",
      name: "Lantern",
      room: "Salle 1",
      family: "freenove",
      address: "192.168.0.53:80",
      condition: { state: "throttled", until: Date.now() + 40_000 },
      reading: { rssi: -66, step: "SCENE_U_SON_PROTO", camera: "blocked" },
    }),
    device({
      id: "piano",
      name: "Piano",
      room: "Salle 1",
      family: "freenove",
      address: "192.168.0.51:80",
      condition: troubled("reading-only"),
      remarks: [{ remark: "mesh-failing", failed: 14 }],
      reading: { rssi: -71, step: "SCENE_LEFOU_DETECTOR", camera: "blocked" },
    }),
    device({
      id: "mirror",
      name: "Mirror",
      room: "Salle 2",
      address: "192.168.0.52:80",
      condition: { state: "unreachable", detail: "192.168.0.52:80 gave no answer in 5 s" },
      answered_at: minutesAgo(2),
      remarks: [restarted(3)],
      reading: { rssi: -84, puzzles: { PUZZLE_MIROIR: "locked" } },
    }),
    device({
      id: "telephone",
      name: "Telephone",
      room: "Salle 2",
      family: "story-v2",
      address: "192.168.0.54:8080",
      round_trip_ms: 118,
      remarks: [restarted(2), { remark: "wifi-dropped", at: minutesAgo(11) }],
      reading: { rssi: -77, step: "ETAPE_TELEPHONE", uptime_seconds: 120 },
    }),
    device({
      id: "crystal-node",
      name: "Crystal",
      room: "Salle 2",
      family: "freenove",
      address: null,
      via: "piano",
      token: "none",
      condition: troubled("relayed"),
      answered_at: null,
      round_trip_ms: null,
      reading: null,
    }),
    device({ id: "safe", name: "Safe", room: "Salle 2", address: "192.168.0.55:80", token: "none", condition: troubled("no-token"), reading: null }),
    device({ id: "bookshelf", name: "Bookshelf with the very long name of the last of the librarians", room: "Salle 3", family: "freenove", address: "192.168.0.56:80", condition: troubled("token-refused"), reading: null }),
    device({ id: "fireplace", name: "Fireplace", room: "Salle 3", family: "freenove", address: "192.168.4.1:80", condition: troubled("setup-mode"), remarks: [{ remark: "own-access-point" }], reading: null }),
    device({ id: "printer", name: "Gramophone", room: "Salle 3", address: "192.168.0.58:80", condition: { state: "garbled", detail: "a web page (HTML) instead of a status" }, reading: null }),
    device({ id: "compass", name: "Compass", room: "Salle 3", family: null, address: "192.168.0.59:80", condition: troubled("unasked"), answered_at: null, round_trip_ms: null, reading: null }),
    device({
      id: "box3",
      name: "Voice box",
      room: "Salle 3",
      family: "unknown",
      address: "192.168.0.60:80",
      token: "none",
      remarks: [{ remark: "moved", at: minutesAgo(6) }, { remark: "battery-low", percent: 11 }],
      reading: { rssi: -62, step: null, scenario: null, battery: 11 },
    }),
    device({
      id: "esp32-01",
      name: "esp32-01",
      origin: "environment",
      family: null,
      address: "192.168.0.61:8080",
      token: "given",
      condition: { state: "unreachable", detail: "192.168.0.61:8080 refused the connection" },
      answered_at: null,
      round_trip_ms: null,
      reading: null,
    }),
  ];
}

export function foundDevices(): FoundDevice[] {
  return [
    {
      key: "zacus-salle3._zacus._tcp.local. 192.168.0.57",
      instance: "zacus-salle3._zacus._tcp.local.",
      name: "zacus-salle3",
      room: "Salle 3",
      version: "3.1",
      address: "192.168.0.57:80",
      suggested_id: "zacus-salle3",
      family: "freenove",
      asks_for_token: true,
      found_at: minutesAgo(4),
    },
    {
      key: "esp32-cam._http._tcp.local. 192.168.0.62",
      instance: "esp32-cam._http._tcp.local.",
      name: "esp32-cam",
      room: null,
      version: null,
      address: "192.168.0.62:80",
      suggested_id: "esp32-cam",
      family: null,
      asks_for_token: false,
      found_at: Date.now() - 500,
    },
  ];
}

/** What an address that is looked at has. */
export function foundAt(address: string): FoundDevice {
  const host = address.replace(/^http:\/\//, "").replace(/:\d+$/, "");
  const port = /:(\d+)$/.exec(address)?.[1] ?? "80";
  return {
    key: address,
    instance: null,
    name: `zacus-${host.split(".").at(-1)}`,
    room: null,
    version: "3.1",
    address: `${host}:${port}`,
    suggested_id: `zacus-${host.split(".").at(-1)}`,
    family: "spec",
    asks_for_token: true,
    found_at: Date.now(),
  };
}
