export type KnownClock = { address: string, name: string, simulated: boolean };
