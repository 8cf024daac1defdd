// A payload's JSON schema as the fields of a form. The app's schemas carry `x-form` on each property: its place in
// the form, the catalogue key of its label, and the control that suits it.

export type Field = {
  name: string;
  /** Key of the label in the catalogues; its choices are looked up below it. */
  label: string;
  /** The English label, where the catalogue has none. */
  title: string;
  required: boolean;
} & Control;

export type Control =
  | { kind: "line" | "paragraph" | "secret"; maxLength: number | null }
  /** A number or a short text; `text`: words are allowed. */
  | { kind: "figure"; maxLength: number | null; text: boolean }
  | { kind: "numbers" }
  /** Nothing chosen stands for `preset`. */
  | { kind: "choice"; options: readonly string[]; preset: string }
  | { kind: "flag" }
  | { kind: "group"; fields: readonly Field[] }
  | { kind: "list"; entry: Entry; maxItems: number };

/** What a list holds: texts alone, or objects, for which a text may stand that fills their field `shorthand`. */
export type Entry = { fields: readonly Field[]; texts: boolean; shorthand: string | null };

/** No longer than this, two texts fit beside each other. */
const SHORT = 16;

/** The names of the fields that go two and two in one line: neighbours that are both short. */
export function halvesOf(fields: readonly Field[]): Set<string> {
  const halves = new Set<string>();
  for (let i = 1; i < fields.length; i++) {
    const [left, right] = [fields[i - 1]!, fields[i]!];
    if (!isShort(left) || !isShort(right) || halves.has(left.name)) continue;
    halves.add(left.name).add(right.name);
  }
  return halves;
}

function isShort(field: Field): boolean {
  if (field.kind === "line" || field.kind === "figure") return field.maxLength !== null && field.maxLength <= SHORT;
  return field.kind === "choice" || field.kind === "flag";
}

type Schema = Record<string, unknown>;

/** A form with more rows than a panel has lines helps nobody. */
const MOST_ROWS = 50;

export function formOf(schema: unknown): Field[] {
  return fieldsOf(asObject(schema), "");
}

function fieldsOf(schema: Schema, parent: string): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(asObject(schema.properties))
    .map(([name, property], i) => {
      const body = asObject(property);
      const form = asObject(body["x-form"]);
      const label = typeof form.label === "string" ? form.label : parent ? `${parent}.${name}` : name;
      const title = typeof body.title === "string" ? body.title : name;
      const order = typeof form.order === "number" ? form.order : MOST_ROWS + i;
      const field: Field = { name, label, title, required: required.includes(name), ...controlOf(body, form.kind, label) };
      return { order, field };
    })
    .sort((a, b) => a.order - b.order)
    .map(({ field }) => field);
}

function controlOf(body: Schema, wanted: unknown, label: string): Control {
  const kind = typeof wanted === "string" ? wanted : kindOf(body);
  const maxLength = typeof body.maxLength === "number" ? body.maxLength : null;
  switch (kind) {
    case "paragraph":
    case "secret":
      return { kind, maxLength };
    case "figure":
      return { kind, maxLength, text: typesOf(body).includes("string") };
    case "numbers":
    case "flag":
      return { kind };
    case "choice": {
      const options = Array.isArray(body.enum) ? body.enum.map(String) : [];
      return { kind, options, preset: String(body.default ?? options[0] ?? "") };
    }
    case "group":
      return { kind, fields: fieldsOf(body, label) };
    case "list":
      return {
        kind,
        entry: entryOf(asObject(body.items), label),
        maxItems: typeof body.maxItems === "number" ? Math.min(body.maxItems, MOST_ROWS) : MOST_ROWS,
      };
    default:
      return { kind: "line", maxLength };
  }
}

/** The control of a property that names none. */
function kindOf(body: Schema): string {
  const types = typesOf(body);
  if (Array.isArray(body.enum)) return "choice";
  if (types.includes("object")) return "group";
  if (types.includes("array")) return typesOf(asObject(body.items)).includes("number") ? "numbers" : "list";
  if (types.includes("boolean")) return "flag";
  return types.includes("number") || types.includes("integer") ? "figure" : "line";
}

function entryOf(items: Schema, label: string): Entry {
  const variants = Array.isArray(items.anyOf) ? items.anyOf.map(asObject) : [items];
  const object = variants.find((variant) => typesOf(variant).includes("object"));
  if (!object) {
    const maxLength = typeof items.maxLength === "number" ? items.maxLength : null;
    const text: Field = { name: "", label, title: "", required: true, kind: "line", maxLength };
    return { fields: [text], texts: true, shorthand: null };
  }
  const fields = fieldsOf(object, label);
  const short = variants.length > 1 ? fields.find(({ kind }) => kind === "line" || kind === "paragraph") : undefined;
  return { fields, texts: false, shorthand: short?.name ?? null };
}

function typesOf(body: Schema): string[] {
  return Array.isArray(body.type) ? body.type.map(String) : [String(body.type)];
}

function asObject(value: unknown): Schema {
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}
