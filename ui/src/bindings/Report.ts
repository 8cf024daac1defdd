export type Report = { bytes: number, packets: number, packets_resent: number, duration_ms: number, reconnects: number };
