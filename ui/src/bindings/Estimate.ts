export type Estimate = { send_seconds: number, refresh_seconds: number, };
