// The built fake page in a real browser. Without a browser the tests fail: a skipped test tells nothing.
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

const BUILT = fileURLToPath(new URL("../../dist-fake", import.meta.url));
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export type Options = { query?: string; width?: number; height?: number; density?: number; dark?: boolean; still?: boolean };

let browser: Browser;
let server: Server;
let base: string;
let pages: Page[] = [];
let complaints: string[] = [];

/** Starts a browser for the tests of a file, and fails each test whose page complained. */
export function useBrowser(): void {
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
      try {
        const body = await readFile(join(BUILT, path));
        response.writeHead(200, {
          "content-type": TYPES[extname(path)] ?? "application/octet-stream",
          // What the real window allows, so that nothing comes to need more.
          "content-security-policy":
            "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; script-src 'self'",
        });
        response.end(body);
      } catch {
        response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
      }
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fake.html`;
    browser = await chromium.launch({
      executablePath: process.env.REGIE_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--headless",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });

  afterEach(async () => {
    await Promise.all(pages.map((page) => page.context().close()));
    const said = complaints;
    pages = [];
    complaints = [];
    expect(said).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });
}

export async function openWindow({ query = "", width = 1280, height = 860, density = 1, dark = false, still = false }: Options = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: density,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: still ? "reduce" : "no-preference",
    locale: "en-GB",
    timezoneId: "Europe/Paris",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  pages.push(page);
  page.on("pageerror", (error) => complaints.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    // The tests read canvases back, which the browser has an opinion about.
    if (message.text().includes("willReadFrequently")) return;
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.goto(`${base}?${query}`);
  await page.locator("main").first().waitFor();
  return page;
}

export type Dropped = { name: string; kind: "red" | "shades" | "text" | "empty" };

/** Drops files on the window as a file manager would. */
export async function drop(page: Page, ...files: Dropped[]): Promise<void> {
  await page.evaluate(async (dropped) => {
    const transfer = new DataTransfer();
    for (const { name, kind } of dropped) {
      if (kind === "text" || kind === "empty") {
        transfer.items.add(new File(kind === "text" ? ["%PDF-1.7 no picture"] : [], name));
        continue;
      }
      const canvas = document.createElement("canvas");
      canvas.width = 800;
      canvas.height = 600;
      const context = canvas.getContext("2d")!;
      if (kind === "red") {
        context.fillStyle = "#f00";
      } else {
        const fill = context.createLinearGradient(0, 0, 800, 0);
        fill.addColorStop(0, "#000");
        fill.addColorStop(1, "#fff");
        context.fillStyle = fill;
      }
      context.fillRect(0, 0, 800, 600);
      const blob = await new Promise<Blob>((done) => canvas.toBlob((b) => done(b!)));
      transfer.items.add(new File([blob], name, { type: "image/png" }));
    }
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, files);
}

/** A picture on the panel, its preview and thumbnails made. */
export async function withPicture(page: Page, kind: "red" | "shades" = "shades"): Promise<void> {
  await drop(page, { name: `${kind}.png`, kind });
  await page.locator('[data-testid="panel"][data-showing="frame"]').waitFor();
  await page.locator('[data-testid="methods"] canvas').nth(10).waitFor();
}

/** Chooses what the panel shows. */
export async function source(page: Page, name: "picture" | "template" | "countdown" | "text"): Promise<void> {
  await page.getByTestId(`source-${name}`).click();
  if (name === "template") await page.getByTestId("templates").locator("canvas").nth(5).waitFor();
}

/** Presses Tab until the control with this test id has the focus. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let i = 0; i < 80; i++) {
    if ((await focused(page)) === wanted) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${wanted}`);
}

export function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute("data-testid"));
}

/** The canvas read back: its size, how many pixels each colour has, and a fingerprint of all of them. */
export async function pixels(page: Page, testid: string) {
  return page.getByTestId(testid).evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    const colours: Record<string, number> = {};
    let print = 0;
    for (let i = 0; i < data.length; i += 4) {
      const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      colours[colour] = (colours[colour] ?? 0) + 1;
      print = (Math.imul(print, 31) + data[i]! * 7 + data[i + 1]! * 3 + data[i + 2]!) | 0;
    }
    return { width: canvas.width, height: canvas.height, colours, print };
  });
}

export async function outcome(page: Page, wanted: string): Promise<void> {
  await page.locator(`[data-testid="operation"][data-outcome="${wanted}"]`).waitFor();
}

export function calls(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { fakeHost: { calls: string[] } }).fakeHost.calls);
}

/** Changes settings as another door of the app would. */
export async function settings(page: Page, patch: { language?: string; theme?: string }): Promise<void> {
  await page.evaluate(async (patch) => {
    type Host = { state(): Promise<{ settings: object }>; saveSettings(settings: object): Promise<void> };
    const host = (window as unknown as { fakeHost: Host }).fakeHost;
    await host.saveSettings({ ...(await host.state()).settings, ...patch });
  }, patch);
}

/** Rules broken, with where; empty when all is well. */
export async function accessibility(page: Page): Promise<string[]> {
  // Read into the page by the test driver, past the page's own policy.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await readFile(AXE, "utf8"));
  return page.evaluate(async () => {
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
    const axe = (window as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  });
}

/** Elements whose text or content is cut off at the right or below, outside of what scrolls on purpose. */
export async function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const bad: string[] = [];
    const { innerWidth, innerHeight } = window;
    const name = (e: Element) => `${e.tagName.toLowerCase()}.${e.className.toString().split(" ")[0]} "${e.textContent?.trim().slice(0, 30)}"`;
    const scrollers = [...document.querySelectorAll(".panel, .scroll, ul, ol, main")].filter((e) => getComputedStyle(e).overflowY === "auto");
    // A window that became longer can be scrolled by a program, and then cannot be scrolled back by a person.
    if (document.documentElement.scrollHeight > innerHeight) bad.push("the page is longer than the window");
    if (document.documentElement.scrollWidth > innerWidth) bad.push("the page is wider than the window");
    for (const element of document.querySelectorAll("button, canvas, figure, p, h1, h2, label, legend, output, select, input, textarea")) {
      if (element.closest(".hidden-visually, option, [hidden], [inert]")) continue;
      const box = element.getBoundingClientRect();
      if (box.width === 0) continue;
      const scrolls = scrollers.some((scroller) => scroller.contains(element));
      if (box.right > innerWidth + 0.5 || box.left < -0.5) bad.push(`sideways: ${name(element)}`);
      if (!scrolls && box.bottom > innerHeight + 0.5) bad.push(`below: ${name(element)}`);
      if (element.matches("button") && element.scrollWidth > element.clientWidth + 1) bad.push(`cut: ${name(element)}`);
      const room = element.closest(".room");
      if (element.matches("figure") && room && box.height > room.clientHeight + 0.5) bad.push(`clipped: ${name(element)}`);
    }
    return bad;
  });
}
