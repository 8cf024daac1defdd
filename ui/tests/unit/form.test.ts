import { describe, expect, it } from "vitest";
import { TEMPLATES } from "../../src/fake/templates";
import { type Field, formOf, halvesOf } from "../../src/lib/form";
import { charactersOf, codePoints, fieldLabel, optionLabel, templateAbout, templateTitle, wrongs } from "../../src/lib/formwords";
import { type Draft, draftOf, emptyRow, numbersOf, payloadOf, type Row, sameForm } from "../../src/lib/payload";
import { moved } from "../../src/lib/rows";
import { Translator } from "../../src/lib/translator";

const en = new Translator("en");
const named = (name: string) => formOf(TEMPLATES.find((template) => template.name === name)!.schema);
const fault = (code: string, params: Record<string, string>) => ({ code, agent_code: "INVALID_PARAM", message: `${code}.`, hint: "Mend it.", params });

describe("a form", () => {
  it("has the fields of its schema, in the order that the schema asks for", () => {
    const property = (order: number) => ({ type: "string", title: "A", "x-form": { order, label: "x", kind: "line" } });
    expect(formOf({ properties: { last: property(2), first: property(0), middle: property(1) } }).map((f) => f.name)).toEqual(["first", "middle", "last"]);
  });

  it("has the control that each property names, with its limits", () => {
    const kinds = (name: string) => Object.fromEntries(named(name).map((field) => [field.name, field.kind]));
    expect(kinds("notice")).toEqual({ title: "line", body: "paragraph", footer: "line" });
    expect(kinds("metric")).toEqual({ label: "line", value: "figure", unit: "line", change: "figure", tone: "choice", sparkline: "numbers" });
    expect(kinds("qr")).toEqual({ data: "paragraph", url: "line", wifi: "group", caption: "line" });
    expect(named("notice")[0]).toMatchObject({ required: true, maxLength: 80, title: "Title" });
    const items = named("todo")[1]!;
    expect(items).toMatchObject({ kind: "list", maxItems: 8, required: true, entry: { shorthand: "text", texts: false } });
  });

  it("finds a control for a property that names none", () => {
    const fields = formOf({
      type: "object",
      properties: {
        words: { type: "string" },
        pick: { type: "string", enum: ["a", "b"] },
        count: { type: "integer" },
        on: { type: "boolean" },
        part: { type: "object", properties: { inner: { type: "string" } } },
        series: { type: "array", items: { type: "number" } },
        lines: { type: "array", items: { type: "string" } },
      },
    });
    expect(fields.map((f) => f.kind)).toEqual(["line", "choice", "figure", "flag", "group", "numbers", "list"]);
    expect(fields[6]).toMatchObject({ entry: { texts: true } });
  });

  it("sets short neighbours two and two", () => {
    const halves = (fields: readonly Field[]) => [...halvesOf(fields)];
    expect(halves(named("metric"))).toEqual(["value", "unit"]);
    const days = named("weather").find(({ name }) => name === "days")!;
    expect(days.kind === "list" && halves(days.entry.fields)).toEqual(["day", "sky", "high", "low"]);
    expect(halves(named("notice"))).toEqual([]);
  });

  it("of something that is no schema has no fields", () => {
    expect([null, 3, {}, { properties: 4 }].map(formOf)).toEqual([[], [], [], []]);
  });
});

describe("labels", () => {
  const every = (fields: readonly Field[]): Field[] =>
    fields.flatMap((f) => [f, ...(f.kind === "group" ? every(f.fields) : f.kind === "list" ? every(f.entry.fields) : [])]);

  it.each(["en", "fr", "zh"] as const)("%s has one for every field, choice and template", (locale) => {
    const tr = new Translator(locale);
    for (const info of TEMPLATES) {
      expect([info.name, tr.word(`template.${info.name}`), tr.word(`template.${info.name}.about`)]).not.toContain(undefined);
      for (const field of every(formOf(info.schema))) {
        expect([field.label, tr.word(field.label)]).not.toContain(undefined);
        for (const option of field.kind === "choice" ? field.options : []) {
          expect([field.label, option, tr.word(`${field.label}.${option}`)]).not.toContain(undefined);
        }
      }
    }
  });

  it("are those of the schema where a language has none", () => {
    const field = { label: "template.sundial.hour", title: "Hour" };
    expect(fieldLabel(en, field)).toBe("Hour");
    expect(optionLabel(en, field, "noon")).toBe("noon");
    expect(templateTitle(en, { name: "sundial", title: "Sundial" })).toBe("Sundial");
    expect(templateAbout(en, { name: "sundial", about: "Shade." })).toBe("Shade.");
  });
});

describe("a payload", () => {
  it.each(TEMPLATES.map((template) => template.name))("of %s goes through its form unharmed", (name) => {
    const { schema, example } = TEMPLATES.find((template) => template.name === name)!;
    const fields = formOf(schema);
    const { payload, problems } = payloadOf(fields, draftOf(fields, example));
    expect(problems).toEqual([]);
    if (name !== "todo") expect(payload).toMatchObject(example as object);
    expect(sameForm(fields, draftOf(fields, payload), draftOf(fields, example))).toBe(true);
  });

  it("may say a row by its text alone", () => {
    const fields = named("todo");
    const { payload } = payloadOf(fields, draftOf(fields, { items: ["Sweep", { text: "Lock", done: true }] }));
    expect(payload).toEqual({ items: [{ text: "Sweep" }, { text: "Lock", done: true }] });
  });

  it("may be a list of texts", () => {
    const fields = formOf({ properties: { lines: { type: "array", items: { type: "string" } } } });
    expect(payloadOf(fields, draftOf(fields, { lines: ["one", "two"] })).payload).toEqual({ lines: ["one", "two"] });
  });

  it("leaves out what nothing was written in: texts, groups, rows", () => {
    const weather = named("weather");
    expect(payloadOf(weather, draftOf(weather, {})).payload).toEqual({});
    expect(payloadOf(weather, draftOf(weather, { place: "Lyon", now: { sky: "clear" } })).payload).toEqual({ place: "Lyon" });
    expect(payloadOf(weather, draftOf(weather, { now: { sky: "rain" } })).payload).toEqual({ now: { sky: "rain" } });
    const qr = named("qr");
    const hidden = { wifi: { ssid: "", hidden: true, security: "wpa" } };
    expect(payloadOf(qr, draftOf(qr, hidden)).payload).toEqual({});
  });

  it("tells where the form has an entry, blank rows counted", () => {
    const fields = named("todo");
    const [, list] = fields as [Field, Extract<Field, { kind: "list" }>];
    const draft = draftOf(fields, { items: ["a", "b"] });
    const [a, b] = draft.items as [Row, Row];
    const filled = payloadOf(fields, { ...draft, items: [emptyRow(list.entry), a, emptyRow(list.entry), b] });
    expect((filled.payload.items as unknown[]).length).toBe(2);
    expect(["items[0].text", "items[1].text", "items[7].text", "title"].map(filled.shownAt)).toEqual(["items[1].text", "items[3].text", "items[7].text", "title"]);
  });

  it("has a figure as a number where it is written as one, and as it stands where not", () => {
    const fields = named("metric");
    const value = (text: string) => payloadOf(fields, { ...draftOf(fields, {}), value: text }).payload.value;
    expect(["24", "-3.5", "12.50", "1,284", "007", " 8 ", "n/a", ""].map(value)).toEqual([24, -3.5, "12.50", "1,284", "007", 8, "n/a", undefined]);
  });

  it("says which word is no number", () => {
    const fields = named("metric");
    const { payload, problems } = payloadOf(fields, { ...draftOf(fields, {}), sparkline: "1, 2, tree" });
    expect(problems).toEqual([{ path: "sparkline", word: "tree" }]);
    expect(payload).not.toHaveProperty("sparkline");
    const strict = formOf({ properties: { n: { type: "number" } } });
    expect(payloadOf(strict, { n: "many" }).problems).toEqual([{ path: "n", word: "many" }]);
  });
});

describe("a list of numbers", () => {
  it("takes commas, spaces and semicolons, and decimal commas where these are apart", () => {
    const read = (text: string) => numbersOf(text);
    expect(read("820, 932 901")).toEqual({ numbers: [820, 932, 901] });
    expect(read("1,2,3")).toEqual({ numbers: [1, 2, 3] });
    expect(read("1,5; 2,25")).toEqual({ numbers: [1.5, 2.25] });
    expect(read("1,5 2,25 −3")).toEqual({ numbers: [1.5, 2.25, -3] });
    expect(read("\n 4\n5 ")).toEqual({ numbers: [4, 5] });
    expect(read("")).toEqual({ numbers: [] });
    expect(read("1 two")).toEqual({ word: "two" });
  });
});

describe("rows", () => {
  it("move up and down, the others closing up", () => {
    expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
    expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "c", "b"]);
  });
});

describe("what is wrong", () => {
  const fields = named("todo");
  const said = (payload: object, code: string, params: Record<string, string>, draft: Draft = draftOf(fields, payload)) => {
    const { at, elsewhere } = wrongs(en, fields, draft, payloadOf(fields, draft), fault(code, params));
    return { at: Object.fromEntries(at), elsewhere: elsewhere?.code ?? null };
  };

  it("is said at the field that a fault names, in a row too", () => {
    expect(said({ items: ["a", { done: true, text: "b" }] }, "missing-field", { field: "items[1].text" })).toEqual({
      at: { "items[1].text": "Please fill this in." },
      elsewhere: null,
    });
    expect(said({ items: ["a"] }, "invalid-field", { field: "items[0]" }).at).toHaveProperty(["items[0].text"]);
    expect(said({}, "missing-field", { field: "items" }).at).toEqual({ items: "Please fill this in." });
  });

  it("is said of a group's part, and of the group", () => {
    const qr = named("qr");
    const draft = draftOf(qr, { wifi: { ssid: "x" } });
    const at = (field: string) => [...wrongs(en, qr, draft, payloadOf(qr, draft), fault("missing-field", { field })).at.keys()];
    expect([at("wifi.ssid"), at("wifi"), at("wifi.nothing")]).toEqual([["wifi.ssid"], ["wifi"], []]);
  });

  it("counts the characters of a text that is too long", () => {
    const title = "x".repeat(63);
    expect(said({ title }, "invalid-field", { field: "title" }).at).toEqual({ title: "At most 60 characters; these are 63." });
  });

  it("stands above the form where no field has it", () => {
    expect(said({}, "invalid-field", { field: "payload" })).toEqual({ at: {}, elsewhere: "invalid-field" });
    expect(said({}, "type-failed", {})).toEqual({ at: {}, elsewhere: "type-failed" });
  });

  it("in what was typed comes before what the app said of an older form", () => {
    const metric = named("metric");
    const draft = { ...draftOf(metric, {}), sparkline: "x" };
    const { at, elsewhere } = wrongs(en, metric, draft, payloadOf(metric, draft), fault("missing-field", { field: "value" }));
    expect([Object.fromEntries(at), elsewhere]).toEqual([{ sparkline: "“x” is not a number." }, null]);
  });
});

// DI-14
describe("characters that no font has", () => {
  it("are told one by one, each with its code points", () => {
    expect(charactersOf({ params: { characters: "😀 👩‍🚀 ꙮ" } })).toEqual(["😀", "👩‍🚀", "ꙮ"]);
    expect(charactersOf({ params: {} })).toEqual([]);
    expect(codePoints("😀")).toBe("U+1F600");
    expect(codePoints("ꙮ")).toBe("U+A66E");
  });
});
