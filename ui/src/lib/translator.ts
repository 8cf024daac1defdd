// Catalogue look-up, plurals, numbers and times of one language. Pure; `i18n.svelte.ts` holds the current one.
import en from "../../locales/en.json";
import fr from "../../locales/fr.json";
import zh from "../../locales/zh.json";
import type { Locale } from "../bindings/Locale";
import type { Fault } from "../bindings/Fault";
import type { Note } from "../bindings/Note";

import { offsetMinutes } from "./zones";

export type { Locale };
export type Key = keyof typeof en;
/** The stem of a pair `stem.one` / `stem.other`. */
export type PluralKey = { [K in Key]: K extends `${infer Stem}.other` ? Stem : never }[Key];
export type Params = Record<string, string | number>;

export const CATALOGUES: Record<Locale, Readonly<Record<string, string>>> = { en, fr, zh };

/** `{name}` becomes its parameter; a placeholder without one stays visible, so that the gap is seen. */
export function fill(template: string, params: Params): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

export class Translator {
  readonly locale: Locale;
  #catalogue: Readonly<Record<string, string>>;
  #plural: Intl.PluralRules;
  #number: Intl.NumberFormat;

  constructor(locale: Locale) {
    this.locale = locale;
    this.#catalogue = CATALOGUES[locale];
    this.#plural = new Intl.PluralRules(locale);
    this.#number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  }

  t(key: Key, params: Params = {}): string {
    return fill(this.#catalogue[key] ?? CATALOGUES.en[key] ?? key, params);
  }

  /** The text of a key made at run time, where there is one. */
  word(key: string): string | undefined {
    return this.#catalogue[key];
  }

  /** The plural form for `n`, which also fills `{n}`. */
  n(key: PluralKey, n: number, params: Params = {}): string {
    const form = this.#plural.select(n);
    const template = this.#catalogue[`${key}.${form}`] ?? this.#catalogue[`${key}.other`] ?? key;
    return fill(template, { n: this.number(n), ...params });
  }

  /** With at most one decimal, or with exactly as many as asked for. */
  number(value: number, decimals?: number): string {
    if (!decimals) return this.#number.format(value);
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return new Intl.NumberFormat(this.locale, digits).format(value);
  }

  /** Sentences in a row; Chinese sets no space after its full stop. */
  sentences(said: readonly string[]): string {
    return said.join(this.locale === "zh" ? "" : " ");
  }

  /** "8 s", "2 min", "3 h": a length of time as a person says it. */
  duration(seconds: number): string {
    const s = Math.max(0, seconds);
    if (s >= 36 * 3600) return this.t("duration.days", { n: this.number(Math.round(s / 86_400)) });
    if (s >= 90 * 60) return this.t("duration.hours", { n: this.number(Math.round(s / 3600)) });
    if (s >= 90) return this.t("duration.minutes", { n: this.number(Math.round(s / 60)) });
    return this.t("duration.seconds", { n: this.number(s < 10 ? Math.round(s * 10) / 10 : Math.round(s)) });
  }

  milliseconds(ms: number): string {
    return ms < 1000 ? this.t("duration.ms", { n: this.number(Math.round(ms)) }) : this.duration(ms / 1000);
  }

  bytes(count: number): string {
    if (count < 1000) return this.n("size.bytes", count);
    return this.t("size.kilobytes", { n: this.number(count / 1000) });
  }

  /** Time of day today, with the date on any other day. */
  when(instant: string | Date, now: Date = new Date(), timeZone?: string): string {
    const date = typeof instant === "string" ? new Date(instant) : instant;
    if (Number.isNaN(date.getTime())) return String(instant);
    const day = new Intl.DateTimeFormat("en", { dateStyle: "short", timeZone });
    const today = day.format(date) === day.format(now);
    return new Intl.DateTimeFormat(this.locale, {
      timeStyle: "short",
      timeZone,
      ...(today ? {} : { dateStyle: "medium" }),
    }).format(date);
  }

  /** The same as clocks in a zone have it, a name or an offset; null where this engine does not know the zone. */
  whenIn(zone: string, instant: string, now: Date = new Date()): string | null {
    const offset = offsetMinutes(zone);
    try {
      if (offset === null) return this.when(instant, now, zone);
      // Engines differ in the offsets they take as a zone: the clock of UTC, put forward.
      const moved = (date: Date) => new Date(date.getTime() + offset * 60_000);
      return this.when(moved(new Date(instant)), moved(now), "UTC");
    } catch {
      return null;
    }
  }

  /** Time of day to the second. */
  clock(instant: number): string {
    return new Intl.DateTimeFormat(this.locale, { timeStyle: "medium" }).format(new Date(instant));
  }

  timeIn(zone: string, now: Date): string {
    return new Intl.DateTimeFormat(this.locale, { timeStyle: "short", timeZone: zone }).format(now);
  }

  faultMessage(fault: Fault): string {
    return this.#foreign(`fault.${fault.code}.message`, fault.params) ?? fault.message;
  }

  faultHint(fault: Fault): string {
    // The next step may depend on the system that the app runs on, which is then one of the values.
    const hint = `fault.${fault.code}.hint`;
    const here = fault.params.system ? this.#foreign(`${hint}.${fault.params.system}`, fault.params) : undefined;
    return here ?? this.#foreign(hint, fault.params) ?? fault.hint;
  }

  note(note: Note): string {
    return (this.#foreign(`note.${note.code}`, note.params) ?? note.message).replace(/\.$/, "");
  }

  /**
   * English comes from the app as it is; other languages may hold an entry, and fall back to the English.
   * Parameters that are words themselves have entries of their own, `param.<name>.<word>`.
   */
  #foreign(key: string, params: Record<string, string>): string | undefined {
    const template = this.locale === "en" ? undefined : this.#catalogue[key];
    if (template === undefined) return undefined;
    const words = Object.entries(params).map(([name, value]) => [name, this.#catalogue[`param.${name}.${value}`] ?? value]);
    return fill(template, Object.fromEntries(words));
  }
}
