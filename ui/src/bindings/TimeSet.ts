export type TimeSet = { at: string , zone: string };
