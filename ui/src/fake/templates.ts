// The templates of the fake host: the same names, fields and labels as the app's.
import type { TemplateInfo } from "../bindings/TemplateInfo";

type Part = { title: string; kind: string; required?: boolean; body: Record<string, unknown>; inner?: Parts };
type Parts = Record<string, Part>;

const text = (kind: string) => (title: string, maxLength: number, required = false): Part => ({
  title,
  kind,
  required,
  body: { type: "string", maxLength, ...(required ? { minLength: 1 } : {}) },
});
const line = text("line");
const paragraph = text("paragraph");
const secret = text("secret");
const figure = (title: string, maxLength: number, required = false): Part => ({
  title,
  kind: "figure",
  required,
  body: { type: ["string", "number"], maxLength },
});
const flag = (title: string): Part => ({ title, kind: "flag", body: { type: "boolean", default: false } });
const choice = (title: string, ...options: string[]): Part => ({
  title,
  kind: "choice",
  body: { type: "string", enum: options, default: options[0] },
});
const numbers = (title: string, maxItems: number): Part => ({
  title,
  kind: "numbers",
  body: { type: "array", items: { type: "number" }, maxItems },
});
const group = (title: string, inner: Parts): Part => ({ title, kind: "group", body: {}, inner });
const list = (title: string, maxItems: number, inner: Parts, options: { required?: boolean; short?: boolean } = {}): Part => ({
  title,
  kind: "list",
  required: options.required ?? false,
  body: { type: "array", maxItems, minItems: options.required ? 1 : 0, short: options.short ?? false },
  inner,
});

function objectSchema(parts: Parts, label: string): Record<string, unknown> {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(parts).map(([name, part], order) => [name, schema(part, order, `${label}.${name}`)])),
    required: Object.keys(parts).filter((name) => parts[name]!.required),
    additionalProperties: false,
  };
}

function schema({ title, kind, body, inner }: Part, order: number, label: string): Record<string, unknown> {
  const { short, ...plain } = body;
  const object = inner ? objectSchema(inner, label) : null;
  const content =
    kind === "list"
      ? { ...plain, items: short ? { anyOf: [{ type: "string" }, object] } : object }
      : kind === "group"
        ? { ...object }
        : plain;
  return { ...content, title, "x-form": { order, label, kind } };
}

function template(name: string, title: string, about: string, parts: Parts, example: unknown): TemplateInfo {
  return { name, title, about, schema: objectSchema(parts, `template.${name}`), example };
}

const sky = () =>
  choice("Sky", "clear", "partly-cloudy", "cloudy", "rain", "thunderstorm", "snow", "fog", "wind", "clear-night");

export const TEMPLATES: readonly TemplateInfo[] = [
  template(
    "notice",
    "Notice",
    "A headline with a text and a small last line.",
    { title: line("Title", 80, true), body: paragraph("Text", 400), footer: line("Last line", 90) },
    {
      title: "Back at 14:30",
      body: "We are out for lunch. Parcels may be left with the bakery next door.",
      footer: "Workshop Lindner · 030 555 0142",
    },
  ),
  template(
    "todo",
    "To do",
    "A list of up to eight tasks, each with a mark that says whether it is done.",
    {
      title: line("Title", 60),
      items: list("Tasks", 8, { text: line("Task", 80, true), done: flag("Done") }, { required: true, short: true }),
    },
    {
      title: "Before opening",
      items: [
        { text: "Coffee machine on", done: true },
        { text: "Count the till", done: true },
        "Water the plants",
        "Bread order for Saturday",
        "Put the sign outside",
      ],
    },
  ),
  template(
    "weather",
    "Weather",
    "A place, its weather now, and up to four days to come.",
    {
      place: line("Place", 40, true),
      now: group("Now", { temperature: figure("Temperature", 6), sky: sky(), text: line("In words", 60) }),
      warning: line("Warning", 60),
      days: list("Next days", 4, { day: line("Day", 12, true), sky: sky(), high: figure("Highest", 6), low: figure("Lowest", 6) }),
    },
    {
      place: "Lyon",
      now: { temperature: 24, sky: "partly-cloudy", text: "Light breeze from the south" },
      days: [
        { day: "Tue", sky: "clear", high: 27, low: 16 },
        { day: "Wed", sky: "rain", high: 21, low: 14 },
        { day: "Thu", sky: "thunderstorm", high: 19, low: 13 },
        { day: "Fri", sky: "cloudy", high: 22, low: 12 },
      ],
    },
  ),
  template(
    "quote",
    "Quote",
    "A saying, and who said it.",
    { text: paragraph("Words", 320, true), author: line("Who said it", 60) },
    { text: "Simplicity is the ultimate form of sophistication.", author: "Attributed to Leonardo da Vinci" },
  ),
  template(
    "metric",
    "Number",
    "One big number with its unit, how it changed, and its course so far.",
    {
      label: line("Label", 60),
      value: figure("Number", 14, true),
      unit: line("Unit", 12),
      change: figure("Change", 24),
      tone: choice("Colour of the change", "plain", "warning"),
      sparkline: numbers("Course", 120),
    },
    {
      label: "Visitors today",
      value: "1,284",
      unit: "people",
      change: "+12 % since yesterday",
      sparkline: [820, 932, 901, 934, 1090, 1130, 1120, 1210, 1150, 1284],
    },
  ),
  template(
    "qr",
    "QR code",
    "A code for phones: any text, a web address or a Wi-Fi network, with a caption.",
    {
      data: paragraph("Contents", 600),
      url: line("Web address", 400),
      wifi: group("Wi-Fi", {
        ssid: line("Network", 32),
        password: secret("Password", 64),
        security: choice("Protection", "wpa", "wep", "none"),
        hidden: flag("Hidden network"),
      }),
      caption: line("Caption", 80),
    },
    { wifi: { ssid: "Lindner Guests", password: "coffee-and-cake" }, caption: "Free Wi-Fi" },
  ),
];
