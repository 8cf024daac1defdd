import { describe, expect, it } from "vitest";
import { calls, focused, openWindow, outcome, pixels, source, tabTo, useBrowser } from "./window";

useBrowser();
const FAST = "speed=30";

describe("a text", () => {
  it("is written at once after a click on its tab, and drawn as it is typed", async () => {
    const page = await openWindow();
    await source(page, "text");
    expect(await focused(page)).toBe("text-words");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    await page.keyboard.type("Open");
    await expect.poll(async () => (await pixels(page, "panel")).colours["0,0,0"] ?? 0).toBeGreaterThan(1000);
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
    await page.getByTestId("text-words").fill("");
    await page.locator('[data-showing="empty"]').waitFor();
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
  });

  it("does not take the focus from who comes by the arrows", async () => {
    const page = await openWindow();
    await source(page, "text");
    await page.getByTestId("tab-clock").click();
    await page.keyboard.press("ArrowLeft");
    await page.getByTestId("text-words").waitFor();
    expect(await focused(page)).toBe("tab-source");
  });

  it("takes ink, paper, lines, strokes and size; ink and paper are never the same", async () => {
    const page = await openWindow();
    await source(page, "text");
    await page.keyboard.type("Open");
    const seen = new Set<number>();
    const changed = async () => {
      await expect.poll(async () => seen.has((await pixels(page, "panel")).print)).toBe(false);
      seen.add((await pixels(page, "panel")).print);
    };
    await expect.poll(async () => (await pixels(page, "panel")).colours["0,0,0"] ?? 0).toBeGreaterThan(1000);
    await changed();
    const choose = (group: string, name: string) => page.getByRole("radiogroup", { name: group }).getByRole("radio", { name }).check();
    await choose("Paper", "Black");
    await changed();
    expect(await page.getByRole("radiogroup", { name: "Ink" }).getByRole("radio", { name: "White" }).isChecked()).toBe(true);
    await choose("Ink", "Red");
    await changed();
    await choose("Strokes", "Bold");
    await changed();
    await choose("Size", "Own");
    await changed();
    await choose("Lines", "Start");
    await changed();
    await page.getByTestId("text-size").fill("12");
    await changed();
    expect(await page.getByTestId("text-size").getAttribute("aria-valuetext")).toBe("12 pixels");
    await page.getByTestId("text-size").fill("200");
    await page.getByTestId("text-words").fill("Far too many words for such a size");
    await expect.poll(() => page.getByTestId("field-error").innerText()).toContain("Too much for the panel");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    await choose("Size", "As it fits");
    await expect.poll(() => page.getByTestId("show").isEnabled()).toBe(true);
  });

  it("is shown on the clock in the slot chosen, and retried when that failed", async () => {
    const page = await openWindow({ query: `${FAST}&fault=fail` });
    await source(page, "text");
    await page.keyboard.type("Open");
    await page.getByTestId("slot-1").check();
    await expect.poll(() => page.getByTestId("show").isEnabled()).toBe(true);
    await page.getByTestId("show").click();
    await outcome(page, "failed");
    await page.getByTestId("retry").click();
    await expect.poll(async () => (await calls(page)).filter((c) => c === "showComposition text 1").length).toBe(2);
  });

  it("goes to the calendar as one line, with a word on why the panel does not show it", async () => {
    const page = await openWindow({ query: FAST });
    await source(page, "text");
    await page.getByTestId("text-words").fill("Closed\ntoday ");
    await page.getByRole("radio", { name: "Calendar" }).check();
    expect(await page.getByTestId("veil").innerText()).toContain("Closed today");
    expect(await page.getByTestId("slot-0").count()).toBe(0);
    await page.getByTestId("show").click();
    await outcome(page, "done");
    expect(await calls(page)).toContain("calendarText Closed today");
  });

  // DI-14
  it("of which no font has anything is told so, by character", async () => {
    const page = await openWindow();
    await source(page, "text");
    await page.keyboard.insertText("😀😎");
    await expect.poll(() => page.getByTestId("missing-characters").innerText()).toMatch(/No font has any[\s\S]*U\+1F600[\s\S]*U\+1F60E/);
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
  });
});

describe("a countdown", () => {
  const words = (page: Parameters<typeof source>[0]) => page.getByTestId("veil").innerText();
  const inDays = (days: number) => {
    // As the page in the test has it: Paris.
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" }).format(new Date());
    return new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  };

  it("says what will be shown, leaves the page on the panel, and starts", async () => {
    const page = await openWindow({ query: FAST });
    await source(page, "text");
    await page.keyboard.type("Open");
    await expect.poll(async () => (await pixels(page, "panel")).colours["0,0,0"] ?? 0).toBeGreaterThan(1000);
    const before = await pixels(page, "panel");
    await source(page, "countdown");
    await page.getByTestId("countdown-date").fill(inDays(12));
    await expect.poll(() => words(page)).toContain("12 days until");
    expect(await words(page)).toContain("draws the countdown itself");
    expect((await pixels(page, "panel")).print).toBe(before.print);
    await page.getByTestId("show").click();
    await outcome(page, "done");
    expect(await page.getByTestId("operation").innerText()).toContain("countdown is running");
    expect(await calls(page)).toContain(`countdown ${inDays(12)} clock null`);
  });

  it("shows the words before it as the clock gets them, cell by cell", async () => {
    const page = await openWindow({ query: FAST });
    await source(page, "countdown");
    expect(await page.getByTestId("countdown-line").count()).toBe(0);
    await page.getByTestId("countdown-words").fill("Noël");
    await expect.poll(async () => (await pixels(page, "countdown-line")).width).toBe(64);
    await page.getByRole("radiogroup", { name: "Where" }).getByRole("radio", { name: "Calendar" }).check();
    await expect.poll(async () => (await pixels(page, "countdown-line")).width).toBe(96);
    expect((await pixels(page, "countdown-line")).height).toBe(24);
    await page.getByTestId("show").click();
    await outcome(page, "done");
    expect(await calls(page)).toContain(`countdown ${inDays(1)} calendar Noël`);
  });

  it("counts the words' characters as a reader does, and is not started with too many", async () => {
    const page = await openWindow();
    await source(page, "countdown");
    await page.getByTestId("countdown-words").fill("e\u0301te\u0301 2027");
    await page.getByTestId("countdown-line").waitFor();
    expect(await page.getByRole("tabpanel").nth(1).innerText()).toContain("8 / 8");
    await page.getByTestId("countdown-words").fill("Christmas");
    await expect.poll(() => page.getByTestId("field-error").innerText()).toBe("At most 8 characters; these are 9.");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
  });

  it("takes today, and no day that is over", async () => {
    const page = await openWindow();
    await source(page, "countdown");
    const date = page.getByTestId("countdown-date");
    expect(await date.inputValue()).toBe(inDays(1));
    await date.fill(inDays(0));
    await expect.poll(() => words(page)).toContain("Today is");
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
    await date.fill(inDays(-1));
    await expect.poll(() => page.getByTestId("field-error").innerText()).toContain("over");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    await date.fill("");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
  });

  it("is ended with one click", async () => {
    const page = await openWindow({ query: FAST });
    await source(page, "countdown");
    await page.getByTestId("other").click();
    await outcome(page, "done");
    expect(await page.getByTestId("operation").innerText()).toContain("countdown is over");
    expect(await calls(page)).toContain("countdownOff");
  });

  it("is greyed with the reason where the firmware has none", async () => {
    const page = await openWindow({ query: FAST });
    await page.getByTestId("tab-clock").click();
    await page.getByTestId("choose-clock").click();
    await page.getByTestId("nearby").nth(2).getByRole("button").click();
    await page.getByTestId("choose-dialog").waitFor({ state: "detached" });
    await source(page, "countdown");
    expect(await page.getByTestId("countdown-lack").innerText()).toContain("firmware");
    for (const control of ["countdown-date", "countdown-words", "show", "other"]) {
      expect([control, await page.getByTestId(control).isDisabled()]).toEqual([control, true]);
    }
  });
});

describe("teaching", () => {
  it("tries a command once, keeps it, and frees what was greyed", async () => {
    const page = await openWindow({ query: FAST });
    await page.getByTestId("tab-clock").click();
    await page.getByTestId("teach-face").click();
    expect(await focused(page)).toBe("teach-bytes");
    expect(await page.getByTestId("teach-which").locator("option").allInnerTexts()).toEqual([
      "Clock 2", "Clock 3", "Calendar 2", "Calendar 3", "Change font", "Swap 12/24 hours",
    ]);
    expect(await page.getByTestId("teach-keep").isDisabled()).toBe(true);
    await page.getByTestId("teach-bytes").fill("E1 0g");
    expect(await page.getByTestId("field-error").innerText()).toContain("“g”");
    await page.getByTestId("teach-bytes").fill("E1 03");
    await page.getByTestId("teach-try").click();
    await expect.poll(() => page.getByTestId("teach-trial").innerText()).toContain("Look at the clock");
    expect(await page.getByTestId("face-clock2").isDisabled()).toBe(true);
    await page.getByTestId("teach-keep").click();
    await page.getByTestId("teach-dialog").waitFor({ state: "detached" });
    expect(await page.getByTestId("face-clock2").isEnabled()).toBe(true);
    expect(await page.getByTestId("face-clock3").isDisabled()).toBe(true);
    expect(await page.getByTestId("notice").innerText()).toContain("Clock 2");
    expect(await calls(page)).toEqual(expect.arrayContaining(["tryLesson clock2 E1 03", "teach clock2 E1 03"]));
  });

  it("starts from the switches beside them, by the name that a profile has", async () => {
    const page = await openWindow({ query: FAST });
    await page.getByTestId("tab-clock").click();
    await page.getByTestId("teach-toggle").click();
    await page.getByTestId("teach-which").selectOption("hour_format");
    await page.getByTestId("teach-bytes").fill("e7");
    await page.keyboard.press("Tab");
    await tabTo(page, "teach-keep");
    await page.keyboard.press("Enter");
    await expect.poll(() => calls(page)).toContain("teach hour_format e7");
    await expect.poll(() => page.getByTestId("toggle-hour-format").isEnabled()).toBe(true);
  });

  it("says in its own place what is refused", async () => {
    const page = await openWindow({ query: FAST });
    await page.getByTestId("tab-clock").click();
    await page.getByTestId("teach-face").click();
    await page.getByTestId("teach-bytes").fill("FE");
    await page.getByTestId("teach-try").click();
    await expect.poll(() => page.getByTestId("teach-dialog").getByRole("alert").innerText()).toContain("blocked");
  });

  it("is not offered where the firmware lacks the function", async () => {
    const page = await openWindow({ query: FAST });
    await page.getByTestId("tab-clock").click();
    await page.getByTestId("choose-clock").click();
    await page.getByTestId("nearby").nth(2).getByRole("button").click();
    await page.getByTestId("choose-dialog").waitFor({ state: "detached" });
    expect(await page.getByTestId("face-clock2").isDisabled()).toBe(true);
    expect(await page.getByTestId("teach-face").count() + await page.getByTestId("teach-toggle").count()).toBe(0);
  });
});
