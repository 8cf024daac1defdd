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
  portTaken: (port: number) =>
    fault("port-taken-by", "INTERNAL", `Port ${port} is used by nginx (4711).`, "Quit that program, or choose another port in the settings and in your agents.", { port: String(port), holder: "nginx (4711)" }),
  noTokenYet: () =>
    fault("no-token", "INTERNAL", "There is no token yet, so agents on the network cannot be let in.", "Make a token in the Agents view first."),
  noKeyring: () =>
    fault("fake-no-keyring", "INTERNAL", "This system has no keyring that Regie can use.", "Install one, such as GNOME Keyring, and sign in again; until then a token must be given to its agent again after each start."),
  noToken: () => fault("token-unknown", "INVALID_PARAM", "This token no longer exists.", "Choose another one, or make one."),
  nameless: () => fault("fake-token-name", "INVALID_PARAM", "A token needs a name.", "Name the agent that gets it."),
  deviceUnknown: (id: string) =>
    fault("device-unknown", "INVALID_PARAM", `There is no device “${id}”.`, "Use one of the devices that are listed, or add it first.", { id, known: "" }),
  deviceTaken: (id: string) => fault("device-id-taken", "INVALID_PARAM", `There is a device “${id}” already.`, "Choose another name.", { id }),
  addressInvalid: (address: string) =>
    fault("device-address-invalid", "INVALID_PARAM", `“${address}” is no address of a device.`, "Give an address such as 192.168.0.50 or 192.168.0.50:8080, or a name such as zacus.local.", { address }),
  addressPublic: (address: string) =>
    fault("device-address-not-private", "INVALID_PARAM", `${address} is not on a private network.`, "Devices are only driven on networks of one's own, such as 192.168.x.x or 10.x.x.x.", { address }),
  deviceUnreachable: (device: string, detail: string) =>
    fault("device-unreachable", "DEVICE_DISCONNECTED", `${device} does not answer: ${detail}.`, "Check that it has power and is on this network, then try again.", { device, detail }),
  deviceToken: (device: string, fault_: "missing" | "refused" | "reading-only" | "setup-mode") =>
    ({
      missing: fault("device-token-missing", "INTERNAL", `${device} asks for a token.`, "Give the device's token in the Room view.", { device }),
      refused: fault("device-token-refused", "INTERNAL", `${device} refuses this token.`, "Give another token; the board prints its own on the serial line when it starts.", { device }),
      "reading-only": fault("device-token-reading-only", "INTERNAL", `${device} accepts this token for reading only.`, "Give the token for writing; this firmware has two, and prints both on the serial line when it starts.", { device }),
      "setup-mode": fault("device-setup-mode", "INTERNAL", `${device} is not set up yet and lets nobody in.`, "Join its setup network and give it the Wi-Fi of this room, or set its token over the serial line.", { device }),
    })[fault_],
  deviceThrottled: (device: string, until: number) =>
    fault("device-throttled", "INTERNAL", `${device} asks to be left alone for a moment.`, "Try again in a moment.", { device, detail: "too many requests", seconds: ((until - Date.now()) / 1000).toFixed(1) }),
  deviceNonsense: (device: string, detail: string) =>
    fault("device-nonsense", "INTERNAL", `${device} answered with something unexpected: ${detail}.`, "Check that this is the right device at the right address, and restart it if it stays.", { device, detail }),
  deviceRefused: (device: string, detail: string) =>
    fault("device-refused", "INTERNAL", `${device} refused it: ${detail}.`, "Check that what was asked for exists on the device.", { device, detail }),
  deviceCannot: (device: string, part: string) =>
    fault("device-cannot-do", "INVALID_PARAM", `${device} cannot do this: ${part}.`, "Leave this part out, or use what the device's card says it can do.", { device, family: "story-v2", part }),
  cameraBlocked: (device: string) =>
    fault("camera-blocked", "INTERNAL", `The camera of ${device} may not be used now.`, "Its camera rests while the board draws or records; try again in a moment, or in another scene.", { device, detail: "camera_blocked_by_resource_profile", seconds: "1.0" }),
  boot: () => fault("fake-boot", "INTERNAL", "The settings folder cannot be read.", "Check its permissions."),
};
