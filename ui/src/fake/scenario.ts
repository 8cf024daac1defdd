// What the address asks the fake host to do: fake.html?state=...&fault=...&theme=...&lang=...
import type { Language } from "../bindings/Language";
import type { Theme } from "../bindings/Theme";

export type Scenario = {
  /** Where the window starts. */
  state: "rest" | "first" | "sending" | "done" | "failed" | "unknown" | "cancelled" | "listening" | "radio-off" | "no-adapter" | "no-clock" | "boot-fault" | "warning";
  /** What happens to operations. */
  fault: "none" | "fail" | "unknown" | "refuse" | "stall";
  /** How the agents' side starts: on with two agents, on with many calls, failed, or on with nobody and no token. */
  agents: "off" | "on" | "busy" | "failed" | "none";
  /** How the room starts: with every state there is, ready for players, empty, or where devices cannot be searched for. */
  room: "all" | "ready" | "empty" | "unavailable";
  secrets: "keyring" | "file" | "memory";
  /** From where agents may come. */
  network: boolean;
  theme: Theme;
  lang: Language;
  /** Real clocks instead of simulated ones. */
  real: boolean;
  demo: boolean;
  /** Slots already filled, and a picture already open. */
  slots: number;
  picture: boolean;
  /** How many times faster than a real clock. */
  speed: number;
  /** How long a render takes, to see the queue at work. */
  renderMs: number;
};

export function scenario(search: string): Scenario {
  const q = new URLSearchParams(search);
  return {
    state: (q.get("state") ?? "rest") as Scenario["state"],
    fault: (q.get("fault") ?? "none") as Scenario["fault"],
    agents: (q.get("agents") ?? "off") as Scenario["agents"],
    room: (q.get("room") ?? "empty") as Scenario["room"],
    secrets: (q.get("secrets") ?? "keyring") as Scenario["secrets"],
    network: q.has("network"),
    theme: (q.get("theme") ?? "system") as Theme,
    lang: (q.get("lang") ?? "en") as Language,
    real: q.has("real"),
    demo: q.has("demo"),
    slots: Number(q.get("slots") ?? 0),
    picture: q.has("picture"),
    speed: Number(q.get("speed") ?? 4),
    renderMs: Number(q.get("render") ?? 0),
  };
}
