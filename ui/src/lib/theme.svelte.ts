import type { Theme } from "../bindings/Theme";

/** Keeps `data-theme` of the page at light or dark: the setting, or what the system prefers. */
export function followTheme(setting: () => Theme): void {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  let systemDark = $state(query.matches);
  $effect(() => {
    const listen = (event: MediaQueryListEvent) => (systemDark = event.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  });
  $effect.pre(() => {
    const theme = setting();
    document.documentElement.dataset.theme = theme === "system" ? (systemDark ? "dark" : "light") : theme;
  });
}
