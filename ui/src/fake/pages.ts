// Pages of words, drawn with the browser's type and a hard threshold: enough to see every field act.
// The app's own come from its template engine, with hinted type.
import type { Composition } from "../bindings/Composition";
import type { CountdownStyle } from "../bindings/CountdownStyle";
import type { Ink } from "../bindings/Ink";
import type { Note } from "../bindings/Note";
import type { TextPage } from "../bindings/TextPage";
import { characters, MOST_CHARACTERS } from "../lib/countdown";
import type { InkMap } from "../lib/frame";
import { INK_COLOURS } from "../lib/inks";
import { checkPayload } from "./check";
import { FAULTS } from "./faults";
import { TEMPLATES } from "./templates";

const COLOUR: Record<Ink, string> = { black: "#000", white: "#fff", red: "#f00" };
const SANS = "system-ui, sans-serif";
const MARGIN = 22;
/** Emoticons: what the app's fonts do not have. */
const OMITTED = /[\u{1F600}-\u{1F64F}]/gu;

/** Checked against its schema before it is drawn. */
type Payload = Record<string, any>;

export function composed(composition: Composition): { map: InkMap; notes: Note[] } {
  const page = new Page(400, 300);
  if (composition.kind === "text") {
    writeText(page, composition);
  } else {
    const template = TEMPLATES.find(({ name }) => name === composition.template);
    if (!template) throw FAULTS.gone();
    checkPayload(template.schema, composition.payload);
    page.accent = composition.palette === "black-white" ? "black" : "red";
    DRAWINGS[template.name]?.(page, composition.payload as Payload);
  }
  return { map: page.inks(), notes: page.notes() };
}

export function countdownCells(style: CountdownStyle, text: string): { map: InkMap; notes: Note[] } {
  const cells = characters(text);
  const limit = MOST_CHARACTERS[style];
  if (cells.length < 1 || cells.length > limit) throw FAULTS.cellCount(cells.length, limit);
  const side = style === "clock" ? 16 : 24;
  const page = new Page(cells.length * side, side);
  cells.forEach((cell, i) => page.line(cell, (i + 0.5) * side, side * 0.82, side * 0.9, { align: "center" }));
  return { map: page.inks(), notes: page.notes() };
}

type Type = { bold?: boolean; ink?: Ink; align?: CanvasTextAlign; serif?: boolean };

class Page {
  readonly c: CanvasRenderingContext2D;
  accent: Ink = "red";
  #omitted = new Set<string>();

  constructor(readonly width: number, readonly height: number, paper: Ink = "white") {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("no canvas");
    this.c = context;
    this.fill(0, 0, width, height, paper);
  }

  fill(x: number, y: number, width: number, height: number, ink: Ink): void {
    this.c.fillStyle = COLOUR[ink];
    this.c.fillRect(Math.round(x), Math.round(y), Math.round(width), Math.round(height));
  }

  readable(text: string): string {
    return text.replace(OMITTED, (found) => {
      this.#omitted.add(found);
      return "";
    });
  }

  font(size: number, { bold = false, serif = false }: Type): void {
    this.c.font = `${bold ? 700 : 400} ${size}px ${serif ? "Georgia, serif" : SANS}`;
  }

  line(text: string, x: number, baseline: number, size: number, type: Type = {}): void {
    this.font(size, type);
    this.c.textAlign = type.align ?? "left";
    this.c.fillStyle = COLOUR[type.ink ?? "black"];
    this.c.fillText(this.readable(text), Math.round(x), Math.round(baseline));
  }

  #broken(text: string, width: number, size: number, type: Type): string[] {
    this.font(size, type);
    return text.split("\n").flatMap((paragraph) => {
      const lines: string[] = [""];
      for (const word of paragraph.match(/[\p{Script=Han}]|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []) {
        const longer = lines.at(-1)! + word;
        if (lines.at(-1) !== "" && this.c.measureText(longer.trimEnd()).width > width) lines.push(word);
        else lines[lines.length - 1] = longer;
      }
      return lines.map((line) => line.trimEnd());
    });
  }

  /** Text in a box, as large as it fits between two sizes; answers where it ends. */
  block(text: string, box: [x: number, y: number, width: number, height: number], largest: number, smallest: number, type: Type & { field?: string; middle?: boolean } = {}): number {
    const [x, y, width, height] = box;
    const words = this.readable(text);
    for (let size = largest; size >= smallest; size -= 2) {
      const lines = this.#broken(words, width, size, type);
      const step = Math.round(size * 1.25);
      if (lines.length * step > height && size > smallest) continue;
      this.font(size, type);
      if (lines.some((line) => this.c.measureText(line).width > width) && size > smallest) continue;
      if (lines.length * step > height) throw FAULTS.textTooLong(type.field ?? "text");
      const top = type.middle ? y + (height - lines.length * step) / 2 : y;
      const at = type.align === "center" ? x + width / 2 : type.align === "right" ? x + width : x;
      lines.forEach((line, i) => this.line(line, at, top + i * step + size, size, type));
      return top + lines.length * step;
    }
    return y;
  }

  inks(): InkMap {
    const { width, height } = this;
    const { data } = this.c.getImageData(0, 0, width, height);
    const inks = new Uint8Array(width * height);
    for (let i = 0; i < inks.length; i++) {
      let least = Infinity;
      INK_COLOURS.ideal.forEach(([r, g, b], ink) => {
        const distance = (data[i * 4]! - r) ** 2 + (data[i * 4 + 1]! - g) ** 2 + (data[i * 4 + 2]! - b) ** 2;
        if (distance < least) {
          least = distance;
          inks[i] = ink;
        }
      });
    }
    return { width, height, inks };
  }

  notes(): Note[] {
    const list = [...this.#omitted].join(" ");
    if (!list) return [];
    return [{ code: "characters-omitted", message: `Left out, since no font has them: ${list}.`, params: { characters: list } }];
  }
}

function writeText(page: Page, { text, ink, paper, align, bold, size }: TextPage): void {
  if (text.trim() === "") throw FAULTS.missingField("text", "a text");
  if (text.replace(OMITTED, "").trim() === "") throw FAULTS.charactersMissing([...new Set(text.match(OMITTED))].join(" "));
  page.fill(0, 0, page.width, page.height, paper);
  const [largest, smallest] = size === null ? [160, 14] : [size / 1.25, size / 1.25];
  const type = { bold, ink, align: ({ start: "left", centre: "center", end: "right" } as const)[align], field: "text", middle: true };
  page.block(text, [MARGIN, MARGIN, page.width - 2 * MARGIN, page.height - 2 * MARGIN], largest, smallest, type);
}

const INSIDE = 400 - 2 * MARGIN;

const DRAWINGS: Record<string, (page: Page, payload: Payload) => void> = {
  notice(page, { title, body, footer }) {
    page.fill(MARGIN, MARGIN, 64, 8, page.accent);
    const end = page.block(title, [MARGIN, MARGIN + 18, INSIDE, body ? 100 : 190], body ? 56 : 96, 20, { bold: true, field: "title" });
    if (body) page.block(body, [MARGIN, end + 10, INSIDE, 248 - end - 10], 30, 14, { field: "body" });
    if (footer) {
      page.fill(MARGIN, 254, INSIDE, 2, "black");
      page.block(footer, [MARGIN, 258, INSIDE, 26], 18, 12, { field: "footer" });
    }
  },

  todo(page, { title, items }) {
    if (title) page.block(title, [MARGIN, 18, INSIDE - 60, 40], 30, 16, { bold: true, field: "title" });
    const done = items.filter((item: { done?: boolean }) => item.done).length;
    page.line(`${done}/${items.length}`, 400 - MARGIN, 46, 26, { bold: true, ink: page.accent, align: "right" });
    page.fill(MARGIN, 58, INSIDE, 3, "black");
    const step = Math.min(44, 224 / items.length);
    items.forEach((item: { text: string; done?: boolean } | string, i: number) => {
      const y = 66 + i * step;
      const { text, done: ticked } = typeof item === "string" ? { text: item, done: false } : item;
      page.fill(MARGIN, y + 4, step - 16, step - 16, "black");
      if (!ticked) page.fill(MARGIN + 2, y + 6, step - 20, step - 20, "white");
      page.block(text, [MARGIN + 40, y, INSIDE - 40, step], 22, 12, { field: `items[${i}].text` });
    });
  },

  weather(page, { place, now, warning, days = [] }) {
    page.block(place, [MARGIN, 14, INSIDE, 40], 30, 16, { bold: true, field: "place" });
    if (now?.temperature !== undefined) page.line(`${now.temperature}°`, MARGIN, 130, 76, { bold: true });
    page.line(now?.sky ?? "", 400 - MARGIN, 96, 22, { align: "right", ink: page.accent });
    if (now?.text) page.block(now.text, [MARGIN, 140, INSIDE, 28], 18, 12, { field: "now.text" });
    if (warning) {
      page.fill(MARGIN, 168, INSIDE, 28, page.accent);
      page.block(warning, [MARGIN + 8, 170, INSIDE - 16, 26], 18, 12, { bold: true, ink: "white", field: "warning" });
    }
    days.forEach((day: Payload, i: number) => {
      const x = MARGIN + (i + 0.5) * (INSIDE / days.length);
      page.line(day.day ?? "", x, 226, 18, { bold: true, align: "center" });
      page.line(day.sky ?? "", x, 248, 12, { align: "center" });
      page.line(`${day.high ?? ""}° ${day.low ?? ""}°`, x, 274, 16, { align: "center" });
    });
  },

  quote(page, { text, author }) {
    page.line("“", MARGIN, 96, 110, { serif: true, ink: page.accent });
    page.block(text, [MARGIN, 66, INSIDE, 170], 40, 14, { serif: true, field: "text", middle: true });
    if (author) page.block(`— ${author}`, [MARGIN, 248, INSIDE, 30], 18, 12, { align: "right", field: "author" });
  },

  metric(page, { label, value, unit, change, tone, sparkline = [] }) {
    if (label) page.block(label, [MARGIN, 16, INSIDE, 36], 24, 14, { bold: true, field: "label" });
    page.line(String(value), MARGIN, 136, 80, { bold: true });
    page.line(unit ?? "", MARGIN, 176, 22);
    if (change !== undefined) page.line(String(change), MARGIN, 212, 22, { bold: true, ink: tone === "warning" ? page.accent : "black" });
    const least = Math.min(...sparkline);
    const most = Math.max(...sparkline);
    sparkline.forEach((n: number, i: number) => {
      const height = 4 + (52 * (n - least)) / (most - least || 1);
      page.fill(MARGIN + (i * INSIDE) / sparkline.length, 282 - height, INSIDE / sparkline.length - 3, height, i === sparkline.length - 1 ? page.accent : "black");
    });
  },

  qr(page, { data, url, wifi, caption }) {
    const contents = [data, url, wifi?.ssid].filter(Boolean);
    if (contents.length === 0) throw FAULTS.missingField(wifi ? "wifi.ssid" : "data", "data, url or wifi");
    if (contents.length > 1) throw FAULTS.invalidField("payload", "only one of data, url and wifi");
    // Looks like a code, and is none.
    let state = [...JSON.stringify([contents, wifi])].reduce((sum, c) => (sum * 31 + c.codePointAt(0)!) >>> 0, 7);
    const side = 8;
    for (let y = 0; y < 25; y++) {
      for (let x = 0; x < 25; x++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const corner = [[0, 0], [18, 0], [0, 18]].find(([cx, cy]) => x >= cx! && x < cx! + 7 && y >= cy! && y < cy! + 7);
        const ring = corner ? Math.max(Math.abs(x - corner[0]! - 3), Math.abs(y - corner[1]! - 3)) : -1;
        if (corner ? ring !== 2 : state >>> 31) page.fill(100 + x * side, 24 + y * side, side, side, "black");
      }
    }
    if (caption) page.block(caption, [MARGIN, 246, INSIDE, 36], 26, 14, { bold: true, align: "center", field: "caption" });
  },
};
