// What a form holds while it is typed into, and the payload it stands for.
import type { Entry, Field } from "./form";

/** A form being filled in: what is in its controls, as typed. */
export type Draft = { readonly [name: string]: Typed };
export type Typed = string | boolean | Draft | readonly Row[];
/** `key` stays with a row while rows move. */
export type Row = { readonly key: number; readonly draft: Draft };

/** What was typed into a field cannot be read; `word` is the part that is no number. */
export type Problem = { path: string; word: string };

export type Filled = {
  payload: Record<string, unknown>;
  problems: Problem[];
  /** Where the form has what the payload has at a path: rows without anything in them are left out of a payload. */
  shownAt(path: string): string;
};

let lastKey = 0;

export function emptyRow(entry: Entry): Row {
  return { key: ++lastKey, draft: draftOf(entry.fields, {}) };
}

/** A form as a payload fills it. */
export function draftOf(fields: readonly Field[], payload: unknown): Draft {
  const from = typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
  return Object.fromEntries(fields.map((field) => [field.name, typedOf(field, from[field.name])]));
}

function typedOf(field: Field, value: unknown): Typed {
  switch (field.kind) {
    case "flag":
      return value === true;
    case "choice":
      return typeof value === "string" ? value : field.preset;
    case "numbers":
      return Array.isArray(value) ? value.join(", ") : "";
    case "group":
      return draftOf(field.fields, value);
    case "list":
      return (Array.isArray(value) ? value : []).map((entry: unknown) => ({
        key: ++lastKey,
        draft: draftOf(field.entry.fields, entryObject(field.entry, entry)),
      }));
    default:
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}

function entryObject(entry: Entry, value: unknown): unknown {
  if (entry.texts) return { "": value };
  return typeof value === "string" && entry.shorthand !== null ? { [entry.shorthand]: value } : value;
}

/** The payload of a form. What nothing was written in is left out of it. */
export function payloadOf(fields: readonly Field[], draft: Draft): Filled {
  const reading = new Reading();
  const payload = reading.object(fields, draft, "");
  return { payload, problems: reading.problems, shownAt: (path) => reading.shownAt(path) };
}

class Reading {
  readonly problems: Problem[] = [];
  /** Of each list, by its path in the payload: the form's row of each entry. */
  readonly #rows = new Map<string, number[]>();

  object(fields: readonly Field[], draft: Draft, parent: string): Record<string, unknown> {
    const payload: Record<string, unknown> = {};
    for (const field of fields) {
      const value = this.#value(field, draft[field.name], parent ? `${parent}.${field.name}` : field.name);
      if (value !== undefined) payload[field.name] = value;
    }
    return payload;
  }

  #value(field: Field, typed: Typed | undefined, path: string): unknown {
    switch (field.kind) {
      case "flag":
        return typed === true ? true : undefined;
      case "group":
        return isBlank(field, typed) ? undefined : this.object(field.fields, typed as Draft, path);
      case "list": {
        const rows = (typed as readonly Row[]).map((row, i) => ({ draft: row.draft, i }));
        const written = rows.filter(({ draft }) => !areBlank(field.entry.fields, draft));
        this.#rows.set(path, written.map(({ i }) => i));
        if (written.length === 0) return undefined;
        return written.map(({ draft }, at) => {
          const entry = this.object(field.entry.fields, draft, `${path}[${at}]`);
          return field.entry.texts ? entry[""] : entry;
        });
      }
      case "numbers": {
        const read = numbersOf(String(typed ?? ""));
        if ("word" in read) this.problems.push({ path: this.shownAt(path), word: read.word });
        return "numbers" in read && read.numbers.length > 0 ? read.numbers : undefined;
      }
      case "figure":
        return this.#figure(field.text, String(typed ?? "").trim(), path);
      default:
        return typed === "" || typed === undefined ? undefined : typed;
    }
  }

  #figure(words: boolean, text: string, path: string): unknown {
    if (text === "") return undefined;
    const number = numberOf(text);
    // "12.50" is written so for a reason.
    if (words) return number !== null && String(number) === text ? number : text;
    if (number === null) this.problems.push({ path: this.shownAt(path), word: text });
    return number ?? undefined;
  }

  shownAt(path: string): string {
    return path.replace(/\[(\d+)\]/g, (whole, entry: string, at: number) => {
      const row = this.#rows.get(path.slice(0, at))?.[Number(entry)];
      return row === undefined ? whole : `[${row}]`;
    });
  }
}

function areBlank(fields: readonly Field[], draft: Draft): boolean {
  return fields.every((field) => isBlank(field, draft[field.name]));
}

/** Whether nothing was put into a field. A tick alone is no content, nor is a choice that was left as it was. */
function isBlank(field: Field, typed: Typed | undefined): boolean {
  switch (field.kind) {
    case "flag":
      return true;
    case "choice":
      return typed === undefined || typed === field.preset;
    case "group":
      return areBlank(field.fields, (typed ?? {}) as Draft);
    case "list":
      return ((typed ?? []) as readonly Row[]).every((row) => areBlank(field.entry.fields, row.draft));
    default:
      return String(typed ?? "").trim() === "";
  }
}

/** Whether two forms say the same, whichever rows they say it with. */
export function sameForm(fields: readonly Field[], a: Draft, b: Draft): boolean {
  return JSON.stringify(payloadOf(fields, a).payload) === JSON.stringify(payloadOf(fields, b).payload);
}

function numberOf(text: string): number | null {
  const plain = text.replace("\u2212", "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

/**
 * Numbers apart by spaces, commas or semicolons. A comma inside a number is its decimal point where the numbers are
 * apart by spaces or semicolons: "1,5; 2,25" are two, "820, 932" too.
 */
export function numbersOf(text: string): { numbers: number[] } | { word: string } {
  const apart = /;|\d\s+[+\-\u2212]?\d/.test(text) && !/,\s/.test(text) ? /[\s;]+/ : /[\s;,]+/;
  const numbers: number[] = [];
  for (const word of text.split(apart).filter(Boolean)) {
    const number = numberOf(word.replace(",", "."));
    if (number === null) return { word };
    numbers.push(number);
  }
  return { numbers };
}
