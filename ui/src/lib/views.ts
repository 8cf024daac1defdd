// The views of the rail, in its order. A new view is one line here, its catalogue entry, and its component in App.svelte.
import type { Key } from "./translator";

export type ViewName = "clock" | "room" | "agents" | "activity" | "settings";

export const VIEWS: readonly { name: ViewName; label: Key; icon: string; end?: boolean }[] = [
  { name: "clock", label: "nav.clock", icon: "M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2ZM12 9v3.5l2.5 1.5" },
  { name: "room", label: "nav.room", icon: "M4 20V10l8-6 8 6v10ZM9.5 20v-6h5v6" },
  { name: "agents", label: "nav.agents", icon: "M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0ZM12 3v5M12 16v5M3 12h5M16 12h5" },
  { name: "activity", label: "nav.activity", icon: "M3 12h4l3-7 4 14 3-7h4" },
  {
    name: "settings",
    label: "nav.settings",
    icon: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0ZM7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0Z",
    end: true,
  },
];
