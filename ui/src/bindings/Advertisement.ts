export type Advertisement = { address: string, name: string, rssi: number | null, simulated: boolean };
