import { describe, expect, it } from "vitest";
import type { TextPage } from "../../src/bindings/TextPage";
import { apart, oneLine } from "../../src/lib/text.svelte";

const page: TextPage = { text: "Open", ink: "black", paper: "white", align: "centre", bold: false, size: null };

describe("ink and paper", () => {
  it("are never the same: choosing one for both swaps them", () => {
    expect(apart(page, { ink: "white" })).toMatchObject({ ink: "white", paper: "black" });
    expect(apart(page, { paper: "black" })).toMatchObject({ ink: "white", paper: "black" });
    expect(apart(page, { ink: "red" })).toMatchObject({ ink: "red", paper: "white" });
  });
});

describe("a calendar's text", () => {
  it("is one line", () => {
    expect(oneLine("  Closed\n today\t! ")).toBe("Closed today !");
  });
});
