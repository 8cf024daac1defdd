// Labels of a form's fields, and what is wrong with one, in the language of the window.
import type { Fault } from "../bindings/Fault";
import type { Note } from "../bindings/Note";
import type { TemplateInfo } from "../bindings/TemplateInfo";
import { characters } from "./countdown";
import type { Field } from "./form";
import type { Draft, Filled, Row, Typed } from "./payload";
import type { Translator } from "./translator";

export function fieldLabel(tr: Translator, { label, title }: Pick<Field, "label" | "title">): string {
  return tr.word(label) ?? title;
}

export function optionLabel(tr: Translator, { label }: Pick<Field, "label">, option: string): string {
  return tr.word(`${label}.${option}`) ?? option;
}

export function templateTitle(tr: Translator, { name, title }: Pick<TemplateInfo, "name" | "title">): string {
  return tr.word(`template.${name}`) ?? title;
}

export function templateAbout(tr: Translator, { name, about }: Pick<TemplateInfo, "name" | "about">): string {
  return tr.word(`template.${name}.about`) ?? about;
}

/** What is wrong with each field, by its path in the form; `elsewhere` is a fault that belongs to none. */
export type Wrongs = { at: ReadonlyMap<string, string>; elsewhere: Fault | null };

export function wrongs(tr: Translator, fields: readonly Field[], draft: Draft, filled: Filled, fault: Fault | null): Wrongs {
  const at = new Map(filled.problems.map(({ path, word }) => [path, tr.t("form.not_number", { word })]));
  // While something cannot be read, what the app said is about an older form.
  if (!fault || at.size > 0) return { at, elsewhere: null };
  const found = lookUp(fields, draft, filled.shownAt(fault.params.field ?? ""));
  if (!found) return { at, elsewhere: fault };
  return { at: new Map([[found.path, fieldFault(tr, fault, found)]]), elsewhere: null };
}

/** At its field a fault need not say which field it speaks of. */
function fieldFault(tr: Translator, fault: Fault, { field, typed }: Found): string {
  const used = typeof typed === "string" ? [...typed.trim()].length : 0;
  const most = "maxLength" in field ? field.maxLength : null;
  if (fault.code === "invalid-field" && most !== null && used > most) return tr.t("form.too_long", { most, used });
  return tr.word(`form.fault.${fault.code}`) ?? tr.faultMessage(fault);
}

type Found = { path: string; field: Field; typed: Typed | undefined };

/** The field at a path such as `days[1].high`, and what is in it. A row alone stands for its shorthand. */
function lookUp(fields: readonly Field[], draft: Draft, path: string, parent = ""): Found | null {
  const [, name = "", index, rest] = /^([^.[]*)(?:\[(\d+)\])?(?:\.(.+))?$/.exec(path) ?? [];
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) return null;
  const at = [parent, name].filter(Boolean).join(".");
  const typed = draft[name];
  if (field.kind === "list" && index !== undefined) {
    const row = (typed as readonly Row[])[Number(index)];
    const { fields: parts, shorthand } = field.entry;
    return row ? lookUp(parts, row.draft, rest ?? shorthand ?? "", `${at}[${index}]`) : null;
  }
  if (field.kind === "group" && rest) return lookUp(field.fields, typed as Draft, rest, at);
  return rest ? null : { path: at, field, typed };
}

/** The characters that a fault or note is about, each by itself. */
export function charactersOf({ params }: Pick<Fault | Note, "params">): string[] {
  return characters(params.characters ?? "").filter((c) => c.trim() !== "");
}

/** 😀 -> "U+1F600" */
export function codePoints(character: string): string {
  return [...character].map((c) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
}
