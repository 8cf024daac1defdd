import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|svelte)$/.test(name));

// IMG-17: a backend that is not real must never reach users unasked.
describe("the shipped bundle", () => {
  it("takes nothing from the fake host", () => {
    expect(files.length).toBeGreaterThan(40);
    for (const file of files.filter((name) => !name.startsWith("fake"))) {
      const text = readFileSync(join(SOURCE, file), "utf8");
      for (const [, path] of text.matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)) {
        const target = relative(SOURCE, resolve(SOURCE, dirname(file), path ?? ""));
        expect([file, target.startsWith("fake")]).toEqual([file, false]);
      }
    }
  });

  it("has no text of its own: a sentence in a component belongs in the catalogues", () => {
    for (const file of files.filter((name) => name.endsWith(".svelte"))) {
      const markup = readFileSync(join(SOURCE, file), "utf8")
        .replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "")
        .replace(/&\w+;/g, "")
        .replace(/\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "");
      const said = [...markup.matchAll(/>([^<>]*\p{L}{3,}[^<>]*)</gu)].map((match) => match[1]!.trim());
      expect([file, said.filter((text) => text !== "Regie")]).toEqual([file, []]);
    }
  });
});
