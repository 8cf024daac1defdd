// The transport of the real window: Tauri commands and events.
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open } from "@tauri-apps/plugin-dialog";
import type { AppState } from "../bindings/AppState";
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
    async pickFile(title, filter) {
      const path = await open({
        title,
        multiple: false,
        directory: false,
        filters: [{ name: filter, extensions: PICTURE_EXTENSIONS }],
      });
      return path === null ? null : { path };
    },

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
    openSystemSettings: (code) => invoke("open_system_settings", { code }),

    scan: () => invoke("scan"),
    chooseClock: (address) => invoke("choose_clock", { address }),
    zones: () => invoke("zones"),

    saveSettings: (settings) => invoke("save_settings", { settings }),
    journal: (limit) => invoke("journal", { limit }),
  };
}
