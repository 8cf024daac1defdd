// A device as a person fills it in.
import type { DeviceForm } from "../bindings/DeviceForm";
import type { DeviceSettings } from "../bindings/DeviceSettings";
import type { DeviceState } from "../bindings/DeviceState";
import type { FoundDevice } from "../bindings/FoundDevice";

/** As the app has it: letters without accents, digits, hyphens, underscores and full stops. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const LONGEST_ID = 64;
const LOUDEST = 100;

export function validId(id: string): boolean {
  return ID.test(id);
}

/** An identifier that resembles a name: "Boîte à secrets" -> "boite-a-secrets". */
export function idFrom(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST_ID);
}

export function formOfFound(found: FoundDevice): DeviceForm {
  return {
    id: found.suggested_id,
    replaces: null,
    found: found.key,
    name: found.name,
    room: found.room ?? "",
    address: found.address,
    via: null,
    volume_limit: LOUDEST,
    token: null,
  };
}

/** `written`: what a person has set of it; without an address there, it is followed under the name it was found by. */
export function formOfDevice(device: DeviceState, written: DeviceSettings | undefined): DeviceForm {
  return {
    id: device.id,
    replaces: device.id,
    found: null,
    name: device.name,
    room: device.room ?? "",
    address: written ? written.address : device.via === null ? device.address : null,
    via: device.via,
    volume_limit: device.volume_limit,
    token: null,
  };
}

/** The rooms there are, for a suggestion. */
export function rooms(devices: readonly DeviceState[]): string[] {
  return [...new Set(devices.flatMap(({ room }) => room ?? []))];
}

/** Those that can relay to another: they are reached themselves, and are not the one in question. */
export function gateways(devices: readonly DeviceState[], id: string | null): DeviceState[] {
  return devices.filter((device) => device.via === null && device.id !== id);
}
