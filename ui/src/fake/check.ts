// Holds a payload against its schema, as far as the fake host's templates need it, and refuses as the app does.
import { FAULTS } from "./faults";

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

export function checkPayload(schema: unknown, payload: unknown): void {
  object(schema as Schema, (payload ?? {}) as Record<string, unknown>, "");
}

function object(schema: Schema, value: Record<string, unknown>, parent: string): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const path = `${parent}${name}`;
    const given = value[name];
    const blank = given === undefined || (typeof given === "string" && given.trim() === "");
    if (blank && schema.required?.includes(name)) throw FAULTS.missingField(path, allowed(property));
    if (!blank) field(property, given, path);
  }
}

function field(schema: Schema, value: unknown, path: string): void {
  if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? Infinity)) throw FAULTS.invalidField(path, allowed(schema));
    const entry = schema.items?.anyOf?.find(({ type }) => type === "object") ?? schema.items;
    value.forEach((item, i) => {
      if (typeof item === "object" && entry) object(entry, item as Record<string, unknown>, `${path}[${i}].`);
    });
    return;
  }
  if (typeof value === "object" && value !== null) return object(schema, value as Record<string, unknown>, `${path}.`);
  if ([...String(value)].length > (schema.maxLength ?? Infinity)) throw FAULTS.invalidField(path, allowed(schema));
}

function allowed(schema: Schema): string {
  if (schema.maxItems) return `a list of ${schema.minItems ?? 0} to ${schema.maxItems} entries`;
  return `a text of at most ${schema.maxLength} characters`;
}
