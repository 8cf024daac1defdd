import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { calls, focused, openWindow, tabTo, useBrowser } from "./window";

useBrowser();
const FAST = "speed=30";

async function agents(query: string): Promise<Page> {
  const page = await openWindow({ query });
  await page.getByTestId("nav-agents").click();
  await page.getByTestId("server").waitFor();
  return page;
}

const server = (page: Page) => page.getByTestId("server").getAttribute("data-state");
const last = async (page: Page) => (await calls(page)).at(-1);

/** Lets pages copy, and reads back what they did. */
async function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

async function refuseCopies(page: Page): Promise<void> {
  await page.evaluate(() => {
    const refuse = () => Promise.reject(new DOMException("refused", "NotAllowedError"));
    Object.assign(navigator.clipboard, { write: refuse, writeText: refuse });
  });
}

const selected = (page: Page) => page.evaluate(() => String(window.getSelection()));

describe("the server's switch", () => {
  it("turns it on and off, and says where it listens, in the view and in the strip (PORT-3)", async () => {
    const page = await agents("agents=off");
    expect(await page.getByTestId("status-mcp").innerText()).toBe("MCP off");
    await page.getByTestId("server-switch").click();
    await expect.poll(() => server(page)).toBe("on");
    expect(await page.getByTestId("server-switch").getAttribute("aria-checked")).toBe("true");
    expect(await page.getByTestId("addresses").innerText()).toContain("http://127.0.0.1:8790/mcp");
    expect(await page.getByTestId("status-mcp").innerText()).toBe("MCP on at 127.0.0.1:8790");
    await page.getByTestId("server-switch").click();
    await expect.poll(() => server(page)).toBe("off");
    expect((await calls(page)).filter((call) => call.startsWith("switchServer"))).toEqual(["switchServer true", "switchServer false"]);
  });

  it("is found from the strip and from the settings", async () => {
    const page = await openWindow({ query: "agents=on" });
    expect(await page.getByTestId("status-mcp").innerText()).toBe("MCP on at 127.0.0.1:8790, 2 agents");
    await page.getByTestId("status-mcp").click();
    expect(await page.getByTestId("connected").count()).toBe(2);
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("settings-agents").click();
    await page.getByTestId("server").waitFor();
  });

  it("says why the server could not start and leads to another port, which starts it (PORT-1, PORT-5)", async () => {
    const page = await agents("agents=failed");
    expect(await page.getByTestId("server").getByRole("alert").innerText()).toMatch(/8790 is used by nginx.*choose another port/s);
    await page.getByTestId("server-retry").click();
    await expect.poll(() => server(page)).toBe("failed");
    await page.getByTestId("other-port").click();
    expect(await focused(page)).toBe("port");
    await page.keyboard.type("8972");
    await page.keyboard.press("Enter");
    await expect.poll(() => server(page)).toBe("on");
    expect(await page.getByTestId("status-mcp").innerText()).toContain("127.0.0.1:8972");
    // The window stays where it is, however far the field was.
    expect(await page.evaluate(() => document.documentElement.scrollTop + document.body.scrollTop)).toBe(0);
  });
});

describe("the network without a token", () => {
  it("is not opened, and a token that mends that is one press away (SEC-3)", async () => {
    const page = await agents("agents=none");
    await page.getByTestId("reach-this-network").check();
    await expect.poll(() => server(page)).toBe("failed");
    await page.getByTestId("make-token").click();
    expect(await focused(page)).toBe("token-name");
    await page.keyboard.type("Cursor");
    await page.keyboard.press("Enter");
    await page.getByTestId("token-secret").waitFor();
    await page.getByTestId("server-retry").click();
    await expect.poll(() => server(page)).toBe("on");
  });
});

describe("how agents reach Regie", () => {
  it("takes a port, and nothing that is none", async () => {
    const page = await agents("agents=on");
    const port = page.getByTestId("port");
    for (const wrong of ["0", "65536", "http", ""]) {
      await port.fill(wrong);
      expect(await port.getAttribute("aria-invalid")).toBe("true");
      expect(await page.getByTestId("port-below").innerText()).toContain("1 to 65535");
      await page.keyboard.press("Enter");
    }
    expect(await calls(page)).not.toContain("saveSettings");
    await page.keyboard.press("Escape");
    expect(await port.inputValue()).toBe("8790");
    await port.fill("9000");
    await page.keyboard.press("Tab");
    await expect.poll(async () => (await page.getByTestId("configuration").innerText()).length).toBeGreaterThan(0);
    await page.getByTestId("client-cursor").click();
    await expect.poll(() => page.getByTestId("configuration").innerText()).toContain("127.0.0.1:9000");
  });

  it("opens to the network only when asked to, and says what that means (SEC-5)", async () => {
    const page = await agents("agents=on");
    expect(await page.getByTestId("reach-this-computer").isChecked()).toBe(true);
    await page.getByTestId("reach-this-network").check();
    await expect.poll(() => page.getByTestId("addresses").innerText()).toMatch(/192\.168\.1\.20:8790\/mcp\s+this network/);
    await page.getByTestId("client-cursor").click();
    expect(await page.getByTestId("connect").innerText()).toContain("agent on another computer");
    await page.getByTestId("at-start").check();
    const { settings } = await page.evaluate(() =>
      (window as unknown as { fakeHost: { state(): Promise<{ settings: { agents: object } }> } }).fakeHost.state(),
    );
    expect(settings.agents).toMatchObject({ reach: "this-network", at_start: true, port: 8790 });
  });

  it("lists the folders that agents may read from, and what none means", async () => {
    const page = await agents("agents=on");
    expect(await page.getByTestId("folders").innerText()).toContain("any folder");
    await page.getByTestId("folder-add").click();
    await expect.poll(() => page.getByTestId("folder").count()).toBe(1);
    expect(await page.getByTestId("folders").innerText()).toContain("nowhere else");
    await page.getByTestId("folder-remove").click();
    await page.getByTestId("folder").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("folder-add");
  });
});

describe("a token", () => {
  it("is nowhere in the page until it is shown, and gone when it is hidden or left", async () => {
    const page = await agents("agents=on");
    expect(await page.content()).not.toContain("fake_");
    await page.getByTestId("token-show").first().click();
    expect(await page.getByTestId("token-secret").innerText()).toMatch(/^fake_/);
    await page.getByTestId("token-show").first().click();
    expect(await page.content()).not.toContain("fake_");
    await page.getByTestId("token-show").first().click();
    await page.getByTestId("token-secret").waitFor();
    await page.getByTestId("nav-activity").click();
    await page.getByTestId("nav-agents").click();
    await page.getByTestId("tokens").waitFor();
    expect(await page.content()).not.toContain("fake_");
  });

  it("hides by itself after half a minute", async () => {
    const page = await openWindow({ query: "agents=off" });
    await page.clock.install();
    await page.getByTestId("nav-agents").click();
    await page.getByTestId("token-show").first().click();
    await page.getByTestId("token-secret").waitFor();
    await page.clock.fastForward(29_000);
    expect(await page.getByTestId("token-secret").count()).toBe(1);
    await page.clock.fastForward(2_000);
    await page.getByTestId("token-secret").waitFor({ state: "detached" });
  });

  it("is copied without being shown, and shown selected where copies are refused", async () => {
    const page = await agents("agents=on");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByTestId("token-copy").first().click();
    await expect.poll(() => page.getByTestId("token-copy").first().innerText()).toBe("Copied");
    expect(await copied(page)).toMatch(/^fake_/);
    expect(await page.content()).not.toContain("fake_");
    await refuseCopies(page);
    await page.getByTestId("token-copy").nth(1).click();
    await page.getByTestId("token-secret").waitFor();
    await expect.poll(() => selected(page)).toBe(await page.getByTestId("token-secret").innerText());
  });

  it("is made with a name, and shown at once", async () => {
    const page = await agents("agents=none");
    await page.getByTestId("client-cursor").click();
    await page.getByTestId("make-first").click();
    expect(await focused(page)).toBe("token-name");
    expect(await page.getByTestId("token-name-ok").isDisabled()).toBe(true);
    await page.keyboard.type("Cursor");
    await page.keyboard.press("Enter");
    expect(await page.getByTestId("token-secret").innerText()).toMatch(/^fake_/);
    expect(await last(page)).toBe("makeToken Cursor");
    await page.getByTestId("copy-configuration").waitFor();
  });

  it("is replaced and revoked after one question, which can be declined", async () => {
    const page = await agents("agents=on");
    const first = page.getByTestId("token").first();
    await first.getByTestId("token-replace").click();
    expect(await focused(page)).toBe("token-no");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("token-replace");
    expect(await calls(page)).not.toContain("replaceToken token-1");
    await page.keyboard.press("Enter");
    await first.getByTestId("token-yes").click();
    await first.getByTestId("token-secret").waitFor();
    expect(await calls(page)).toContain("replaceToken token-1");
    await first.getByTestId("token-revoke").click();
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("token-revoke");
    await page.keyboard.press("Enter");
    await first.getByTestId("token-yes").click();
    await expect.poll(() => page.getByTestId("token").count()).toBe(1);
    expect(await last(page)).toBe("revokeToken token-1");
  });

  it("is renamed, its old name ready to be typed over", async () => {
    const page = await agents("agents=on");
    await page.getByTestId("token-rename").first().click();
    await page.keyboard.type("Cursor");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("token").first().getAttribute("data-name")).toBe("Cursor");
    expect(await focused(page)).toBe("token-rename");
  });

  it("of the environment is not changed here, and one that will be lost is said to be (KEY-4)", async () => {
    const page = await agents("agents=on&secrets=memory");
    const own = page.locator('[data-testid="token"][data-name="MASCARADE_API_KEY"]');
    expect(await own.innerText()).toContain("environment variable MASCARADE_API_KEY");
    expect(await own.getByTestId("token-replace").count()).toBe(0);
    expect(await own.getByTestId("token-revoke").count()).toBe(0);
    expect(await page.getByTestId("secrets").innerText()).toMatch(/lost when Regie quits.*no keyring/s);
    const file = await agents("agents=on&secrets=file");
    expect(await file.getByTestId("secrets").innerText()).toContain("secrets.toml");
  });
});

describe("a configuration", () => {
  it("is there for each client, by stdio for the one that takes nothing else, with what else to do (CFG-1, CFG-8)", async () => {
    const page = await agents("agents=on");
    const tabs = page.getByTestId("connect").getByRole("tab");
    await expect.poll(() => tabs.allInnerTexts()).toEqual(["Claude Desktop", "Claude Code", "Cursor", "VS Code", "mascarade"]);
    expect(await page.getByTestId("configuration").innerText()).toContain('"command"');
    expect(await page.getByTestId("configuration-token").count()).toBe(0);
    expect(await page.getByTestId("configuration-note").innerText()).toContain("Quit Claude Desktop fully");
    await tabs.first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByTestId("configuration").innerText()).toContain("claude mcp add");
  });

  it("shows no secret and copies with the one of the token chosen", async () => {
    const page = await agents("agents=on");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByTestId("client-cursor").click();
    expect(await page.getByTestId("configuration").innerText()).toMatch(/Bearer •+"/);
    await page.getByTestId("configuration-token").selectOption({ label: "mascarade" });
    await page.getByTestId("copy-configuration").click();
    await expect.poll(() => page.getByTestId("copy-configuration").innerText()).toBe("Copied");
    expect(JSON.parse(await copied(page)).mcpServers.regie.headers.Authorization).toMatch(/^Bearer fake_/);
    expect(await last(page)).toBe("clientConfiguration cursor token-2");
    expect(await page.content()).not.toContain("fake_");
  });

  it("is shown selected where copies are refused, until another is looked at", async () => {
    const page = await agents("agents=on");
    await refuseCopies(page);
    await page.getByTestId("client-claude-code").click();
    await page.getByTestId("copy-configuration").click();
    await expect.poll(() => selected(page)).toMatch(/Bearer fake_\w+"/);
    expect(await page.getByTestId("connect").innerText()).toMatch(/press (Ctrl\+|⌘)C to copy/);
    await page.getByTestId("client-cursor").click();
    expect(await page.content()).not.toContain("fake_");
  });

  it("of which the token is gone meanwhile tells why", async () => {
    const page = await agents("agents=on");
    await page.getByTestId("client-cursor").click();
    await page.evaluate(() => {
      const { fakeHost } = window as unknown as { fakeHost: { clientConfiguration(): Promise<string> } };
      fakeHost.clientConfiguration = () => Promise.reject({ code: "no-token", agent_code: "INVALID_PARAM", message: "This token no longer exists.", hint: "Make one.", params: {} });
    });
    await page.getByTestId("copy-configuration").click();
    expect(await page.getByTestId("notice").innerText()).toContain("no longer exists");
  });
});

describe("the feed of calls", () => {
  it("says what to do while nothing was called", async () => {
    const page = await agents("agents=off");
    expect(await page.getByTestId("feed").innerText()).toMatch(/No call yet.*Switch the server on/s);
    const on = await agents("agents=none");
    expect(await on.getByTestId("feed").innerText()).toMatch(/No call yet\s+Copy a configuration/);
  });

  it("shows each call as it comes and as it ends, the newest first, its outcome in a word", async () => {
    const page = await agents(`agents=on&${FAST}`);
    await page.mouse.move(300, 300);
    // A call runs for a moment only: whichever is seen at it, it is the newest, and ends in its place.
    const running = () =>
      page.evaluate(() => {
        const first = document.querySelector<HTMLElement>('[data-testid="call"]');
        return first?.dataset.outcome === "running" && first.innerText.includes("Under way") ? first.dataset.id : null;
      });
    let id: string | null | undefined;
    await expect.poll(async () => (id = await running())).toBeTruthy();
    expect(Number(id)).toBeGreaterThan(5);
    await page.locator(`[data-testid="call"][data-id="${id}"]:not([data-outcome="running"])`).waitFor();
    expect(await page.locator('[data-outcome="failed"]').first().innerText()).toMatch(/set_mode.*Failed.*clock2/s);
  });

  it("stands still while the pointer or the keyboard reads it, and goes on after", async () => {
    const page = await agents(`agents=on&${FAST}`);
    const top = () => page.getByTestId("call").first().getAttribute("data-id");
    await page.getByTestId("call").nth(2).hover();
    await expect.poll(() => page.getByTestId("feed").getAttribute("data-paused")).toBe("true");
    const held = await top();
    await expect.poll(() => page.getByTestId("feed").innerText()).toMatch(/paused, \d+ new/);
    expect(await top()).toBe(held);
    await page.mouse.move(300, 300);
    await expect.poll(top).not.toBe(held);
    await page.getByTestId("call").nth(1).getByRole("button").focus();
    await expect.poll(() => page.getByTestId("feed").getAttribute("data-paused")).toBe("true");
    await page.getByTestId("nav-agents").focus();
    await expect.poll(() => page.getByTestId("feed").getAttribute("data-paused")).toBe("false");
  });

  it("unfolds a call's arguments with the keyboard", async () => {
    const page = await agents("agents=on");
    await page.getByTestId("call").nth(1).getByRole("button").focus();
    await page.keyboard.press("Enter");
    expect(await page.getByTestId("call").nth(1).innerText()).toMatch(/INVALID_PARAM.*Arguments.*"mode": "clock2"/s);
    await page.keyboard.press("Enter");
    expect(await page.getByTestId("call").nth(1).innerText()).not.toContain("Arguments");
  });
});

describe("with the keyboard alone", () => {
  it("the server is switched on and a token made", async () => {
    const page = await openWindow({ query: "agents=none" });
    await tabTo(page, "nav-agents");
    await page.keyboard.press("Enter");
    await tabTo(page, "server-switch");
    await page.keyboard.press("Space");
    await expect.poll(() => calls(page)).toContain("switchServer false");
    await tabTo(page, "token-new");
    await page.keyboard.press("Enter");
    await page.keyboard.type("VS Code");
    await page.keyboard.press("Enter");
    await page.getByTestId("token-secret").waitFor();
    expect(await focused(page)).toBe("token-new");
  });
});
