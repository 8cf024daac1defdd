import { describe, expect, it } from "vitest";
import { calls, drop, openWindow, outcome, pixels, useBrowser, withPicture } from "./window";

useBrowser();
const FAST = "speed=30";

describe("a picture", () => {
  it("dropped anywhere shows on the panel, in exactly its pixels", async () => {
    const page = await openWindow();
    expect(await page.getByTestId("show").isDisabled()).toBe(true);
    expect(await page.getByTestId("go-reason").innerText()).toContain("Open a picture");
    await withPicture(page, "red");
    expect(await pixels(page, "panel")).toMatchObject({ width: 400, height: 300, colours: { "255,0,0": 120_000 } });
    expect(await page.getByTestId("picture-name").innerText()).toBe("red.png");
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
  });

  it("shows where it will land while it is dragged over the window", async () => {
    const page = await openWindow();
    const drag = (type: string) =>
      page.evaluate((type) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["x"], "x.png"));
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, type);
    await drag("dragenter");
    await page.getByTestId("drop-overlay").waitFor();
    await drag("dragleave");
    await page.getByTestId("drop-overlay").waitFor({ state: "detached" });
  });

  it("is opened by the file button", async () => {
    const page = await openWindow();
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByTestId("open").click()]);
    const png = await page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 40;
      const blob = await new Promise<Blob>((done) => canvas.toBlob((b) => done(b!)));
      return [...new Uint8Array(await blob.arrayBuffer())];
    });
    await chooser.setFiles({ name: "small.png", mimeType: "image/png", buffer: Buffer.from(png) });
    await page.locator('[data-testid="panel"][data-showing="frame"]').waitFor();
    expect(await page.getByTestId("notes").innerText()).toContain("Enlarged");
  });

  it("is taken from the clipboard", async () => {
    const page = await openWindow();
    await page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 500;
      const blob = await new Promise<Blob>((done) => canvas.toBlob((b) => done(b!)));
      const data = new DataTransfer();
      data.items.add(new File([blob], "image.png", { type: "image/png" }));
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    });
    await page.locator('[data-testid="panel"][data-showing="frame"]').waitFor();
    expect(await page.getByTestId("picture-name").innerText()).toBe("Pasted picture");
  });

  it("that is none is refused with the reason, and the one before it stays", async () => {
    const page = await openWindow();
    await withPicture(page, "red");
    for (const file of [
      { name: "menu.pdf", kind: "text" } as const,
      { name: "hollow.png", kind: "empty" } as const,
    ]) {
      await drop(page, file);
      await expect.poll(() => page.getByTestId("notice").innerText()).toContain(file.name);
      expect(await page.getByTestId("notice").getAttribute("role")).toBe("alert");
    }
    expect(await page.getByTestId("notice").count()).toBe(1);
    expect((await pixels(page, "panel")).colours).toEqual({ "255,0,0": 120_000 });
    await page.keyboard.press("Escape");
    await page.getByTestId("notice").waitFor({ state: "detached" });
  });

  it("of several is the first, and that is said", async () => {
    const page = await openWindow();
    await drop(page, { name: "first.png", kind: "red" }, { name: "second.png", kind: "shades" });
    await expect.poll(() => page.getByTestId("notice").innerText()).toContain("2 files were dropped");
    expect(await page.getByTestId("picture-name").innerText()).toBe("first.png");
  });
});

describe("options", () => {
  it("change the preview: slider, method, colours, size, inks", async () => {
    const page = await openWindow();
    await withPicture(page);
    const seen = new Set<number>();
    const changed = async () => {
      await expect.poll(async () => seen.has((await pixels(page, "panel")).print)).toBe(false);
      seen.add((await pixels(page, "panel")).print);
    };
    await changed();
    await page.getByTestId("slider-brightness").fill("60");
    await changed();
    await page.getByTestId("method-bayer").check();
    await changed();
    await page.getByTestId("inks").click();
    await changed();
    expect(Object.keys((await pixels(page, "panel")).colours)).not.toContain("255,255,255");
    await page.getByRole("radio", { name: "No red" }).check();
    await page.getByRole("radio", { name: "Strip" }).check();
    await expect.poll(async () => (await pixels(page, "panel")).width).toBe(280);
    expect((await pixels(page, "panel")).height).toBe(100);
  });

  it("of a slider go back to neutral by double click, and all by one button", async () => {
    const page = await openWindow();
    await withPicture(page);
    const contrast = page.getByTestId("slider-contrast");
    await contrast.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await contrast.getAttribute("aria-valuetext")).toBe("+2");
    await contrast.dblclick({ position: { x: 3, y: 12 } });
    await expect.poll(() => contrast.getAttribute("aria-valuetext")).toBe("0");
    await page.getByTestId("slider-gamma").fill("20");
    await page.getByRole("button", { name: "Reset all" }).click();
    await expect.poll(() => page.getByTestId("slider-gamma").getAttribute("aria-valuetext")).toBe("1.00");
  });

  it("asked for faster than they are made build no backlog, and the last one is shown", async () => {
    const page = await openWindow({ query: "render=120" });
    await withPicture(page);
    const before = (await calls(page)).filter((c) => c === "render").length;
    await page.getByTestId("slider-brightness").evaluate((element) => {
      const slider = element as HTMLInputElement;
      for (let value = 61; value <= 100; value++) {
        slider.value = String(value);
        slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
    });
    await expect.poll(async () => (await pixels(page, "panel")).colours["0,0,0"] ?? 0).toBeLessThan(20_000);
    const renders = (await calls(page)).filter((c) => c === "render").length - before;
    // The first, which was under way, and the last.
    expect(renders).toBe(2);
    await expect.poll(async () => (await calls(page)).filter((c) => c === "saveSettings").length).toBe(1);
  });

  it("are compared with the original while Space or the button is held", async () => {
    const page = await openWindow();
    await withPicture(page);
    const dithered = await pixels(page, "panel");
    await page.getByTestId("method-jarvis").check();
    await page.keyboard.down(" ");
    await page.locator('[data-showing="original"]').waitFor();
    expect(Object.keys((await pixels(page, "panel")).colours).length).toBeGreaterThan(100);
    await page.keyboard.up(" ");
    await page.locator('[data-showing="frame"]').waitFor();
    await page.getByTestId("compare").hover();
    await page.mouse.down();
    await page.locator('[data-showing="original"]').waitFor();
    await page.waitForTimeout(400);
    await page.mouse.up();
    await page.locator('[data-showing="frame"]').waitFor();
    expect((await pixels(page, "panel")).width).toBe(dithered.width);
  });

  it("are compared with the original from one click, or key, to the next", async () => {
    const page = await openWindow();
    await withPicture(page);
    const button = page.getByTestId("compare");
    const shows = (what: string) => page.locator(`[data-showing="${what}"]`).waitFor();
    const pressed = () => button.getAttribute("aria-pressed");
    expect(await pressed()).toBe("false");
    await button.click();
    await shows("original");
    await page.mouse.move(300, 300);
    expect(await pressed()).toBe("true");
    await page.getByTestId("slider-brightness").fill("60");
    await shows("original");
    await button.click();
    await shows("frame");
    expect(await pressed()).toBe("false");
    // The space bar is held also after a click on the button, and ends what a click began.
    await button.click();
    await shows("original");
    await page.keyboard.down(" ");
    await page.keyboard.up(" ");
    await shows("frame");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    for (const key of ["Enter", " "]) {
      await page.keyboard.press(key);
      await shows("original");
      await page.keyboard.press(key);
      await shows("frame");
    }
  });
});

describe("the space bar", () => {
  it("compares after a click on a button, and presses a button reached by Tab", async () => {
    const page = await openWindow();
    await withPicture(page);
    await page.getByTestId("inks").click();
    await page.keyboard.down(" ");
    await page.locator('[data-showing="original"]').waitFor();
    await page.keyboard.up(" ");
    await page.locator('[data-showing="frame"]').waitFor();
    expect(await page.getByTestId("inks").getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press(" ");
    await expect.poll(() => page.getByTestId("inks").getAttribute("aria-pressed")).toBe("false");
  });
});

describe("showing on the clock", () => {
  it("tells stage, packets and time left, and ends with the picture on the simulated screen", async () => {
    const page = await openWindow({ query: "speed=8" });
    await withPicture(page);
    await page.getByTestId("slot-2").check();
    await page.getByTestId("show").click();
    await outcome(page, "running");
    expect(await page.getByTestId("show").count()).toBe(0);
    await expect.poll(() => page.getByTestId("progress-detail").innerText()).toMatch(/^\d+ of 127 packets$/);
    await expect.poll(() => page.getByTestId("status-clock").innerText()).toMatch(/sending \d+ of 127/);
    await outcome(page, "done");
    expect(await page.getByTestId("operation").innerText()).toMatch(/on the clock.*\n.*30 kB in 127 packets/s);
    await expect.poll(() => page.getByTestId("slot-2").getAttribute("aria-label")).toContain("on the clock now");
    const panel = await pixels(page, "panel");
    await page.getByTestId("simulated-label").click();
    await page.getByTestId("simulated-screen").waitFor();
    await expect.poll(async () => (await pixels(page, "simulated-screen")).print).toBe(panel.print);
    await page.keyboard.press("Escape");
    await page.getByTestId("simulated-screen").waitFor({ state: "detached" });
    await page.getByTestId("look").click();
    await page.getByTestId("simulated-screen").waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("simulated-screen").waitFor({ state: "detached" });
    await page.getByTestId("dismiss").click();
    expect(await page.getByTestId("go-reason").innerText()).toContain("Slot 2 shows now.");
  });

  it("shows a filled slot again", async () => {
    const page = await openWindow({ query: `${FAST}&slots=2` });
    await page.getByTestId("slot-1").check();
    await page.getByTestId("show-again").click();
    await outcome(page, "done");
    expect(await calls(page)).toContain("showSlot");
  });

  it("can be cancelled, and used again at once", async () => {
    const page = await openWindow({ query: `${FAST}&fault=stall` });
    await withPicture(page);
    await page.getByTestId("show").click();
    await expect.poll(() => page.getByTestId("progress-detail").innerText()).toContain("63 of 127");
    await page.getByTestId("cancel").click();
    await outcome(page, "cancelled");
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
  });

  it("that failed says why, what to do, and is tried again", async () => {
    const page = await openWindow({ query: `${FAST}&fault=fail` });
    await withPicture(page);
    await page.getByTestId("show").click();
    await outcome(page, "failed");
    const said = await page.getByTestId("operation").innerText();
    expect(said).toContain("Failed. The clock went out of reach");
    expect(said).toContain("Move the clock closer");
    await page.getByTestId("retry").click();
    await expect.poll(async () => (await calls(page)).filter((c) => c === "show").length).toBe(2);
  });

  // UP-3: three outcomes, and for the third what to look at.
  it("that may have arrived is neither done nor failed", async () => {
    const page = await openWindow({ query: `${FAST}&fault=unknown` });
    await withPicture(page);
    await page.getByTestId("show").click();
    await outcome(page, "unknown");
    expect(await page.getByTestId("operation").innerText()).toContain("Look at the clock");
  });

  it("that cannot start says so, and the button stays", async () => {
    const page = await openWindow({ query: `${FAST}&fault=refuse` });
    await withPicture(page);
    await page.getByTestId("show").click();
    await expect.poll(() => page.getByTestId("notice").innerText()).toContain("refuses the connection");
    expect(await page.getByTestId("show").isEnabled()).toBe(true);
  });
});

describe("an ending", () => {
  it("that was good gives way when the picture changes; one that was not stays", async () => {
    const page = await openWindow({ query: "state=done" });
    await withPicture(page);
    await page.getByTestId("operation").waitFor({ state: "detached" });
    const other = await openWindow({ query: "state=failed" });
    await withPicture(other);
    await other.getByTestId("slider-contrast").fill("10");
    expect(await other.getByTestId("operation").getAttribute("data-outcome")).toBe("failed");
  });
});

describe("the picture being worked on", () => {
  it("survives a look at another view", async () => {
    const page = await openWindow();
    await withPicture(page, "red");
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("nav-clock").click();
    expect((await pixels(page, "panel")).colours).toEqual({ "255,0,0": 120_000 });
  });

  it("keeps its place while another view is seen, out of reach, and is drawn again when it comes back", async () => {
    const page = await openWindow({ query: "slots=1" });
    await withPicture(page);
    const box = await page.getByTestId("panel").boundingBox();
    await page.getByTestId("nav-activity").click();
    // WebKitGTK lets go of what a canvas shows as soon as it has no box.
    expect(await page.getByTestId("panel").boundingBox()).toEqual(box);
    expect(await page.getByTestId("panel").isVisible()).toBe(false);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.closest(".studio"))).toBeNull();
    }
    expect(await page.getByRole("main").count()).toBe(1);
    await page.evaluate(() => {
      const drawn = new Set<HTMLCanvasElement>();
      const put = CanvasRenderingContext2D.prototype.putImageData;
      CanvasRenderingContext2D.prototype.putImageData = function (...args: unknown[]) {
        drawn.add(this.canvas);
        return Reflect.apply(put, this, args);
      };
      Object.assign(window, { drawn });
    });
    await page.getByTestId("nav-clock").click();
    // The panel, eleven methods, one slot.
    await expect.poll(() => page.evaluate(() => (window as unknown as { drawn: Set<unknown> }).drawn.size)).toBe(13);
    expect(await page.getByTestId("panel").isVisible()).toBe(true);
  });
});
