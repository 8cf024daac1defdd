import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibility, openWindow, overflow, settings, source, useBrowser, withPicture } from "./window";

useBrowser();
const FAST = "speed=30";
const clockTab = (page: Page) => page.getByTestId("tab-clock").click();

const agents = (page: Page) => page.getByTestId("nav-agents").click();

/** Chooses a clock whose firmware lacks much. */
async function otherFirmware(page: Page): Promise<void> {
  await clockTab(page);
  await page.getByTestId("choose-clock").click();
  await page.getByTestId("nearby").nth(2).getByRole("button").click();
}

const room = (page: Page) => page.getByTestId("nav-room").click();
const device = (page: Page, id: string) => page.locator(`[data-testid="device"][data-id="${id}"]`);

type Place = { name: string; query: string; go?: (page: Page) => Promise<unknown> };
const PLACES: Place[] = [
  { name: "studio, empty", query: "" },
  { name: "studio with a picture", query: "slots=2", go: (page) => withPicture(page) },
  { name: "studio, comparing", query: "slots=2", go: async (page) => { await withPicture(page); await page.keyboard.down(" "); } },
  { name: "studio, sending", query: "state=sending" },
  { name: "studio, listening", query: "state=listening" },
  { name: "studio, done", query: "state=done" },
  { name: "studio, failed", query: "state=failed" },
  { name: "studio, unknown", query: "state=unknown" },
  { name: "studio, radio off", query: "state=radio-off&real&slots=2" },
  { name: "countdown, radio off", query: "state=radio-off&real", go: (page) => source(page, "countdown") },
  { name: "template, notice", query: "slots=2", go: (page) => source(page, "template") },
  ...["todo", "weather", "quote", "metric", "qr"].map((name) => ({
    name: `template, ${name}`,
    query: "",
    go: async (page: Page) => { await source(page, "template"); await page.getByTestId(`template-${name}`).check(); },
  })),
  { name: "template, empty", query: "", go: async (page) => { await source(page, "template"); await page.getByTestId("fill-nothing").click(); await page.getByTestId("field-error").waitFor(); } },
  { name: "template, letters missing", query: "", go: async (page) => { await source(page, "template"); await page.getByTestId("field-body").fill("See you 😀"); await page.getByTestId("missing-characters").waitFor(); } },
  { name: "countdown", query: "", go: async (page) => { await source(page, "countdown"); await page.getByTestId("countdown-words").fill("Opening"); await page.getByTestId("countdown-line").waitFor(); } },
  { name: "countdown, wrong", query: "", go: async (page) => { await source(page, "countdown"); await page.getByTestId("countdown-words").fill("The opening"); await page.getByTestId("countdown-date").fill("2001-01-01"); } },
  { name: "countdown, failed", query: "state=failed", go: (page) => source(page, "countdown") },
  { name: "countdown, sending", query: "state=sending", go: (page) => source(page, "countdown") },
  { name: "countdown, greyed", query: FAST, go: async (page) => { await otherFirmware(page); await source(page, "countdown"); await page.getByTestId("countdown-lack").waitFor(); } },
  { name: "text, empty", query: "", go: (page) => source(page, "text") },
  { name: "text", query: "slots=4", go: async (page) => { await source(page, "text"); await page.getByTestId("text-words").fill("Closed 今日休息 😀"); await page.getByRole("radio", { name: "Own" }).check(); await page.getByTestId("missing-characters").waitFor(); } },
  { name: "text in the calendar", query: "", go: async (page) => { await source(page, "text"); await page.getByTestId("text-words").fill("Closed\ntoday"); await page.getByRole("radio", { name: "Calendar" }).check(); } },
  { name: "teach", query: FAST, go: async (page) => { await clockTab(page); await page.getByTestId("teach-face").click(); await page.getByTestId("teach-bytes").fill("E1 0"); } },
  { name: "teach, tried", query: FAST, go: async (page) => { await clockTab(page); await page.getByTestId("teach-toggle").click(); await page.getByTestId("teach-bytes").fill("FE"); await page.getByTestId("teach-try").click(); await page.getByTestId("teach-dialog").getByRole("alert").waitFor(); } },
  { name: "clock controls", query: "", go: clockTab },
  { name: "clock controls, working", query: "state=sending", go: clockTab },
  { name: "clock controls, none chosen", query: "state=no-clock", go: clockTab },
  { name: "clock controls, greyed", query: FAST, go: otherFirmware },
  { name: "choose clock", query: FAST, go: async (page) => { await clockTab(page); await page.getByTestId("choose-clock").click(); await page.getByTestId("nearby").nth(2).waitFor(); } },
  { name: "zones", query: "", go: async (page) => { await clockTab(page); await page.getByTestId("other-zone").click(); await page.getByTestId("zone-dialog").getByRole("option").first().waitFor(); } },
  { name: "simulated clock", query: "slots=1", go: async (page) => { await page.getByTestId("simulated-label").click(); await page.getByTestId("simulated-screen").waitFor(); } },
  { name: "activity", query: "state=failed", go: async (page) => { await page.getByTestId("nav-activity").click(); await page.getByTestId("journal").waitFor(); } },
  { name: "activity, empty", query: "", go: (page) => page.getByTestId("nav-activity").click() },
  { name: "settings", query: "demo", go: (page) => page.getByTestId("nav-settings").click() },
  { name: "agents, off", query: "agents=off", go: agents },
  { name: "agents, on", query: "agents=on&network", go: agents },
  { name: "agents, busy", query: `agents=busy&${FAST}`, go: agents },
  { name: "agents, failed, tokens in memory", query: "agents=failed&secrets=memory", go: agents },
  { name: "agents, nobody, no token", query: "agents=none&secrets=file", go: async (page) => { await agents(page); await page.getByTestId("client-cursor").click(); await page.getByTestId("make-first").click(); } },
  ...["claude-code", "cursor", "vs-code", "mascarade"].map((client) => ({
    name: `agents, configuration for ${client}`,
    query: "agents=on",
    go: async (page: Page) => { await agents(page); await page.getByTestId(`client-${client}`).click(); },
  })),
  { name: "agents, the network without a token", query: "agents=none", go: async (page) => { await agents(page); await page.getByTestId("reach-this-network").check(); await page.getByTestId("make-token").waitFor(); } },
  { name: "agents, asked and shown", query: "agents=on", go: async (page) => { await agents(page); await page.getByTestId("token-show").first().click(); await page.getByTestId("token-revoke").nth(1).click(); await page.getByTestId("call").nth(1).getByRole("button").click(); } },
  { name: "agents, renaming, folders, a wrong port", query: "agents=on", go: async (page) => { await agents(page); await page.getByTestId("token-rename").first().click(); await page.getByTestId("folder-add").click(); await page.getByTestId("folder").waitFor(); await page.getByTestId("folder-add").click(); await page.getByTestId("folder").nth(1).waitFor(); await page.getByTestId("port").fill("0"); } },
  { name: "room, every state", query: "room=all", go: room },
  { name: "room, every state, and a full strip", query: "room=all&agents=busy&state=sending", go: room },
  { name: "room, empty", query: "room=empty", go: room },
  { name: "room, search unavailable", query: "room=unavailable", go: room },
  { name: "room, outcomes", query: `room=all&${FAST}`, go: async (page) => {
    await room(page);
    await device(page, "console").getByTestId("led-red").click();
    await device(page, "lantern").getByTestId("puzzle-unlock").click();
    await device(page, "crystal-node").getByTestId("led-green").click();
    await device(page, "console").getByTestId("puzzle-reset").first().click();
    await device(page, "telephone").getByTestId("lacks").click();
    await page.locator('[data-outcome="failed"]').waitFor();
  } },
  { name: "room, advance", query: "room=all", go: async (page) => { await room(page); await device(page, "console").getByTestId("advance").click(); } },
  { name: "room, override", query: "room=all", go: async (page) => { await room(page); await device(page, "telephone").getByTestId("override").click(); } },
  { name: "room, token refused", query: `room=all&${FAST}&secrets=memory`, go: async (page) => { await room(page); await device(page, "safe").getByTestId("give-token").click(); await page.getByTestId("device-token").fill("wrong"); await page.getByTestId("token-keep").click(); await page.getByTestId("token-result").waitFor(); } },
  { name: "room, found device", query: "room=all", go: async (page) => { await room(page); await page.getByTestId("found-use").first().click(); await page.getByTestId("form-id").fill("a b"); } },
  { name: "room, device saved", query: `room=all&${FAST}`, go: async (page) => { await room(page); await page.getByTestId("found-use").first().click(); await page.getByTestId("form-token").fill("reading"); await page.getByTestId("form-save").click(); await page.getByTestId("form-result").waitFor(); } },
  { name: "room, device's settings", query: "room=all", go: async (page) => { await room(page); await device(page, "console").getByTestId("device-settings").click(); await page.getByTestId("device-remove").click(); } },
  { name: "room, device of the environment", query: "room=all", go: async (page) => { await room(page); await device(page, "esp32-01").getByTestId("device-settings").click(); } },
  { name: "room, address refused", query: `room=all&${FAST}`, go: async (page) => { await room(page); await page.getByTestId("add-by-address").click(); await page.getByTestId("address").fill("192.168.0.99"); await page.getByTestId("address-look").click(); await page.getByTestId("address-dialog").getByRole("alert").waitFor(); } },
  { name: "room, not ready", query: `room=all&${FAST}`, go: async (page) => { await room(page); await page.getByTestId("room-ready").click(); await page.locator('[data-bad="0"]').waitFor({ state: "detached" }); } },
  { name: "room, history", query: "room=all", go: async (page) => { await room(page); await device(page, "telephone").getByTestId("history").click(); await page.getByTestId("chart-rssi").waitFor(); } },
  { name: "room, history as figures", query: "room=all", go: async (page) => { await room(page); await device(page, "telephone").getByTestId("history").click(); await page.getByTestId("history-table").click(); } },
  { name: "room, history of nothing", query: "room=all", go: async (page) => { await room(page); await device(page, "safe").getByTestId("history").click(); await page.getByTestId("span-week").click(); } },
  { name: "room, snapshot", query: `room=all&${FAST}`, go: async (page) => { await room(page); await device(page, "console").getByTestId("snapshot").click(); await page.getByTestId("snapshot-picture").waitFor(); } },
  { name: "settings with an ignored device", query: "room=all", go: async (page) => { await room(page); await page.getByTestId("found-ignore").first().click(); await page.getByTestId("nav-settings").click(); await page.getByTestId("restore").waitFor(); } },
  { name: "activity of devices", query: `room=all&${FAST}`, go: async (page) => { await room(page); await device(page, "console").getByTestId("led-red").click(); await device(page, "lantern").getByTestId("puzzle-unlock").click(); await page.locator('[data-outcome="failed"]').waitFor(); await page.getByTestId("nav-activity").click(); await page.getByTestId("journal").waitFor(); } },
  { name: "first start", query: "state=first" },
];

describe("every place", () => {
  it.each(PLACES)("$name: accessible in both themes, and fits 900x600 in every language", async ({ query, go }) => {
    const page = await openWindow({ query, still: true });
    await go?.(page);
    for (const theme of ["light", "dark"]) {
      await settings(page, { theme });
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      expect([theme, await accessibility(page)]).toEqual([theme, []]);
    }
    await page.setViewportSize({ width: 900, height: 600 });
    for (const language of ["en", "fr", "zh"]) {
      await settings(page, { language });
      await page.locator(`html[lang^="${language}"]`).waitFor();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      expect([language, await overflow(page)]).toEqual([language, []]);
    }
  });
});

describe("an ending that needs words", () => {
  it.each(["failed", "unknown"])("%s: has the width for them, and leaves the panel's caption to be read", async (state) => {
    const page = await openWindow({ query: `state=${state}` });
    for (const language of ["en", "fr", "zh"]) {
      await settings(page, { language });
      await page.locator(`html[lang^="${language}"]`).waitFor();
      const card = (await page.getByTestId("operation").boundingBox())!;
      const caption = (await page.locator("figcaption").boundingBox())!;
      expect(card.y).toBeGreaterThan(caption.y + caption.height);
      expect(card.width).toBeGreaterThan(560);
      expect(card.height).toBeLessThan(90);
    }
    expect(await page.getByTestId("show").isVisible()).toBe(true);
    expect(await page.getByTestId("slot-0").isVisible()).toBe(false);
    await page.getByTestId("dismiss").click();
    await expect.poll(() => page.getByTestId("slot-0").isVisible()).toBe(true);
  });
});

describe("the panel", () => {
  it.each([
    [1280, 860, 1, 2],
    [900, 600, 1, 1],
    [900, 600, 1.5, 1],
    [900, 600, 2, 2],
    [1280, 860, 1.5, 3],
    [1280, 860, 2, 4],
  ])("at %ix%i and density %d draws %i device pixels a pixel", async (width, height, density, scale) => {
    const page = await openWindow({ width, height, density });
    await expect.poll(() => page.getByTestId("panel").getAttribute("data-scale")).toBe(String(scale));
    const box = await page.getByTestId("panel").boundingBox();
    expect(box!.width * density).toBeCloseTo(400 * scale, 0);
    expect(await overflow(page)).toEqual([]);
  });
});
