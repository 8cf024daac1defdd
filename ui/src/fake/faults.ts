import type { Fault } from "../bindings/Fault";

function fault(code: string, agent_code: string, message: string, hint: string, params: Record<string, string> = {}): Fault {
  return { code, agent_code, message, hint, params };
}

export const FAULTS = {
  notPicture: (name: string) =>
    fault("fake-not-a-picture", "INVALID_PARAM", `“${name}” is not a picture that Regie can read.`, "Open a JPEG, PNG, WebP, GIF, BMP, TIFF or SVG file.", { name }),
  empty: (name: string) =>
    fault("fake-empty", "INVALID_PARAM", `“${name}” is empty.`, "Copy or save the picture again.", { name }),
  lost: () =>
    fault("fake-link-lost", "DEVICE_DISCONNECTED", "The clock went out of reach while the picture was being sent, twice.", "Move the clock closer to this computer, close its phone app, then try again."),
  unknown: () =>
    fault("fake-unconfirmed", "DEVICE_DISCONNECTED", "All data arrived, but the clock did not say that it has drawn it.", "Look at the clock: if it shows the picture after half a minute, all is well; if not, show it again."),
  busy: () =>
    fault("fake-busy", "BLE_ERROR", "Another job is under way on the clock.", "Wait until it has ended, or cancel it."),
  refused: () =>
    fault("fake-refused", "BLE_ERROR", "The clock refuses the connection: another program or a phone holds it.", "Close the clock's app on the phone, then try again."),
  radioOff: () =>
    fault("fake-radio-off", "BLE_ERROR", "Bluetooth is switched off on this computer.", "Turn it on in the system's settings."),
  noAdapter: () =>
    fault("fake-no-adapter", "BLE_ERROR", "This computer has no Bluetooth adapter.", "Plug in a Bluetooth adapter, or use simulated devices in Settings."),
  gone: () => fault("fake-gone", "INVALID_PARAM", "This picture is no longer open.", "Open it again."),
  missingField: (field: string, allowed: string) =>
    fault("missing-field", "INVALID_PARAM", `${field} is missing; wanted: ${allowed}.`, "Fill in the field as the template's form says.", { field, allowed }),
  invalidField: (field: string, allowed: string) =>
    fault("invalid-field", "INVALID_PARAM", `${field} cannot be so; allowed: ${allowed}.`, "Fill in the field as the template's form says.", { field, allowed }),
  textTooLong: (field: string) =>
    fault("text-too-long", "INVALID_PARAM", `The text of ${field} does not fit on the panel, even in small type.`, "Shorten the text.", { field }),
  charactersMissing: (characters: string) =>
    fault("characters-missing", "INVALID_PARAM", `No font on this computer can draw ${characters}.`, "Write it in other characters, or install a font that has these.", { characters }),
  cellCount: (cells: number, limit: number) =>
    fault("cell-count", "INVALID_PARAM", `The line has ${cells} characters; there is room for 1 to ${limit}.`, "Shorten the text.", { cells: String(cells), limit: String(limit) }),
  past: (date: string) =>
    fault("date-past", "INVALID_PARAM", `${date} is over.`, "Give a day to come.", { date }),
  denied: (command: string) =>
    fault("raw-denied", "INVALID_PARAM", `The command ${command} can harm the clock; it is blocked.`, "Use another command.", { command, channel: "main" }),
  boot: () => fault("fake-boot", "INTERNAL", "The settings folder cannot be read.", "Check its permissions."),
};
