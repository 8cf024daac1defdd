// What each source puts on the panel, says above it and sends from below it. Read inside a component, it follows them.
import type { ClockState } from "../bindings/ClockState";
import type { Note } from "../bindings/Note";
import type { Countdown } from "./countdown.svelte";
import { templateAbout, templateTitle } from "./formwords";
import { t, tr } from "./i18n.svelte";
import { PANEL } from "./options";
import type { Sending, Sheet, SourceName, Veil } from "./sheet";
import type { Studio } from "./studio.svelte";
import type { TemplatePage, Templates } from "./template.svelte";
import { oneLine, type Writing } from "./text.svelte";
import { countdownWords } from "./words";

export type Desk = { studio: Studio; templates: Templates; writing: Writing; countdown: Countdown };

export function sheetOf({ studio, templates, writing }: Desk, source: Exclude<SourceName, "countdown">): Sheet {
  switch (source) {
    case "picture":
      return {
        name: studio.picture?.name ?? "",
        frame: studio.picture ? studio.frame : null,
        stale: false,
        original: studio.shownOriginal,
        size: PANEL[studio.options.adjust.size],
        palette: studio.options.palette,
      };
    case "template":
      return {
        name: templates.page ? templateTitle(tr(), templates.page.info) : "",
        frame: templates.page?.composer.frame ?? null,
        stale: isWrong(templates.page),
        original: null,
        size: PANEL.full,
        palette: templates.palette,
      };
    case "text": {
      const { text, ink, paper } = writing.page;
      return {
        name: text.trim(),
        frame: writing.blank ? null : writing.composer.frame,
        stale: writing.composer.fault !== null,
        original: null,
        size: PANEL.full,
        palette: ink === "red" || paper === "red" ? "black-white-red" : "black-white",
      };
    }
  }
}

function isWrong(page: TemplatePage | null): boolean {
  return page !== null && (page.filled.problems.length > 0 || page.composer.fault !== null);
}

/** What the clock will show instead of the page on the panel here; null where it will show that. */
export function veil({ writing, countdown }: Desk, source: SourceName): Veil | null {
  if (source === "countdown") {
    return { title: countdownWords(tr(), countdown.date, countdown.today), body: t("countdown.veil") };
  }
  if (source !== "text" || writing.place === "panel") return null;
  return { title: writing.blank ? null : oneLine(writing.page.text), body: t("text.veil") };
}

/** `quiet`: there is nothing yet that could have a name. */
export type StageWords = { name: string; notes: string[]; quiet: boolean };

export function stageWords({ studio, templates, writing }: Desk, source: SourceName): StageWords {
  switch (source) {
    case "picture": {
      if (studio.opening) return { name: t("open.working"), notes: [], quiet: true };
      if (!studio.picture) return { name: t("empty.caption"), notes: [], quiet: true };
      const notes = said(studio.picture.notes.concat(studio.frame?.notes ?? []));
      return { name: studio.picture.name, notes: [...notes, t("compare.hint")], quiet: false };
    }
    case "template": {
      const { page } = templates;
      if (!page) return { name: "", notes: [], quiet: true };
      const notes = page.composer.fault ? [] : said(page.composer.frame?.notes ?? []);
      return {
        name: templateTitle(tr(), page.info),
        notes: notes.length > 0 ? notes : [templateAbout(tr(), page.info)],
        quiet: false,
      };
    }
    case "text": {
      const drawn = writing.place === "panel" && !writing.blank && !writing.composer.fault;
      return { name: t("text.about"), notes: drawn ? said(writing.composer.frame?.notes ?? []) : [], quiet: true };
    }
    case "countdown":
      return { name: t("countdown.top"), notes: [], quiet: true };
  }
}

function said(notes: readonly Note[]): string[] {
  return [...new Set(notes.map((note) => tr().note(note)))];
}

export function sending(desk: Desk, source: SourceName, clock: ClockState): Sending {
  const { studio, templates, writing, countdown } = desk;
  const slot = studio.slot;
  const show = { action: t("go.button"), kept: true, about: [], other: null };
  switch (source) {
    case "picture":
      return {
        ...show,
        reason: studio.opening ? t("go.opening") : studio.picture && studio.frame ? null : t("go.no_picture"),
        start: () => studio.show(),
      };
    case "template": {
      const { page } = templates;
      return {
        ...show,
        reason: isWrong(page) ? t("go.form") : page?.composer.frame ? null : t("go.drawing"),
        start: () => templates.show(slot),
      };
    }
    case "text":
      if (writing.place === "calendar") {
        return {
          ...show,
          kept: false,
          about: [t("text.calendar.about")],
          reason: writing.blank ? t("go.no_words") : null,
          start: () => writing.showInCalendar(),
        };
      }
      return {
        ...show,
        reason: writing.blank ? t("go.no_words") : writing.composer.fault ? t("go.words") : writing.composer.frame ? null : t("go.drawing"),
        start: () => writing.show(slot),
      };
    case "countdown": {
      const { unsupported } = clock;
      const { days } = countdown;
      const lacking = unsupported.countdown ? (unsupported.reason ? t(`unsupported.${unsupported.reason}`) : "") : null;
      const wrong = countdown.used > countdown.room || (countdown.text !== "" && countdown.fault !== null);
      return {
        action: t("countdown.start"),
        kept: false,
        about: [t("countdown.about")],
        reason: lacking ?? (days === null || days < 0 ? t("go.no_day") : wrong ? t("go.words") : null),
        start: () => countdown.begin(),
        other: {
          text: t("countdown.end"),
          title: t("countdown.end.title"),
          start: () => countdown.end(),
          disabled: unsupported.countdown,
        },
      };
    }
  }
}
