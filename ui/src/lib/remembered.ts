// What a person used last on a device, kept by this window. A browser that keeps nothing forgets it, and that is all.

/** Sounds that are offered again. */
const MOST_SOUNDS = 6;

export type DeviceMemory = {
  sounds: string[];
  volume: number | null;
  event: { type: string; name: string } | null;
  override: { name: string; target: string } | null;
};

const NOTHING: DeviceMemory = { sounds: [], volume: null, event: null, override: null };
const key = (device: string) => `device ${device}`;

export function remembered(device: string): DeviceMemory {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(device)) ?? "null");
    return typeof kept === "object" && kept !== null ? { ...NOTHING, ...kept } : NOTHING;
  } catch {
    return NOTHING;
  }
}

export function remember(device: string, patch: Partial<DeviceMemory>): DeviceMemory {
  const memory = { ...remembered(device), ...patch };
  try {
    localStorage.setItem(key(device), JSON.stringify(memory));
  } catch {
    // Full or refused: it holds until the window closes.
  }
  return memory;
}

/** A sound put first among those used. */
export function withSound(sounds: readonly string[], sound: string): string[] {
  return [sound, ...sounds.filter((other) => other !== sound)].slice(0, MOST_SOUNDS);
}
