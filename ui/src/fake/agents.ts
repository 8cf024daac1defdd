// The agents' side of the fake host: a server that can be switched, tokens, agents that call.
import type { AccessToken } from "../bindings/AccessToken";
import type { AgentSettings } from "../bindings/AgentSettings";
import type { AgentsState } from "../bindings/AgentsState";
import type { CallRecord } from "../bindings/CallRecord";
import type { ConnectedAgent } from "../bindings/ConnectedAgent";
import type { TokenSecret } from "../lib/api";
import { FAULTS } from "./faults";
import type { Scenario } from "./scenario";

type Invented = Pick<CallRecord, "agent" | "transport" | "tool" | "arguments" | "code" | "summary"> & { ms: number };

const CODE = "Claude Code 2.1.4";
const DESKTOP = "Claude Desktop 1.9";
const INVENTED: readonly Invented[] = [
  { agent: CODE, transport: "http", tool: "upload_image", arguments: '{"source":"/home/marie/Pictures/sale.png","slot":1,"algo":"atkinson","adjust":{"contrast":12,"fit":"contain"}}', code: null, summary: "The picture is on the clock, in slot 1: 127 packets, 7.9 s.", ms: 27_900 },
  { agent: DESKTOP, transport: "stdio", tool: "device_status", arguments: "{}", code: null, summary: "NRF-325608 is connected and shows slot 1.", ms: 3 },
  { agent: CODE, transport: "http", tool: "set_mode", arguments: '{"mode":"clock2"}', code: "INVALID_PARAM", summary: "The clock’s command for clock2 is not known. Add it to clock-profile.toml if you know it.", ms: 1 },
  { agent: CODE, transport: "http", tool: "preview_image", arguments: '{"source":"/home/marie/Pictures/sale.png"}', code: null, summary: "400 × 300, 61 % white, 30 % black, 9 % red.", ms: 84 },
  { agent: DESKTOP, transport: "stdio", tool: "set_time", arguments: '{"timezone":"Europe/Paris"}', code: null, summary: "The clock’s time is set to Europe/Paris.", ms: 1_240 },
];

/** What a simulated server takes to start or to stop, in milliseconds. */
const SWITCHING_MS = 250;
/** Between two calls of a feed that grows, in milliseconds at the speed of a real clock. */
const CALL_EVERY_MS = 12_000;
const MOST_CALLS = 100;

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export class FakeAgents {
  state: AgentsState = { server: { state: "off" }, connected: [], calls: [] };
  tokens: AccessToken[];
  #scenario: Scenario;
  #settings: AgentSettings;
  #told: (tokens: AccessToken[]) => void;
  #secrets = new Map<string, string>();
  #listeners = new Set<(state: AgentsState) => void>();
  #nextCall = 1;
  #nextToken = 1;

  constructor(scenario: Scenario, settings: AgentSettings, told: (tokens: AccessToken[]) => void) {
    this.#scenario = scenario;
    this.#settings = settings;
    this.#told = told;
    const { agents } = scenario;
    this.tokens = agents === "none" ? [] : [this.#token("Claude Code", 3 * 24 * 60, 2), this.#token("mascarade", 40 * 24 * 60, null)];
    if (scenario.secrets === "memory") this.tokens.push({ ...this.#token("MASCARADE_API_KEY", 0, 30), variable: "MASCARADE_API_KEY" });
    if (agents === "failed") this.state.server = { state: "failed", fault: FAULTS.portTaken(settings.port) };
    if (agents === "on" || agents === "busy" || agents === "none") this.state.server = this.#on();
    if (agents === "on" || agents === "busy") {
      this.state.connected = agents === "busy" ? [...this.#connected(), ...this.#crowd()] : this.#connected();
      const calls = agents === "busy" ? 40 : 5;
      for (let i = calls; i > 0; i--) this.#call(INVENTED[i % INVENTED.length]!, minutesAgo(i * 2), i <= (agents === "busy" ? 2 : 0));
      setInterval(() => this.#live(), (agents === "busy" ? CALL_EVERY_MS / 3 : CALL_EVERY_MS) / scenario.speed);
    }
  }

  listen(callback: (state: AgentsState) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #set(patch: Partial<AgentsState>): void {
    this.state = structuredClone({ ...this.state, ...patch });
    for (const listener of this.#listeners) listener(this.state);
  }

  // ---- the server

  #on(): AgentsState["server"] {
    const { port, reach } = this.#settings;
    const here = [`http://127.0.0.1:${port}/mcp`, `http://[::1]:${port}/mcp`];
    return { state: "on", addresses: reach === "this-network" ? [...here, `http://192.168.1.20:${port}/mcp`] : here };
  }

  switch(on: boolean): void {
    this.#set({ server: { state: on ? "starting" : "stopping" } });
    setTimeout(() => {
      if (!on) return this.#set({ server: { state: "off" }, connected: this.state.connected.filter(({ transport }) => transport === "stdio") });
      // As on a real system the port stays taken until another one is chosen.
      if (this.#scenario.agents === "failed" && this.#settings.port === 8790) {
        return this.#set({ server: { state: "failed", fault: FAULTS.portTaken(8790) } });
      }
      if (this.#settings.reach === "this-network" && this.tokens.length === 0) {
        return this.#set({ server: { state: "failed", fault: FAULTS.noTokenYet() } });
      }
      this.#set({ server: this.#on() });
    }, SWITCHING_MS);
  }

  /** Settings take effect at once: a server that is on moves, one that could not start tries again. */
  take(settings: AgentSettings): void {
    const moved = settings.port !== this.#settings.port || settings.reach !== this.#settings.reach;
    this.#settings = settings;
    const { state } = this.state.server;
    if (moved && (state === "on" || state === "failed")) this.switch(true);
  }

  // ---- calls

  #connected(): ConnectedAgent[] {
    return [
      { name: CODE, transport: "http", token: "Claude Code", address: "127.0.0.1", since: minutesAgo(42), last_call: minutesAgo(2), calls: 31 },
      { name: DESKTOP, transport: "stdio", token: null, address: null, since: minutesAgo(11), last_call: minutesAgo(4), calls: 9 },
    ];
  }

  #crowd(): ConnectedAgent[] {
    return [5, 6, 7].map((n) => ({
      name: `mascarade room ${n}`,
      transport: "http",
      token: "mascarade",
      address: `192.168.1.${n}`,
      since: minutesAgo(90),
      last_call: minutesAgo(n * 3),
      calls: n * 100,
    }));
  }

  #call({ ms, ...call }: Invented, at: string, running: boolean): CallRecord {
    const record: CallRecord = {
      id: this.#nextCall++,
      at,
      ...call,
      code: running ? null : call.code,
      summary: running ? "" : call.summary,
      outcome: running ? "running" : call.code ? "failed" : "done",
      duration_ms: running ? null : ms,
    };
    this.state.calls = [record, ...this.state.calls].slice(0, MOST_CALLS);
    return record;
  }

  /** One more call: it runs for a moment, then ends. */
  #live(): void {
    if (this.state.server.state !== "on") return;
    const invented = INVENTED[this.#nextCall % INVENTED.length]!;
    const { id } = this.#call(invented, new Date().toISOString(), true);
    this.#set({});
    setTimeout(() => {
      const ended: Partial<CallRecord> = {
        outcome: invented.code ? "failed" : "done",
        code: invented.code,
        summary: invented.summary,
        duration_ms: invented.ms,
      };
      this.#set({ calls: this.state.calls.map((call) => (call.id === id ? { ...call, ...ended } : call)) });
    }, CALL_EVERY_MS / 4 / this.#scenario.speed);
  }

  // ---- tokens

  #token(name: string, madeMinutesAgo: number, usedMinutesAgo: number | null): AccessToken {
    const id = `token-${this.#nextToken++}`;
    this.#secrets.set(id, FakeAgents.#invent());
    return {
      id,
      name,
      created: minutesAgo(madeMinutesAgo),
      last_used: usedMinutesAgo === null ? null : minutesAgo(usedMinutesAgo),
      variable: null,
    };
  }

  static #invent(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    return `fake_${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }

  #keep(tokens: AccessToken[]): void {
    this.tokens = tokens;
    this.#told(tokens);
  }

  #known(id: string): AccessToken {
    const token = this.tokens.find((one) => one.id === id);
    if (!token) throw FAULTS.noToken();
    return token;
  }

  secret(id: string): string {
    this.#known(id);
    return this.#secrets.get(id) ?? "";
  }

  make(name: string): TokenSecret {
    if (!name.trim()) throw FAULTS.nameless();
    const token = this.#token(name.trim(), 0, null);
    this.#keep([...this.tokens, token]);
    return { token, secret: this.secret(token.id) };
  }

  replace(id: string): TokenSecret {
    const token = { ...this.#known(id), created: minutesAgo(0), last_used: null };
    this.#secrets.set(id, FakeAgents.#invent());
    this.#keep(this.tokens.map((one) => (one.id === id ? token : one)));
    return { token, secret: this.secret(id) };
  }

  rename(id: string, name: string): void {
    if (!name.trim()) throw FAULTS.nameless();
    const token = { ...this.#known(id), name: name.trim() };
    this.#keep(this.tokens.map((one) => (one.id === id ? token : one)));
  }

  revoke(id: string): void {
    this.#known(id);
    this.#keep(this.tokens.filter((one) => one.id !== id));
  }
}
