import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../src/bindings/CallRecord";
import type { ServerState } from "../../src/bindings/ServerState";
import { argumentLines, authority, held, isLoopback, isOn, portOf, serverTone, serverWords } from "../../src/lib/agents";
import { Translator } from "../../src/lib/translator";

const fault = { code: "port-taken", agent_code: "INTERNAL", message: "", hint: "", params: {} };
const on: ServerState = { state: "on", addresses: ["http://127.0.0.1:8790/mcp", "http://[::1]:8790/mcp"] };
const STATES: ServerState[] = [{ state: "off" }, { state: "starting" }, on, { state: "stopping" }, { state: "failed", fault }];
const call = (id: number, outcome: CallRecord["outcome"] = "done") => ({ id, outcome }) as CallRecord;

describe("the server in words", () => {
  it("each state has a word and a shape of its own, and the address that is bound (PORT-3)", () => {
    expect(STATES.map((state) => serverWords(new Translator("en"), state))).toEqual([
      "off",
      "starting",
      "on at 127.0.0.1:8790",
      "stopping",
      "failed",
    ]);
    expect(STATES.map(serverTone)).toEqual(["off", "busy", "good", "busy", "bad"]);
    expect(STATES.map(isOn)).toEqual([false, true, true, false, false]);
    expect(serverWords(new Translator("fr"), { state: "on", addresses: [] })).toBe("en marche");
  });

  it("an address is told by its host and port, and leads to this computer or to another", () => {
    expect(authority("http://[::1]:8790/mcp")).toBe("[::1]:8790");
    expect(authority("regie")).toBe("regie");
    const here = ["http://127.0.0.1:1/mcp", "http://localhost:1/mcp", "http://[::1]:1/mcp", "127.0.0.1", "127.0.0.1:51234", "::1"];
    expect(here.map(isLoopback)).toEqual([true, true, true, true, true, true]);
    expect(["http://192.168.1.20:1/mcp", "http://127.evil.example/mcp", "10.0.0.2"].map(isLoopback)).toEqual([false, false, false]);
  });
});

describe("a port", () => {
  it.each([["1", 1], [" 8790 ", 8790], ["65535", 65_535]])("%j is one", (text, port) => {
    expect(portOf(text)).toBe(port);
  });

  it.each(["", "0", "65536", "-1", "80.5", "8e3", "http", "000000080"])("%j is none", (text) => {
    expect(portOf(text)).toBeNull();
  });
});

describe("a call", () => {
  it("shows its arguments a name a line, nothing where there are none, and as they came where they were cut", () => {
    expect(argumentLines('{"slot":1}')).toBe('{\n  "slot": 1\n}');
    expect(argumentLines("{}")).toBe("");
    expect(argumentLines('{"source":"data:ima…')).toBe('{"source":"data:ima…');
  });
});

describe("a feed that is read", () => {
  it("follows while nobody reads", () => {
    expect(held([call(2), call(1)], null)).toEqual({ shown: [call(2), call(1)], waiting: 0 });
  });

  it("keeps its lines in their places, lets them end, and counts what waits", () => {
    const seen = [call(2, "running"), call(1)];
    const { shown, waiting } = held([call(4), call(3), call(2)], seen);
    expect(shown).toEqual([call(2), call(1)]);
    expect(waiting).toBe(2);
  });
});
