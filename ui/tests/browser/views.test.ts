import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { calls, focused, openWindow, outcome, pixels, tabTo, useBrowser, withPicture } from "./window";

useBrowser();
const FAST = "speed=30";
const clockTab = (page: Page) => page.getByTestId("tab-clock").click();

describe("first start", () => {
  it.each([
    ["first-start-simulated", true],
    ["first-start-clock", false],
  ])("%s leads to the studio", async (choice, simulated) => {
    const page = await openWindow({ query: "state=first" });
    expect(await page.getByTestId("panel").count()).toBe(0);
    await page.getByTestId(choice).click();
    await page.getByTestId("panel").waitFor();
    expect(await page.getByTestId("simulated-label").count()).toBe(simulated ? 1 : 0);
  });
});

describe("first start with a room", () => {
  it("leads to the room", async () => {
    const page = await openWindow({ query: "state=first" });
    await page.getByTestId("first-start-room").click();
    await page.getByTestId("room-empty").waitFor();
    expect(await page.getByTestId("nav-room").getAttribute("aria-current")).toBe("page");
  });
});

describe("a start with --demo", () => {
  it("does not ask what was said already", async () => {
    const page = await openWindow({ query: "state=first&demo" });
    await page.getByTestId("panel").waitFor();
    expect(await page.getByTestId("simulated-label").count()).toBe(1);
  });
});

describe("settings", () => {
  it("start at login as the system says, which is asked each time", async () => {
    const page = await openWindow();
    await page.getByTestId("nav-settings").click();
    const switched = page.getByTestId("setting-at-login");
    expect(await switched.isChecked()).toBe(false);
    await switched.check();
    await expect.poll(() => page.evaluate(() => window.fakeHost!.calls)).toContain("startAtLogin true");
    // Elsewhere, as in the Task Manager.
    await page.evaluate(() => window.fakeHost!.startAtLogin(false));
    await page.getByTestId("nav-clock").click();
    await page.getByTestId("nav-settings").click();
    await expect.poll(() => switched.isChecked()).toBe(false);
  });

  it("a picture that a second start brings is opened, wherever the window is", async () => {
    const page = await openWindow();
    await page.getByTestId("nav-settings").click();
    await page.evaluate(() => window.fakeHost!.handOver({ path: "/photos/coffee.png" }));
    await page.getByTestId("panel").waitFor();
    await expect.poll(() => page.getByTestId("nav-clock").getAttribute("aria-current")).toBe("page");
  });

  it("switch the language at once, everywhere", async () => {
    const page = await openWindow();
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("setting-language").selectOption("fr");
    await expect.poll(() => page.getByTestId("nav-settings").innerText()).toBe("Réglages");
    expect(await page.locator("html").getAttribute("lang")).toBe("fr");
    await page.getByTestId("nav-clock").click();
    expect(await page.getByTestId("show").innerText()).toBe("Afficher sur l’horloge");
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("setting-language").selectOption("zh");
    await expect.poll(() => page.getByTestId("nav-clock").innerText()).toBe("时钟");
    expect(await page.getByTestId("status-clock").innerText()).toContain("休眠中");
  });

  it("switch the theme, and follow the system where they are to", async () => {
    const page = await openWindow({ dark: true });
    const theme = () => page.locator("html").getAttribute("data-theme");
    expect(await theme()).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(theme).toBe("light");
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("setting-theme").selectOption("dark");
    await expect.poll(theme).toBe("dark");
  });

  it("hold devices, idle time, hidden start and version; --demo forces simulated devices", async () => {
    const page = await openWindow();
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("setting-idle").selectOption("0");
    await page.getByTestId("setting-start-hidden").check();
    await page.getByTestId("setting-devices").selectOption("bluetooth");
    await page.getByTestId("simulated-label").waitFor({ state: "detached" });
    expect(await page.getByTestId("setting-idle").inputValue()).toBe("0");
    expect(await page.getByTestId("setting-start-hidden").isChecked()).toBe(true);
    expect(await page.getByTestId("version").innerText()).toContain("0.1.0");
    const demo = await openWindow({ query: "demo" });
    await demo.getByTestId("nav-settings").click();
    expect(await demo.getByTestId("setting-devices").isDisabled()).toBe(true);
    expect(await demo.locator("main:visible").innerText()).toContain("--demo");
  });
});

describe("clock controls", () => {
  it("set the time of this computer's zone in one click, and of another one by search", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    expect(await page.getByTestId("set-time").innerText()).toContain("Paris");
    await page.getByTestId("set-time").click();
    await outcome(page, "done");
    expect(await calls(page)).toContain("setTime null");
    await page.getByTestId("other-zone").click();
    await page.getByTestId("zone-search").fill("buenos");
    await page.getByTestId("zone-set").click();
    await expect.poll(() => calls(page)).toContainEqual(expect.stringMatching(/^setTime .*Buenos_Aires$/));
  });

  it("take an offset where the list has no zone", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    await page.getByTestId("other-zone").click();
    await page.getByTestId("zone-search").fill("5:30");
    expect(await page.getByTestId("zone-set").isDisabled()).toBe(true);
    await page.getByTestId("zone-search").fill("+5:30");
    await page.keyboard.press("Enter");
    await expect.poll(() => calls(page)).toContain("setTime +05:30");
  });

  it("change faces, flip, and grey with the reason what the clock has no code for", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    expect(await page.getByTestId("face-clock2").isDisabled()).toBe(true);
    expect(await page.getByTestId("toggle-font").isDisabled()).toBe(true);
    expect(await page.getByRole("tabpanel", { name: "Clock" }).innerText()).toContain("clock-profile.toml");
    await page.getByTestId("face-calendar1").click();
    await outcome(page, "done");
    await page.getByTestId("toggle-invert").click();
    await expect.poll(() => calls(page)).toContain("toggle invert");
  });

  it("grey with the reason what the firmware of another clock lacks, and free it with the next clock", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    const use = async (name: string) => {
      await page.getByTestId("choose-clock").click();
      await page.getByTestId("nearby").filter({ hasText: name }).getByText("Use", { exact: true }).click();
    };
    await page.getByTestId("choose-clock").click();
    await page.getByTestId("nearby").nth(2).waitFor();
    await page.keyboard.press("Escape");
    await use("NRF_EPD_E013");
    await expect.poll(() => page.getByTestId("quiet-on").isDisabled()).toBe(true);
    expect(await page.getByTestId("toggle-invert").isDisabled()).toBe(true);
    expect(await page.getByTestId("face-clock1").isDisabled()).toBe(false);
    expect(await page.getByTestId("quiet-note").innerText()).toContain("firmware");
    await use("NRF-410C77");
    await expect.poll(() => page.getByTestId("quiet-on").isDisabled()).toBe(false);
    expect(await page.getByTestId("toggle-invert").isDisabled()).toBe(false);
  });

  it("cannot be used while the clock works, and say why", async () => {
    const page = await openWindow({ query: "state=sending" });
    await clockTab(page);
    expect(await page.getByTestId("set-time").isDisabled()).toBe(true);
    expect(await page.getByRole("tabpanel", { name: "Clock" }).innerText()).toContain("once “Show picture” has ended");
  });

  it("stay where they are while the clock works", async () => {
    for (const language of ["en", "fr", "zh"]) {
      const page = await openWindow({ query: `speed=2&lang=${language}` });
      await clockTab(page);
      const places = () =>
        page.locator("aside").evaluate((aside) =>
          [...aside.querySelectorAll("[data-testid]:not([data-testid=choose-clock], [data-testid=busy-reason])")].map((e) => e.getBoundingClientRect().top),
        );
      const before = await places();
      await page.getByTestId("face-clock1").click();
      await page.getByTestId("busy-reason").waitFor();
      expect(await places()).toEqual(before);
      await outcome(page, "done");
      expect(await places()).toEqual(before);
    }
  });

  it("set and end quiet hours", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    await page.getByTestId("quiet-from").selectOption("22");
    await page.getByTestId("quiet-to").selectOption("22");
    expect(await page.getByTestId("quiet-on").isDisabled()).toBe(true);
    await page.getByTestId("quiet-to").selectOption("7");
    await page.getByTestId("quiet-on").click();
    await outcome(page, "done");
    await page.getByTestId("quiet-off").click();
    await expect.poll(() => calls(page)).toEqual(expect.arrayContaining(["quietHours true 22 7", "quietHours false 22 7"]));
  });

  it("clear the screen after asking once", async () => {
    const page = await openWindow({ query: `${FAST}&slots=1` });
    await clockTab(page);
    await page.getByTestId("clear").click();
    expect(await calls(page)).not.toContain("clear");
    await page.getByTestId("clear-yes").click();
    await outcome(page, "done");
    await page.getByTestId("simulated-label").click();
    await page.getByTestId("simulated-screen").waitFor();
    await expect.poll(async () => (await pixels(page, "simulated-screen")).colours).toEqual({ "255,255,255": 120_000 });
  });

  it("choose among the clocks heard, the one in use first, with signal in bars and words", async () => {
    const page = await openWindow({ query: FAST });
    await clockTab(page);
    await page.getByTestId("choose-clock").click();
    await expect.poll(() => page.getByTestId("nearby").count()).toBe(3);
    expect(await page.getByTestId("nearby").first().innerText()).toMatch(/NRF-325608.*simulated.*strong signal, -52 dBm.*in use/s);
    await page.getByRole("button", { name: "Use: NRF-410C77" }).click();
    await page.getByTestId("choose-dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("tabpanel", { name: "Clock" }).innerText()).toContain("NRF-410C77");
  });

  it("say what is wrong with Bluetooth", async () => {
    for (const [state, words] of [
      ["radio-off", "switched off"],
      ["no-adapter", "no Bluetooth adapter"],
    ] as const) {
      const page = await openWindow({ query: `state=${state}&real` });
      expect(await page.locator("footer").innerText()).toContain(words);
      await clockTab(page);
      await page.getByTestId("choose-clock").click();
      expect(await page.getByTestId("choose-dialog").getByRole("alert").innerText()).toContain(words);
      expect(await page.getByRole("alert").count()).toBe(1);
      expect(await page.getByTestId("notice").count()).toBe(0);
    }
  });

  it("lead to the system's settings where those mend it, and only there (BLE-8)", async () => {
    const page = await openWindow({ query: "state=radio-off&real" });
    await page.getByTestId("system-settings").click();
    expect(await calls(page)).toContain("openSystemSettings fake-radio-off");
    await clockTab(page);
    await page.getByTestId("choose-clock").click();
    await page.getByTestId("choose-dialog").getByTestId("system-settings").click();
    const without = await openWindow({ query: "state=no-adapter&real" });
    expect(await without.getByTestId("system-settings").count()).toBe(0);
  });

  it("say connected of the clock in use that is", async () => {
    const page = await openWindow({ query: `${FAST}&state=done` });
    await clockTab(page);
    await page.getByTestId("choose-clock").click();
    expect(await page.getByTestId("nearby").first().innerText()).toMatch(/NRF-325608.*connected.*in use/s);
    await expect.poll(() => page.getByTestId("nearby").count()).toBe(3);
    expect(await page.getByTestId("nearby").first().innerText()).toContain("connected, -52 dBm");
    expect(await page.getByTestId("nearby").nth(1).innerText()).not.toContain("connected");
  });
});

describe("activity", () => {
  it("lists what was done and how it ended, newest first", async () => {
    const page = await openWindow({ query: `${FAST}&state=failed` });
    await clockTab(page);
    await page.getByTestId("set-time").click();
    await outcome(page, "done");
    await page.getByTestId("nav-activity").click();
    const rows = page.getByTestId("journal").locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toMatch(/Set time.*Europe\/Paris.*NRF-325608.*Done/s);
    expect(await rows.nth(1).innerText()).toMatch(/Show picture.*Failed.*out of reach/s);
  });
});

describe("a warning of the start", () => {
  it("is shown once and can be put away", async () => {
    const page = await openWindow({ query: "state=warning" });
    await page.getByTestId("notice").getByRole("button").click();
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("setting-idle").selectOption("60");
    expect(await page.getByTestId("notice").count()).toBe(0);
  });
});

describe("a fault", () => {
  it("that the operation's ending says is said nowhere else beside it", async () => {
    const page = await openWindow({ query: "state=radio-off&real" });
    await withPicture(page);
    await page.getByTestId("show").click();
    await outcome(page, "failed");
    expect(await page.getByTestId("operation").innerText()).toContain("switched off");
    // It ended before the answer to its start came.
    await page.getByTestId("retry").waitFor();
    expect(await page.getByTestId("notice").count()).toBe(0);
    expect(await page.locator("footer").innerText()).not.toContain("switched off");
    await page.getByTestId("nav-settings").click();
    expect(await page.locator("footer").innerText()).toContain("switched off");
  });

  it("does not lie over another view", async () => {
    const page = await openWindow({ query: "fault=refuse" });
    await withPicture(page);
    await page.getByTestId("show").click();
    await page.getByTestId("notice").waitFor();
    await page.getByTestId("nav-activity").click();
    await page.getByTestId("notice").waitFor({ state: "detached" });
    await page.getByTestId("nav-clock").click();
    expect(await page.getByTestId("notice").count()).toBe(0);
  });
});

describe("a window that cannot reach the app", () => {
  it("says so instead of staying blank", async () => {
    const page = await openWindow({ query: "state=boot-fault" });
    expect(await page.locator("main").innerText()).toContain("settings folder cannot be read");
  });
});

describe("with the keyboard alone", () => {
  it("a picture is tuned, sent to a slot, and the outcome put away", async () => {
    const page = await openWindow({ query: FAST });
    await withPicture(page);
    const focus = (wanted: string) => tabTo(page, wanted);
    await focus("slot-0");
    await page.keyboard.press("ArrowRight");
    await focus("tab-source");
    await focus("method-atkinson");
    await page.keyboard.press("ArrowRight");
    expect(await page.getByTestId("method-jarvis").isChecked()).toBe(true);
    await focus("slider-contrast");
    await page.keyboard.press("ArrowRight");
    await focus("show");
    await page.keyboard.press("Enter");
    await outcome(page, "done");
    await focus("dismiss");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("slot-1").getAttribute("aria-label")).toContain("on the clock now");
    await focus("tab-source");
    await page.keyboard.press("ArrowRight");
    await focus("choose-clock");
    await page.keyboard.press("Enter");
    await page.getByTestId("choose-dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("choose-dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("choose-clock");
  });
});
