// What the window may ask of the app. Transports: `tauri.ts` (the real window) and `fake/host.ts` (a browser).
import type { AccessToken } from "../bindings/AccessToken";
import type { AgentsState } from "../bindings/AgentsState";
import type { AppState } from "../bindings/AppState";
import type { ClientConfiguration } from "../bindings/ClientConfiguration";
import type { Composition } from "../bindings/Composition";
import type { CountdownPlan } from "../bindings/CountdownPlan";
import type { CountdownStyle } from "../bindings/CountdownStyle";
import type { DeviceAnswer } from "../bindings/DeviceAnswer";
import type { DeviceForm } from "../bindings/DeviceForm";
import type { DeviceRequest } from "../bindings/DeviceRequest";
import type { DeviceSample } from "../bindings/DeviceSample";
import type { Face } from "../bindings/Face";
import type { Fault } from "../bindings/Fault";
import type { FoundDevice } from "../bindings/FoundDevice";
import type { JournalEntry } from "../bindings/JournalEntry";
import type { Lesson } from "../bindings/Lesson";
import type { PictureInfo } from "../bindings/PictureInfo";
import type { PictureOptions } from "../bindings/PictureOptions";
import type { RoomState } from "../bindings/RoomState";
import type { Settings } from "../bindings/Settings";
import type { TemplateInfo } from "../bindings/TemplateInfo";
import type { Toggle } from "../bindings/Toggle";

export type PictureRequest = { picture: number; options: PictureOptions };

/** A picture as it arrives: by path from the system, or as bytes from a page or the clipboard. */
export type Source = { path: string } | { name: string; bytes: Uint8Array };

export type DropEvent =
  | { type: "enter" }
  | { type: "leave" }
  /** `source` is the first file, null where what was dropped is none; `files` is how many there were. */
  | { type: "drop"; source: Source | null; files: number };

/** Stands in a configuration for the secret, which only a copy has. */
export const TOKEN_PLACE = "<token>";

/** A token with its secret, which is told when it is made and whenever it is asked for. */
export type TokenSecret = { token: AccessToken; secret: string };

/** Every command rejects with a {@link Fault}. Binary answers are read by `frame.ts`. */
export interface Api {
  state(): Promise<AppState>;
  /** Calls back with the whole state after each change; answers how to stop that. */
  onState(callback: (state: AppState) => void): Promise<() => void>;
  /** Files dragged over or dropped anywhere on the window. */
  onDrop(callback: (event: DropEvent) => void): Promise<() => void>;
  /** A picture that Regie was started with, or that a second start brings. */
  onHandedOver(callback: (source: Source) => void): Promise<() => void>;
  /** Asks the person for a picture file; null when they think better of it. */
  pickFile(title: string, filter: string): Promise<Source | null>;
  /** Asks the person for a folder; null when they think better of it. */
  pickFolder(title: string): Promise<string | null>;

  open(source: Source): Promise<PictureInfo>;
  render(request: PictureRequest): Promise<ArrayBuffer>;
  original(request: PictureRequest): Promise<ArrayBuffer>;
  thumbnails(request: PictureRequest): Promise<ArrayBuffer>;
  slotPicture(slot: number): Promise<ArrayBuffer>;
  simulatedScreen(): Promise<ArrayBuffer>;

  show(request: PictureRequest & { slot: number }): Promise<number>;
  showSlot(slot: number): Promise<number>;
  templates(): Promise<TemplateInfo[]>;
  /** The page as the clock would get it. */
  compose(composition: Composition): Promise<ArrayBuffer>;
  showComposition(request: { composition: Composition; slot: number }): Promise<number>;

  countdown(plan: CountdownPlan): Promise<number>;
  countdownOff(): Promise<number>;
  /** The words before a countdown as the clock gets them: a row of cells of 16 x 16 or, for the calendar, 24 x 24. */
  countdownLine(request: { style: CountdownStyle; text: string }): Promise<ArrayBuffer>;
  calendarText(text: string): Promise<number>;
  /** A calendar that the host draws; `null`: without words over it. */
  hostCalendar(text: string | null): Promise<number>;

  /** Writes a command to the clock's profile. */
  teach(lesson: Lesson): Promise<void>;
  /** Sends a command once and writes nothing. */
  tryLesson(lesson: Lesson): Promise<number>;

  cancel(operation: number): Promise<void>;
  dismiss(operation: number): Promise<void>;

  /** `null`: this computer's zone. */
  setTime(zone: string | null): Promise<number>;
  setFace(face: Face): Promise<number>;
  toggle(toggle: Toggle): Promise<number>;
  quietHours(hours: { on: boolean; start_hour: number; end_hour: number }): Promise<number>;
  clear(): Promise<number>;

  /** The codes of the faults that are mended in the system's settings, where the app can open those. */
  systemSettings(): Promise<string[]>;
  /** Whether the system starts Regie at login; null where it does not say. */
  startsAtLogin(): Promise<boolean | null>;
  startAtLogin(on: boolean): Promise<void>;
  /** Opens the system's settings at the place for the fault with this code. */
  openSystemSettings(code: string): Promise<void>;

  scan(): Promise<void>;
  chooseClock(address: string | null): Promise<void>;
  zones(): Promise<string[]>;

  agents(): Promise<AgentsState>;
  /** Calls back with the agents' whole state after each change; answers how to stop that. */
  onAgents(callback: (agents: AgentsState) => void): Promise<() => void>;
  switchServer(on: boolean): Promise<void>;
  makeToken(name: string): Promise<TokenSecret>;
  revealToken(id: string): Promise<string>;
  replaceToken(id: string): Promise<TokenSecret>;
  renameToken(id: string, name: string): Promise<void>;
  revokeToken(id: string): Promise<void>;
  clientConfigurations(): Promise<ClientConfiguration[]>;
  /** One configuration with the secret of a token in it; `null`: for a client that needs none. */
  clientConfiguration(client: ClientConfiguration["client"], token: string | null): Promise<string>;

  room(): Promise<RoomState>;
  /** Calls back with the room's whole state after each change; answers how to stop that. */
  onRoom(callback: (room: RoomState) => void): Promise<() => void>;
  askDevice(device: string, request: DeviceRequest): Promise<DeviceAnswer>;
  saveDevice(form: DeviceForm): Promise<void>;
  /** Forgets a device and its token. */
  removeDevice(device: string): Promise<void>;
  /** `null`: takes the token away. */
  setDeviceToken(device: string, token: string | null): Promise<void>;
  /** Shows a found device no more, by its key. */
  ignoreFound(key: string): Promise<void>;
  /** Shows an ignored device again, by the name that the settings have. */
  stopIgnoring(name: string): Promise<void>;
  /** Asks at an address what is there; answers it as a found device. */
  lookAtDevice(address: string): Promise<FoundDevice>;
  /** Asks a device for its status at once. */
  tryDeviceNow(device: string): Promise<void>;
  /** What was kept of its readings, oldest first; `since` in milliseconds since 1970. */
  deviceHistory(device: string, since: number): Promise<DeviceSample[]>;

  saveSettings(settings: Settings): Promise<void>;
  journal(limit: number): Promise<JournalEntry[]>;
}

/** File name endings offered by the file dialogs. What is not a picture is refused by the app, with the reason. */
export const PICTURE_EXTENSIONS = ["jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "avif", "svg"];

/** Whatever a transport threw, as something that can be said to a person. */
export function asFault(error: unknown): Fault {
  if (isFault(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "window-internal",
    agent_code: "INTERNAL",
    message: `Something went wrong in the window: ${message}`,
    hint: "Try again; if it stays, restart Regie.",
    params: { detail: message },
  };
}

function isFault(error: unknown): error is Fault {
  return typeof error === "object" && error !== null && "code" in error && "message" in error && "hint" in error;
}
