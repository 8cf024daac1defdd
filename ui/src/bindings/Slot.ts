export type Slot = { slot: number, name: string, changed: string, };
