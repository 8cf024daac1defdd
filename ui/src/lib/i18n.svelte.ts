// The language in use. Reading it inside a component makes the component follow a change of language.
import { type Key, type Locale, type Params, type PluralKey, Translator } from "./translator";

let current = $state.raw(new Translator("en"));

export function useLocale(locale: Locale): void {
  if (current.locale !== locale) current = new Translator(locale);
  document.documentElement.lang = locale === "zh" ? "zh-Hans" : locale;
}

/** The whole translator, for numbers, times, faults and notes. */
export function tr(): Translator {
  return current;
}

export function t(key: Key, params?: Params): string {
  return current.t(key, params);
}

export function n(key: PluralKey, count: number, params?: Params): string {
  return current.n(key, count, params);
}
