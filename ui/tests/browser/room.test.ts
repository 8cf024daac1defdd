import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { calls, focused, openWindow, tabTo, useBrowser } from "./window";

useBrowser();
const FAST = "speed=30";

async function room(query = `room=all&${FAST}`): Promise<Page> {
  const page = await openWindow({ query });
  await page.getByTestId("nav-room").click();
  return page;
}

const device = (page: Page, id: string) => page.locator(`[data-testid="device"][data-id="${id}"]`);
const asked = async (page: Page, id: string) => {
  const made = (await calls(page)).filter((call) => call.startsWith(`askDevice ${id} `));
  return made.map((call) => JSON.parse(call.slice(`askDevice ${id} `.length)) as Record<string, unknown>);
};
const deed = (page: Page, id: string, outcome: string) => device(page, id).locator(`[data-testid="deed"][data-outcome="${outcome}"]`);

describe("the room", () => {
  it("says how many answer, in the view and in the strip, which leads to it", async () => {
    const page = await openWindow({ query: "room=all" });
    expect(await page.getByTestId("status-room").innerText()).toBe("Room 5 of 12 answering");
    await page.getByTestId("status-room").click();
    expect(await page.getByTestId("room-count").innerText()).toBe("5 of 12 answering");
    expect(await page.getByTestId("room-group").getByRole("heading", { level: 2 }).allInnerTexts()).toEqual(["Salle 1 3 of 3", "Salle 2 1 of 3", "Salle 3 1 of 5", "No room 0 of 1"]);
  });

  it("without a device says what to do, and where it searches; the strip says nothing of it", async () => {
    const page = await room("room=empty");
    expect(await page.getByTestId("status-room").count()).toBe(0);
    expect(await page.getByTestId("room-empty").innerText()).toMatch(/Switch the room’s devices on.*Searching on wlan0, enp3s0/s);
    await page.getByTestId("empty-add").click();
    await page.getByTestId("address-dialog").waitFor();
  });

  it("where it cannot search says why, and what works all the same (NET-5)", async () => {
    const page = await room("room=unavailable");
    expect(await page.getByTestId("search").innerText()).toMatch(/5353.*by its address works all the same/s);
  });

  it("says of each device why it does not do what it should", async () => {
    const page = await room();
    const said = (id: string) => device(page, id).getByTestId("device-status").innerText();
    expect(await said("console")).toMatch(/^Answering · \d+ s ago · \d+ ms$|^Answering · just now/);
    expect(await said("piano")).toMatch(/Reading only.*may read, not write/s);
    expect(await said("mirror")).toMatch(/Silent for 2 min · last seen at −84 dBm.*no answer in 5 s.*Restarted 3 min ago/s);
    expect(await said("crystal-node")).toMatch(/Relayed through Piano.*Heard by all nodes, not confirmed/s);
    expect(await said("fireplace")).toMatch(/Setup mode.*a Wi-Fi of its own/s);
    expect(await said("box3")).toMatch(/Moved to another address.*Battery low: 11 %/s);
    expect(await said("lantern")).toMatch(/Asks for a pause · \d+ s left.*Camera blocked/s);
  });

  it("counts ages on", async () => {
    const page = await openWindow({ query: "room=all" });
    await page.clock.install();
    await page.getByTestId("nav-room").click();
    await page.clock.runFor(60_000);
    expect(await device(page, "mirror").getByTestId("device-status").innerText()).toContain("Silent for 3 min");
  });
});

describe("light", () => {
  it("is one press away, and says what came of it, to the ear as well", async () => {
    const page = await room();
    await device(page, "console").getByTestId("led-pattern").selectOption("pulse");
    await device(page, "console").getByTestId("led-zone").selectOption("puzzle");
    await device(page, "console").getByTestId("led-red").click();
    await deed(page, "console", "confirmed").waitFor();
    expect(await asked(page, "console")).toEqual([{ request: "led", zone: "puzzle", color: "red", pattern: "pulse", brightness: 128, duration_ms: 0 }]);
    expect(await device(page, "console").getByRole("status").last().innerText()).toBe("Light red: confirmed");
    await device(page, "console").getByTestId("led-off").click();
    await expect.poll(async () => (await asked(page, "console")).at(-1)).toMatchObject({ color: "off", pattern: "off" });
  });

  it("of a firmware with one colour offers no zones, and only the patterns that it has", async () => {
    const page = await room();
    expect(await device(page, "lantern").getByTestId("led-zone").isDisabled()).toBe(true);
    expect(await device(page, "lantern").getByTestId("led-pattern").locator("option").count()).toBe(3);
    expect(await device(page, "console").getByTestId("led-pattern").locator("option").count()).toBe(5);
  });
});

describe("what came of an action", () => {
  it("is shown while it is under way, does not hold up other devices, and folds after ten seconds", async () => {
    const page = await openWindow({ query: "room=all&speed=0.04" });
    await page.clock.install();
    await page.getByTestId("nav-room").click();
    await device(page, "console").getByTestId("led-red").click();
    await device(page, "crystal-node").getByTestId("led-green").click();
    await deed(page, "console", "running").waitFor();
    await deed(page, "crystal-node", "running").waitFor();
    await page.clock.runFor(15_000);
    await deed(page, "console", "confirmed").waitFor();
    expect(await deed(page, "crystal-node", "accepted").innerText()).toContain("Heard by all nodes, not confirmed");
    await page.clock.runFor(11_000);
    await device(page, "console").locator('[data-folded="true"]').waitFor();
    expect(await deed(page, "console", "confirmed").innerText()).toMatch(/^Light red · confirmed · /);
    await device(page, "console").getByTestId("deed-unfold").click();
    await device(page, "console").getByTestId("deed-close").click();
    expect(await device(page, "console").getByTestId("deed").count()).toBe(0);
  });

  it("tells a failure with its reason and the next step", async () => {
    const page = await room();
    await device(page, "lantern").getByTestId("puzzle-unlock").click();
    await deed(page, "lantern", "failed").waitFor();
    expect(await device(page, "lantern").getByRole("alert").innerText()).toMatch(/left alone.*Try again in a moment/s);
  });

  it("outlives a look at another view", async () => {
    const page = await room();
    await device(page, "console").getByTestId("led-red").click();
    await page.getByTestId("nav-clock").click();
    await page.getByTestId("nav-room").click();
    await deed(page, "console", "confirmed").waitFor();
  });
});

describe("sound", () => {
  it("plays what is named, no louder than the device's limit, and is remembered for the device", async () => {
    const page = await room();
    const card = device(page, "console");
    await card.getByTestId("sound-play").focus();
    await page.keyboard.press("Enter");
    expect(await asked(page, "console")).toEqual([]);
    await card.getByTestId("sound-source").fill("/audio/hint_01.mp3");
    await card.getByTestId("sound-volume").fill("80");
    await page.keyboard.press("End");
    await card.getByTestId("sound-play").click();
    await deed(page, "console", "accepted").waitFor();
    expect(await asked(page, "console")).toEqual([{ request: "audio", action: "play", source: "/audio/hint_01.mp3", volume: 80, loop: false }]);
    await card.getByTestId("sound-stop").click();
    await expect.poll(async () => (await asked(page, "console")).at(-1)).toMatchObject({ action: "stop", source: "/audio/hint_01.mp3" });
    await page.reload();
    await page.getByTestId("nav-room").click();
    expect(await card.getByTestId("sound-source").inputValue()).toBe("/audio/hint_01.mp3");
    expect(await device(page, "lantern").getByTestId("sound-source").inputValue()).toBe("");
  });

  it("of a firmware that chooses for itself is only held and resumed", async () => {
    const page = await room();
    const card = device(page, "telephone");
    expect(await card.getByTestId("sound-source").count()).toBe(0);
    expect(await card.getByTestId("sound-volume").isDisabled()).toBe(true);
    await card.getByTestId("sound-pause").click();
    await expect.poll(async () => (await asked(page, "telephone")).at(-1)).toMatchObject({ action: "pause" });
  });
});

describe("a puzzle", () => {
  it("is unlocked at once, and reset after one question, which can be declined", async () => {
    const page = await room();
    const card = device(page, "console");
    const chest = card.locator('[data-puzzle="PUZZLE_COFFRE"]');
    await chest.getByTestId("puzzle-unlock").click();
    await expect.poll(() => chest.innerText()).toContain("unlocked");
    await chest.getByTestId("puzzle-reset").click();
    expect(await focused(page)).toBe("puzzle-reset-no");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("puzzle-reset");
    expect(await asked(page, "console")).toHaveLength(1);
    await page.keyboard.press("Enter");
    await chest.getByTestId("puzzle-reset-yes").click();
    await expect.poll(async () => (await asked(page, "console")).at(-1)).toEqual({ request: "puzzle", puzzle: "PUZZLE_COFFRE", state: "reset", effects: true });
  });

  it("that a firmware cannot lock is greyed with the reason, and stays so for the keyboard", async () => {
    const page = await room();
    const card = device(page, "lantern");
    await card.getByTestId("puzzle-lock").focus();
    await page.keyboard.press("Enter");
    expect(await asked(page, "lantern")).toEqual([]);
    expect(await card.getByTestId("puzzle-lock").getAttribute("title")).toBe("It cannot lock a puzzle again.");
    await card.getByTestId("lacks").click();
    expect(await card.innerText()).toContain("It cannot reset a puzzle.");
  });

  it("is not unlocked twice by two quick presses", async () => {
    const page = await room("room=all&speed=0.1");
    await device(page, "console").getByTestId("puzzle-unlock").first().dblclick();
    await deed(page, "console", "running").waitFor();
    expect(await asked(page, "console")).toHaveLength(1);
  });
});

describe("the scenario", () => {
  it("is advanced by an event, which is one press away from then on", async () => {
    const page = await room();
    const card = device(page, "console");
    await card.getByTestId("advance").click();
    expect(await page.getByTestId("event-send").isDisabled()).toBe(true);
    await page.getByTestId("event-name").fill("UNLOCK_COFFRE");
    await page.getByTestId("event-send").click();
    await deed(page, "console", "no-change-seen").waitFor();
    expect(await card.innerText()).toContain("have a look");
    await card.getByTestId("advance").click();
    await expect.poll(() => asked(page, "console")).toHaveLength(2);
    expect(await asked(page, "console")).toContainEqual({ request: "scenario", event: "unlock", name: "UNLOCK_COFFRE", target: null });
    expect(await card.getByTestId("advance-change").innerText()).toBe("Unlocked · UNLOCK_COFFRE");
  });

  it("is overridden on every device, whatever its state, after one question (ESP-2)", async () => {
    const page = await room();
    const cards = await page.getByTestId("device").count();
    expect(await page.getByTestId("override").count()).toBe(cards);
    for (const button of await page.getByTestId("override").all()) expect(await button.isEnabled()).toBe(true);
    await device(page, "lantern").getByTestId("override").click();
    expect(await page.getByTestId("override-dialog").innerText()).toContain("no limit holds it back");
    await page.getByTestId("event-cancel").click();
    expect(await asked(page, "lantern")).toEqual([]);
    await device(page, "lantern").getByTestId("override").click();
    await page.getByTestId("event-target").fill("STEP_FINAL");
    await page.keyboard.press("Enter");
    await deed(page, "lantern", "confirmed").waitFor();
    expect(await asked(page, "lantern")).toEqual([{ request: "scenario", event: "manual", name: "MANUAL_ADVANCE", target: "STEP_FINAL" }]);
  });
});

describe("a snapshot", () => {
  it("is shown with its time and size, and taken again from there", async () => {
    const page = await room();
    await device(page, "console").getByTestId("snapshot").click();
    await page.getByTestId("snapshot-picture").waitFor();
    expect(await page.getByTestId("snapshot-picture").evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(320);
    expect(await page.getByTestId("snapshot-facts").innerText()).toMatch(/\d:\d\d:\d\d.* · 320 × 240 · [\d.]+ kB/);
    await page.getByTestId("snapshot-again").click();
    await expect.poll(() => asked(page, "console")).toHaveLength(2);
    await page.keyboard.press("Escape");
    await device(page, "console").getByTestId("snapshot-last").click();
    await page.getByTestId("snapshot-picture").waitFor();
  });

  it("does not push away what was opened meanwhile", async () => {
    const page = await room("room=all&speed=0.1");
    await device(page, "console").getByTestId("snapshot").click();
    await device(page, "console").getByTestId("override").click();
    await deed(page, "console", "confirmed").waitFor();
    expect(await page.getByTestId("override-dialog").count()).toBe(1);
    expect(await page.getByTestId("snapshot-dialog").count()).toBe(0);
  });

  it("that is refused says why on the card", async () => {
    const page = await room();
    await device(page, "piano").getByTestId("snapshot").click();
    await deed(page, "piano", "failed").waitFor();
    expect(await device(page, "piano").getByRole("alert").innerText()).toContain("may not be used now");
    expect(await page.getByTestId("snapshot-dialog").count()).toBe(0);
  });
});

describe("a token", () => {
  it("is kept, tried at once, and never in the page after that (KEY-1)", async () => {
    const page = await room();
    await device(page, "safe").getByTestId("give-token").click();
    expect(await page.getByTestId("token-place").innerText()).toContain("keyring");
    await page.getByTestId("device-token").fill("wrong");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("token-result").innerText()).toContain("Token refused");
    expect(await page.getByTestId("device-token").inputValue()).toBe("");
    await page.getByTestId("device-token").fill("right-secret");
    await page.getByTestId("token-keep").click();
    await expect.poll(() => page.getByTestId("token-result").innerText()).toContain("Answering");
    expect(await page.content()).not.toContain("right-secret");
    await page.getByTestId("token-done").click();
    await device(page, "safe").getByTestId("led-red").waitFor();
  });
});

describe("a found device", () => {
  it("gets a name, a room and a token in one form, is asked, and is in the room from then on", async () => {
    const page = await room();
    await page.getByTestId("found-use").first().click();
    expect(await page.getByTestId("form-id").inputValue()).toBe("zacus-salle3");
    expect(await page.getByTestId("form-room").inputValue()).toBe("Salle 3");
    await page.getByTestId("form-name").fill("Globe");
    await page.getByTestId("form-token").fill("reading");
    await page.getByTestId("form-save").click();
    await expect.poll(() => page.getByTestId("form-result").innerText()).toContain("Reading only");
    await page.getByTestId("form-close").click();
    expect(await device(page, "zacus-salle3").innerText()).toContain("Globe");
    expect(await page.getByTestId("found").count()).toBe(1);
    expect((await calls(page)).filter((call) => call.startsWith("saveDevice"))[0]).toContain('"token":"…"');
  });

  it("is ignored, and shown again from the settings", async () => {
    const page = await room();
    await page.getByTestId("found-ignore").first().click();
    await expect.poll(() => page.getByTestId("found").count()).toBe(1);
    await page.getByTestId("nav-settings").click();
    expect(await page.getByTestId("ignored").innerText()).toContain("zacus-salle3");
    await page.getByTestId("restore").click();
    await expect.poll(() => page.getByTestId("ignored").innerText()).toContain("None.");
  });

  it("takes no identifier that agents could not use, nor one that is taken", async () => {
    const page = await room();
    await page.getByTestId("found-use").first().click();
    await page.getByTestId("form-id").fill("salle n° 3");
    expect(await page.getByTestId("form-save").isDisabled()).toBe(true);
    await page.getByTestId("form-id").fill("console");
    await page.getByTestId("form-save").click();
    expect(await page.getByTestId("device-dialog").getByRole("alert").innerText()).toContain("already");
  });
});

describe("adding by address", () => {
  it("looks first and then asks for the rest", async () => {
    const page = await room("room=empty");
    await page.getByTestId("add-by-address").click();
    expect(await focused(page)).toBe("address");
    await page.keyboard.type("192.168.0.70");
    await page.keyboard.press("Enter");
    await page.getByTestId("form-name").fill("Safe");
    await page.getByTestId("form-save").click();
    await page.getByTestId("form-result").waitFor();
    await page.getByTestId("form-close").click();
    await device(page, "zacus-70").waitFor();
  });

  it.each([
    ["192.168.0.99", /does not answer.*ports 8080 and 8081/s],
    ["8.8.8.8", /not on a private network/],
    ["my device", /no address of a device/],
  ])("says what is wrong with %s", async (address, wrong) => {
    const page = await room();
    await page.getByTestId("add-by-address").click();
    await page.getByTestId("address").fill(address);
    await page.getByTestId("address-look").click();
    await expect.poll(() => page.getByTestId("address-dialog").getByRole("alert").innerText()).toMatch(wrong);
  });
});

describe("a device's settings", () => {
  it("rename it, and keep its form open while its card changes", async () => {
    const page = await room();
    await device(page, "console").getByTestId("device-settings").click();
    await page.getByTestId("form-id").fill("console-2");
    await page.getByTestId("form-room").fill("Salle 9");
    await page.getByTestId("form-save").click();
    await page.getByTestId("form-result").waitFor();
    expect(await device(page, "console-2").count()).toBe(1);
    expect(await device(page, "console").count()).toBe(0);
  });

  it("remove it after one question", async () => {
    const page = await room();
    await device(page, "console").getByTestId("device-settings").click();
    await page.getByTestId("device-remove").click();
    expect(await focused(page)).toBe("device-remove-no");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("device-remove");
    await page.keyboard.press("Enter");
    await page.getByTestId("device-remove-yes").click();
    await expect.poll(() => device(page, "console").count()).toBe(0);
    expect(await page.getByTestId("device-dialog").count()).toBe(0);
  });

  it("of one from the environment are changed there", async () => {
    const page = await room();
    await device(page, "esp32-01").getByTestId("device-settings").click();
    expect(await page.getByTestId("device-dialog").innerText()).toContain("ZACUS_DEVICES");
    for (const field of ["form-name", "form-room", "form-id", "form-address"]) expect(await page.getByTestId(field).isDisabled()).toBe(true);
    expect(await page.getByTestId("form-save").count()).toBe(0);
    expect(await page.getByTestId("device-remove").count()).toBe(0);
  });
});

describe("before players enter", () => {
  it("a room that is well is ready", async () => {
    const page = await room(`room=ready&${FAST}`);
    await page.getByTestId("room-ready").click();
    await expect.poll(() => page.getByTestId("ready-verdict").innerText()).toBe("Ready: players may come.");
    expect((await calls(page)).filter((call) => call.startsWith("tryDeviceNow"))).toHaveLength(3);
    await page.getByTestId("ready-again").click();
    await expect.poll(async () => (await calls(page)).filter((call) => call.startsWith("tryDeviceNow")).length).toBe(6);
  });

  it("another one says what to look at, device by device", async () => {
    const page = await room();
    await page.getByTestId("room-ready").click();
    await expect.poll(() => page.getByTestId("ready-verdict").innerText()).toMatch(/^\d+ things to look at$/);
    const bad = (id: string) => page.locator(`[data-testid="ready-device"][data-id="${id}"] [data-verdict="bad"]`).evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.check));
    expect(await bad("console")).toEqual([]);
    expect(await bad("telephone")).toEqual(["signal", "restart"]);
    expect(await bad("piano")).toEqual(["token", "camera"]);
    expect(await bad("mirror")).toEqual(["answering"]);
  });
});

describe("the course of a device", () => {
  it("is drawn for an hour, a day and a week, with its restarts and silences", async () => {
    const page = await room();
    await device(page, "telephone").getByTestId("history").click();
    await page.getByTestId("chart-rssi").waitFor();
    expect(await page.getByTestId("history-page").innerText()).toContain("1 restart · silent 1 time");
    expect(await page.getByTestId("chart-rssi").locator(".restart").count()).toBe(1);
    await page.getByTestId("span-day").click();
    await expect.poll(async () => (await calls(page)).filter((call) => call === "deviceHistory telephone").length).toBeGreaterThan(2);
  });

  it("is read value by value with the keyboard, and as figures", async () => {
    const page = await room();
    await device(page, "telephone").getByTestId("history").click();
    const slider = page.getByTestId("chart-rssi").getByRole("slider");
    const before = await slider.getAttribute("aria-valuetext");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => slider.getAttribute("aria-valuetext")).not.toBe(before);
    await page.getByTestId("history-table").click();
    expect(await page.getByTestId("history-dialog").getByRole("row").count()).toBeGreaterThan(50);
    expect(await page.getByTestId("history-dialog").getByRole("cell", { name: "Restart" }).count()).toBe(1);
  });
});

describe("activity", () => {
  it("follows what others ask of devices", async () => {
    const page = await room();
    await page.getByTestId("nav-activity").click();
    await page.evaluate(() => {
      const { fakeHost } = window as unknown as { fakeHost: { askDevice(device: string, request: object): Promise<unknown> } };
      return fakeHost.askDevice("console", { request: "led", zone: "all", color: "red", pattern: "solid", brightness: 1, duration_ms: 0 });
    });
    await expect.poll(() => page.getByTestId("journal").locator("tbody tr").allInnerTexts()).toEqual([expect.stringMatching(/Light.*Main console.*Done/s)]);
  });

  it("lists what was asked of devices, and shows one of them alone", async () => {
    const page = await room();
    await device(page, "console").getByTestId("led-red").click();
    await deed(page, "console", "confirmed").waitFor();
    await device(page, "lantern").getByTestId("puzzle-unlock").click();
    await deed(page, "lantern", "failed").waitFor();
    await page.getByTestId("nav-activity").click();
    await page.getByTestId("journal").waitFor();
    expect(await page.getByTestId("journal").locator("tbody tr").count()).toBe(2);
    await page.getByTestId("activity-filter").selectOption({ label: "Lantern" });
    expect(await page.getByTestId("journal").locator("tbody tr").allInnerTexts()).toEqual([expect.stringContaining("left alone")]);
  });
});

describe("with the keyboard alone", () => {
  it("a light is set and the game moved on", async () => {
    const page = await openWindow({ query: `room=ready&${FAST}` });
    await tabTo(page, "nav-room");
    await page.keyboard.press("Enter");
    await tabTo(page, "led-green");
    await page.keyboard.press("Enter");
    await deed(page, "console", "confirmed").waitFor();
    expect(await focused(page)).toBe("led-green");
    await tabTo(page, "override");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("event-target");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await asked(page, "console")).at(-1)).toMatchObject({ event: "manual" });
    expect(await focused(page)).toBe("override");
  });
});
