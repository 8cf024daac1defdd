import { describe, expect, it } from "vitest";
import { CATALOGUES, fill, type Locale, Translator } from "../../src/lib/translator";

const FOREIGN: readonly Locale[] = ["fr", "zh"];
/** English of faults and notes comes from the app, so only the other languages have entries. */
const fromApp = (key: string) => /^(fault|note|param)\./.test(key);
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

describe("catalogues", () => {
  it("English holds no fault or note texts: they come from the app", () => {
    expect(Object.keys(CATALOGUES.en).filter(fromApp)).toEqual([]);
  });

  it.each(FOREIGN)("%s has the keys of English, in its order", (locale) => {
    const keys = Object.keys(CATALOGUES[locale]).filter((key) => !fromApp(key));
    expect(keys).toEqual(Object.keys(CATALOGUES.en));
  });

  it.each(FOREIGN)("%s has the placeholders of English in every text", (locale) => {
    for (const [key, english] of Object.entries(CATALOGUES.en)) {
      expect([key, placeholders(CATALOGUES[locale][key] ?? "")]).toEqual([key, placeholders(english)]);
    }
  });

  it("French and Chinese translate the same faults and notes, with the same placeholders", () => {
    const fr = Object.keys(CATALOGUES.fr).filter(fromApp);
    expect(Object.keys(CATALOGUES.zh).filter(fromApp)).toEqual(fr);
    for (const key of fr) {
      expect([key, placeholders(CATALOGUES.zh[key]!)]).toEqual([key, placeholders(CATALOGUES.fr[key]!)]);
    }
  });

  it.each(["en", ...FOREIGN] as const)("%s has no empty text and no space at an end", (locale) => {
    for (const [key, text] of Object.entries(CATALOGUES[locale])) {
      expect([key, text.trim().length > 0 && text === text.trim()]).toEqual([key, true]);
    }
  });

  it("every plural has both forms in every language", () => {
    for (const catalogue of Object.values(CATALOGUES)) {
      for (const key of Object.keys(catalogue)) {
        if (key.endsWith(".one")) expect(catalogue).toHaveProperty([key.replace(/one$/, "other")]);
      }
    }
  });

  it("French sets a no-break space before high punctuation", () => {
    for (const [key, text] of Object.entries(CATALOGUES.fr)) {
      expect([key, / [:;?!»]|« /.test(text)]).toEqual([key, false]);
    }
  });
});

describe("fill", () => {
  it("puts parameters in and leaves a missing one visible", () => {
    expect(fill("{a} of {b}, {a}", { a: 1 })).toBe("1 of {b}, 1");
  });
});

describe("translator", () => {
  const en = new Translator("en");
  const fr = new Translator("fr");
  const zh = new Translator("zh");

  it("chooses plural forms as the language does", () => {
    expect(en.n("progress.packets", 1, { done: "0" })).toBe("0 of 1 packet");
    expect(en.n("progress.packets", 127, { done: "63" })).toBe("63 of 127 packets");
    expect(fr.n("report.resent", 0)).toBe("0 paquet renvoyé");
    expect(zh.n("report.resent", 3)).toBe("重发 3 个数据包");
  });

  it("says lengths of time as a person does", () => {
    expect(en.duration(8)).toBe("8 s");
    expect(en.duration(3.24)).toBe("3.2 s");
    expect(fr.duration(3.24)).toBe("3,2\u00a0s");
    expect(en.duration(300)).toBe("5 min");
    expect(zh.milliseconds(412)).toBe("412 毫秒");
  });

  it("gives the time of day today and the date on other days", () => {
    const now = new Date(2026, 4, 4, 15, 0);
    expect(fr.when(new Date(2026, 4, 4, 9, 5), now)).toBe("09:05");
    expect(fr.when(new Date(2026, 4, 3, 9, 5), now)).toContain("3 mai 2026");
    expect(en.when("not a date", now)).toBe("not a date");
  });

  it("says the next step of the system that the app runs on (BLE-8)", () => {
    const off = (system: string) => ({ code: "bluetooth-off", agent_code: "BLE_ERROR", message: "", hint: "", params: { system } });
    for (const tr of [fr, zh]) {
      const steps = ["windows", "linux", "macos", "another"].map((system) => tr.faultHint(off(system)));
      expect(new Set(steps).size).toBe(4);
      expect(steps[1]).toContain("rfkill");
    }
  });

  it("leaves English faults as they come, and falls back to them where a language has no entry", () => {
    const fault = { code: "no-such-code", agent_code: "INTERNAL", message: "It broke.", hint: "Mend it.", params: {} };
    for (const tr of [en, fr, zh]) {
      expect(tr.faultMessage(fault)).toBe("It broke.");
      expect(tr.faultHint(fault)).toBe("Mend it.");
    }
    expect(fr.note({ code: "transparency-flattened", message: "", params: { background: "white" } })).toContain("fond blanc");
    const pdf = { code: "not-a-picture", agent_code: "INVALID_PARAM", message: "", hint: "", params: { found: "a PDF document" } };
    expect(fr.faultMessage(pdf)).toBe("Ce n’est pas une image mais un document PDF.");
    expect(zh.faultMessage(pdf)).toBe("这不是图片，而是 PDF 文档。");
    expect(en.note({ code: "first-frame", message: "Shows the first of 12 frames.", params: {} })).toBe("Shows the first of 12 frames");
    expect(zh.note({ code: "no-such-note", message: "Turned", params: {} })).toBe("Turned");
  });
});
