// The transport of the real window: Tauri commands and events.
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open } from "@tauri-apps/plugin-dialog";
import type { AgentsState } from "../bindings/AgentsState";
import type { AppState } from "../bindings/AppState";
import type { RoomState } from "../bindings/RoomState";
import { type Api, PICTURE_EXTENSIONS, type Source } from "./api";

export function tauriApi(): Api {
  // Files come by native drop, which has paths. Without this the web view would leave the page for a dropped file.
  for (const type of ["dragover", "drop"]) window.addEventListener(type, (event) => event.preventDefault());

  return {
    state: () => invoke("state"),
    onState: (callback) => listen<AppState>("state", (event) => callback(event.payload)),
    onDrop: (callback) =>
      getCurrentWebview().onDragDropEvent(({ payload }) => {
        if (payload.type === "enter" || payload.type === "leave") callback({ type: payload.type });
        if (payload.type === "drop") {
          const path = payload.paths[0];
          callback({ type: "drop", source: path === undefined ? null : { path }, files: payload.paths.length });
        }
      }),
    async onHandedOver(callback) {
      const take = async () => {
        const path = await invoke<string | null>("handed_over");
        if (path !== null) callback({ path });
      };
      const stop = await listen("handed-over", () => void take());
      await take();
      return stop;
    },
    async pickFile(title, filter) {
      const path = await open({
        title,
        multiple: false,
        directory: false,
        filters: [{ name: filter, extensions: PICTURE_EXTENSIONS }],
      });
      return path === null ? null : { path };
    },
    pickFolder: (title) => open({ title, multiple: false, directory: true }),

    open: (source: Source) =>
      "path" in source
        ? invoke("open_path", { path: source.path })
        : invoke("open_bytes", source.bytes, { headers: { name: encodeURIComponent(source.name) } }),
    render: (request) => invoke("render", request),
    original: (request) => invoke("original", request),
    thumbnails: (request) => invoke("thumbnails", request),
    slotPicture: (slot) => invoke("slot_picture", { slot }),
    simulatedScreen: () => invoke("simulated_screen"),

    show: (request) => invoke("show", request),
    showSlot: (slot) => invoke("show_slot", { slot }),
    templates: () => invoke("templates"),
    compose: (composition) => invoke("compose", { composition }),
    showComposition: (request) => invoke("show_composition", request),

    countdown: (plan) => invoke("countdown", { plan }),
    countdownOff: () => invoke("countdown_off"),
    countdownLine: (request) => invoke("countdown_line", request),
    calendarText: (text) => invoke("calendar_text", { text }),
    hostCalendar: (text) => invoke("host_calendar", { text }),

    teach: (lesson) => invoke("teach", { lesson }),
    tryLesson: (lesson) => invoke("try_lesson", { lesson }),

    cancel: (operation) => invoke("cancel", { operation }),
    dismiss: (operation) => invoke("dismiss", { operation }),

    setTime: (zone) => invoke("set_time", { zone }),
    setFace: (face) => invoke("set_face", { face }),
    toggle: (toggle) => invoke("toggle", { toggle }),
    // Tauri names arguments in camel case on this side of the bridge.
    quietHours: ({ on, start_hour, end_hour }) =>
      invoke("quiet_hours", { on, startHour: start_hour, endHour: end_hour }),
    clear: () => invoke("clear"),

    systemSettings: () => invoke("system_settings"),
    startsAtLogin: () => invoke("starts_at_login"),
    startAtLogin: (on) => invoke("start_at_login", { on }),
    openSystemSettings: (code) => invoke("open_system_settings", { code }),

    scan: () => invoke("scan"),
    chooseClock: (address) => invoke("choose_clock", { address }),
    zones: () => invoke("zones"),

    agents: () => invoke("agents"),
    onAgents: (callback) => listen<AgentsState>("agents", (event) => callback(event.payload)),
    switchServer: (on) => invoke("switch_server", { on }),
    makeToken: (name) => invoke("make_token", { name }),
    revealToken: (id) => invoke("reveal_token", { id }),
    replaceToken: (id) => invoke("replace_token", { id }),
    renameToken: (id, name) => invoke("rename_token", { id, name }),
    revokeToken: (id) => invoke("revoke_token", { id }),
    clientConfigurations: () => invoke("client_configurations"),
    clientConfiguration: (client, token) => invoke("client_configuration", { client, token }),

    room: () => invoke("room"),
    onRoom: (callback) => listen<RoomState>("room", (event) => callback(event.payload)),
    askDevice: (device, request) => invoke("ask_device", { device, request }),
    saveDevice: (form) => invoke("save_device", { form }),
    removeDevice: (device) => invoke("remove_device", { device }),
    setDeviceToken: (device, token) => invoke("set_device_token", { device, token }),
    ignoreFound: (key) => invoke("ignore_found", { key }),
    stopIgnoring: (name) => invoke("stop_ignoring", { name }),
    lookAtDevice: (address) => invoke("look_at_device", { address }),
    tryDeviceNow: (device) => invoke("try_device_now", { device }),
    deviceHistory: (device, since) => invoke("device_history", { device, since }),

    saveSettings: (settings) => invoke("save_settings", { settings }),
    journal: (limit) => invoke("journal", { limit }),
  };
}
