export type Devices = "bluetooth" | "simulated";
