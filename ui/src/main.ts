import { mount } from "svelte";
import App from "./App.svelte";
import { Store } from "./lib/store.svelte";
import { tauriApi } from "./lib/tauri";
import "./app.css";

const target = document.getElementById("app");
if (target) mount(App, { target, props: { store: new Store(tauriApi()) } });
