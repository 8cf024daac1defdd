/** A key with the system's command key, as its menus write it. */
export function shortcut(key: string): string {
  return /mac/i.test(navigator.platform) ? `⌘${key}` : `Ctrl+${key}`;
}
