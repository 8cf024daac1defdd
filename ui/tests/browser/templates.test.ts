import { describe, expect, it } from "vitest";
import { calls, drop, focused, openWindow, outcome, pixels, source, tabTo, useBrowser, withPicture } from "./window";

useBrowser();
const FAST = "speed=30";

describe("the sources", () => {
  it("are tabs: arrows go from one to the next and around, Home and End to the ends", async () => {
    const page = await openWindow();
    await tabTo(page, "source-picture");
    const selected = () => page.getByRole("tablist").first().locator("[aria-selected=true]").getAttribute("data-testid");
    for (const [key, wanted] of [
      ["ArrowRight", "source-template"],
      ["ArrowRight", "source-countdown"],
      ["End", "source-text"],
      ["ArrowRight", "source-picture"],
      ["ArrowLeft", "source-text"],
      ["Home", "source-picture"],
    ] as const) {
      await page.keyboard.press(key);
      // The focus stays in the row, also where the source has a field that a click would lead into.
      expect([key, await focused(page), await selected()]).toEqual([key, wanted, wanted]);
    }
  });

  it("keep each its page, and a picture that comes in is shown at once", async () => {
    const page = await openWindow();
    await withPicture(page, "red");
    await source(page, "text");
    await page.getByTestId("text-words").fill("Hello");
    await expect.poll(async () => (await pixels(page, "panel")).colours["0,0,0"] ?? 0).toBeGreaterThan(1000);
    await source(page, "picture");
    expect((await pixels(page, "panel")).colours).toEqual({ "255,0,0": 120_000 });
    await source(page, "text");
    expect(await page.getByTestId("text-words").inputValue()).toBe("Hello");
    await drop(page, { name: "other.png", kind: "shades" });
    await expect.poll(() => page.getByTestId("picture-name").innerText()).toBe("other.png");
    expect(await page.getByTestId("source-picture").getAttribute("aria-selected")).toBe("true");
  });

  it("leave the space bar to who writes", async () => {
    const page = await openWindow();
    await withPicture(page);
    await source(page, "text");
    await page.keyboard.type("a b");
    expect(await page.getByTestId("text-words").inputValue()).toBe("a b");
    await page.getByTestId("slot-0").focus();
    await page.keyboard.down(" ");
    expect(await page.locator('[data-showing="original"]').count()).toBe(0);
  });
});

describe("a template", () => {
  it("starts from its example, and what is typed is on the panel at once", async () => {
    const page = await openWindow();
    await source(page, "template");
    expect(await page.getByTestId("field-title").inputValue()).toBe("Back at 14:30");
    await page.locator('[data-showing="frame"]').waitFor();
    const before = await pixels(page, "panel");
    expect(Object.keys(before.colours).sort()).toEqual(["0,0,0", "255,0,0", "255,255,255"]);
    await page.getByTestId("field-title").fill("Closed today");
    await expect.poll(async () => (await pixels(page, "panel")).print).not.toBe(before.print);
    await page.getByRole("radio", { name: "No red" }).check();
    await expect.poll(async () => (await pixels(page, "panel")).colours["255,0,0"]).toBeUndefined();
    await page.getByTestId("inks").click();
    await expect.poll(async () => Object.keys((await pixels(page, "panel")).colours)).not.toContain("255,255,255");
  });

  it("has more to say than there is room for without moving the panel", async () => {
    const page = await openWindow({ query: "lang=fr" });
    await source(page, "template");
    await page.getByTestId("template-qr").check();
    const panel = (await page.locator("figure").first().boundingBox())!;
    const side = (await page.locator("aside").boundingBox())!;
    expect(panel.x + panel.width).toBeLessThan(side.x);
    const inks = (await page.getByTestId("inks").boundingBox())!;
    expect(inks.x + inks.width).toBeLessThan(side.x);
  });

  it("keeps what was typed, each its own, and gives the example back", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("field-title").fill("Mine");
    await page.getByTestId("template-quote").check();
    await page.getByTestId("field-author").fill("Nobody");
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("nav-clock").click();
    await source(page, "picture");
    await source(page, "template");
    expect(await page.getByTestId("field-author").inputValue()).toBe("Nobody");
    await page.getByTestId("template-notice").check();
    expect(await page.getByTestId("field-title").inputValue()).toBe("Mine");
    await page.getByTestId("fill-example").click();
    expect(await page.getByTestId("field-title").inputValue()).toBe("Back at 14:30");
    expect(await page.getByTestId("fill-example").isDisabled()).toBe(true);
    expect((await calls(page)).filter((c) => c === "templates").length).toBe(1);
  });

  it("is shown on the clock in the slot chosen", async () => {
    const page = await openWindow({ query: FAST });
    await source(page, "template");
    await page.getByTestId("template-metric").check();
    await page.getByTestId("slot-2").check();
    await expect.poll(() => page.getByTestId("show").isEnabled()).toBe(true);
    await page.getByTestId("show").click();
    await outcome(page, "done");
    expect(await calls(page)).toContain("showComposition metric 2");
    await expect.poll(() => page.getByTestId("slot-2").getAttribute("aria-label")).toContain("on the clock now");
    const panel = await pixels(page, "panel");
    await page.getByTestId("look").click();
    await expect.poll(async () => (await pixels(page, "simulated-screen")).print).toBe(panel.print);
  });

  it("says at the field what is wrong with it, and is not sent before that is mended", async () => {
    const page = await openWindow();
    await source(page, "template");
    const title = page.getByTestId("field-title");
    await title.fill("");
    await expect.poll(() => page.getByTestId("field-error").innerText()).toBe("Please fill this in.");
    expect(await title.getAttribute("aria-invalid")).toBe("true");
    const described = await title.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${described}"]`).innerText()).toBe("Please fill this in.");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    expect(await page.getByTestId("go-reason").innerText()).toContain("mend");
    // The page of before stays, and is seen to be one.
    expect(await page.getByTestId("panel").getAttribute("data-stale")).toBe("true");
    await title.fill("x".repeat(83));
    await expect.poll(() => page.getByTestId("field-error").innerText()).toBe("At most 80 characters; these are 83.");
    await title.fill("Open");
    await page.getByTestId("field-error").waitFor({ state: "detached" });
    expect(await title.getAttribute("aria-invalid")).toBeNull();
    expect(await page.getByTestId("panel").getAttribute("data-stale")).toBe("false");
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
  });

  it("says which word is no number", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-metric").check();
    await page.getByTestId("field-sparkline").fill("1 2 tree");
    await expect.poll(() => page.getByTestId("field-error").innerText()).toBe("“tree” is not a number.");
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    await page.getByTestId("field-sparkline").fill("1; 2,5");
    await page.getByTestId("field-error").waitFor({ state: "detached" });
  });

  it("says above the form what belongs to no field", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-qr").check();
    await page.getByTestId("field-url").fill("regie.example");
    await expect.poll(() => page.getByTestId("template-form").getByRole("alert").innerText()).toContain("only one of");
  });

  it("hides a password until it is asked for", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-qr").check();
    const password = page.getByTestId("field-wifi.password");
    expect(await password.getAttribute("type")).toBe("password");
    await page.getByTestId("reveal").click();
    expect(await password.getAttribute("type")).toBe("text");
    expect(await password.inputValue()).toBe("coffee-and-cake");
    expect(await page.getByTestId("reveal").getAttribute("aria-pressed")).toBe("true");
  });

  // DI-14
  it("lists the characters that no font has before anything is sent", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("field-body").fill("See you 😀 soon 😎");
    await expect.poll(() => page.getByTestId("missing-characters").innerText()).toMatch(/left out[\s\S]*😀\s*U\+1F600[\s\S]*😎\s*U\+1F60E/);
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
    expect((await calls(page)).some((c) => c.startsWith("show"))).toBe(false);
  });

  it("typed faster than it is drawn builds no backlog, and the last letter is on the panel", async () => {
    const page = await openWindow({ query: "render=120" });
    await source(page, "template");
    await page.locator('[data-showing="frame"]').waitFor();
    const before = (await calls(page)).filter((c) => c === "compose").length;
    await page.getByTestId("field-title").evaluate((element) => {
      const input = element as HTMLInputElement;
      for (let letters = 1; letters <= 20; letters++) {
        input.value = "x".repeat(letters);
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
      input.value = "";
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await page.getByTestId("field-error").waitFor();
    // The first, which was under way, and the last.
    expect((await calls(page)).filter((c) => c === "compose").length - before).toBe(2);
  });
});

describe("a list", () => {
  const texts = (page: Parameters<typeof source>[0]) =>
    page.locator('[data-testid^="field-items["][type=text]').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));

  it("takes rows, up to its most, and lets them go", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-todo").check();
    const add = page.getByTestId("add-items");
    for (const task of ["six", "seven", "eight"]) {
      await add.click();
      await page.keyboard.type(task);
    }
    expect(await add.isDisabled()).toBe(true);
    expect(await add.innerText()).toContain("8 rows");
    expect((await texts(page)).slice(5)).toEqual(["six", "seven", "eight"]);
    await page.getByRole("button", { name: "Remove row 1" }).click();
    expect((await texts(page))[0]).toBe("Count the till");
    expect(await add.isEnabled()).toBe(true);
  });

  it("is put in order and shortened with the keyboard alone, the focus going along", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-todo").check();
    await page.getByTestId("field-items[0].text").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => focused(page)).toBe("field-items[2].text");
    expect((await texts(page)).slice(0, 3)).toEqual(["Count the till", "Water the plants", "Coffee machine on"]);
    expect(await page.getByTestId("field-items[2].done").isChecked()).toBe(true);
    const doing = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await page.getByRole("button", { name: "Move row 2 up" }).focus();
    await page.keyboard.press("Enter");
    // At the top there is no further up.
    await expect.poll(doing).toContain("Move row 1 down");
    expect((await texts(page))[0]).toBe("Water the plants");
    await page.getByRole("button", { name: "Remove row 5" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(doing).toContain("Remove row 4");
    for (let rows = 4; rows > 0; rows--) await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("add-items");
    await expect.poll(() => page.getByTestId("field-error").innerText()).toBe("Please fill this in.");
  });

  it("shows a fault at the row it is about, blank rows or not", async () => {
    const page = await openWindow();
    await source(page, "template");
    await page.getByTestId("template-weather").check();
    await page.getByTestId("field-days[0].day").fill("");
    await page.getByTestId("field-days[0].high").fill("");
    await page.getByTestId("field-days[0].low").fill("");
    await page.getByTestId("field-days[2].day").fill("");
    await page.getByTestId("field-error").waitFor();
    expect(await page.getByTestId("field-days[2].day").getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("[aria-invalid]").count()).toBe(1);
  });
});

describe("with the keyboard alone", () => {
  it("a template is chosen, filled in, sent, and its ending put away", async () => {
    const page = await openWindow({ query: FAST });
    await tabTo(page, "source-picture");
    await page.keyboard.press("ArrowRight");
    await page.getByTestId("field-title").waitFor();
    await tabTo(page, "template-notice");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await tabTo(page, "field-title");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Back soon");
    await tabTo(page, "show");
    await page.keyboard.press("Enter");
    await outcome(page, "done");
    await tabTo(page, "dismiss");
    await page.keyboard.press("Enter");
    await page.getByTestId("operation").waitFor({ state: "detached" });
    expect(await calls(page)).toContain("showComposition notice 0");
  });
});
