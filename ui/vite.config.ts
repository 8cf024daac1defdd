import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Two bundles from one source. The plain build is what ships: index.html and the Tauri transport.
// `--mode fake` builds fake.html, the same window on a host that lives in the page, for a browser
// and for the tests; it goes to its own folder so that it can never end up in the shipped one.
export default defineConfig(({ mode }) => {
  const fake = mode === "fake";
  return {
    base: "./",
    plugins: [svelte()],
    clearScreen: false,
    server: { port: 5199, strictPort: true },
    build: {
      // WebView2 follows Edge; WebKitGTK 2.4x and macOS 13 both have at least Safari 16's features.
      target: ["es2022", "safari16"],
      outDir: fake ? "dist-fake" : "dist",
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: fake ? "fake.html" : "index.html" },
    },
    test: {
      projects: [
        {
          extends: true,
          test: { name: "unit", environment: "node", include: ["tests/unit/**/*.test.ts"] },
        },
        {
          test: {
            name: "browser",
            environment: "node",
            include: ["tests/browser/**/*.test.ts"],
            // Deadlines, not expectations: a busy machine may take its time.
            testTimeout: 60_000,
            hookTimeout: 60_000,
            expect: { poll: { timeout: 15_000 } },
          },
        },
      ],
    },
  };
});
