// The window in a browser, on the fake host.
import { mount } from "svelte";
import App from "../App.svelte";
import { Store } from "../lib/store.svelte";
import "../app.css";
import { FakeHost } from "./host";
import { paintedPicture } from "./picture";
import { scenario } from "./scenario";

const asked = scenario(location.search);
const host = new FakeHost(asked);
const target = document.getElementById("app");

declare global {
  interface Window {
    fakeHost?: FakeHost;
  }
}
window.fakeHost = host;

await host.prepare();
if (target) mount(App, { target, props: { store: new Store(host) } });

const label = document.createElement("div");
label.textContent = "fake host";
label.setAttribute("aria-hidden", "true");
label.style.cssText =
  "position:fixed;bottom:8px;left:50%;translate:-50%;z-index:99;padding:0 8px;border-radius:6px;background:#1f1d19;color:#fbfaf5;font:11px/16px system-ui;pointer-events:none";
document.body.append(label);

if (asked.picture) {
  // As a drop would bring it.
  const canvas = document.createElement("canvas");
  const bitmap = await paintedPicture();
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  if (blob) {
    const transfer = new DataTransfer();
    transfer.items.add(new File([blob], "evening.png", { type: "image/png" }));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
  }
}
