import { t } from "@lingui/core/macro";
import { inDigits, listed } from "~/languages/formats";
/**
 * Reads the JSON Schema that the server derives from a declaration of parameters, as far as forms need it:
 * numbers with bounds, texts, switches, choices, multiple choices, lists of texts, and any of these optional.
 * Anything else in a schema becomes a field for JSON, so that every parameter can be set.
 */
export type Option = { value: string | number | boolean; label: string };
export type FieldKind =
  | "integer"
  | "number"
  | "text"
  | "switch"
  | "choice"
  | "choices"
  | "texts"
  | "json";
export type Field = {
  name: string;
  title: string;
  help: string;
  /** Its group, according to the server. */
  group: string;
  kind: FieldKind;
  optional: boolean;
  start: unknown;
  options: Option[];
  min?: number;
  max?: number;
  exclusiveMin?: boolean;
  exclusiveMax?: boolean;
};

/** What the inputs hold: text as typed, so that a half-typed number is not mangled. */
export type FormValues = Record<string, string | boolean | string[]>;

type Schema = { [key: string]: unknown };

export function fieldsOf(schema: unknown): Field[] {
  const root = asSchema(schema);
  const required = new Set(asList(root.required));
  return Object.entries(asSchema(root.properties)).map(([name, property]) =>
    fieldOf(name, resolve(asSchema(property), root), root, required.has(name)),
  );
}

function fieldOf(name: string, property: Schema, root: Schema, required: boolean): Field {
  const { schema, nullable } = withoutNull(property, root);
  const merged = { ...schema, ...keep(property, ["title", "description", "default"]) };
  const plain = typeof property["x-label"] === "string" ? property["x-label"] : undefined;
  const start = "default" in property ? property.default : schema.default;
  const field: Field = {
    name,
    title: plain ?? (typeof merged.title === "string" ? merged.title : name),
    help: typeof merged.description === "string" ? merged.description : "",
    group: typeof property["x-group"] === "string" ? property["x-group"] : "",
    kind: "json",
    optional: nullable || (!required && start === undefined),
    start,
    options: [],
  };
  const options = optionsOf(merged);
  if (options) return { ...field, kind: "choice", options };
  if (merged.type === "array") {
    const items = optionsOf(resolve(asSchema(merged.items), root));
    if (items) return { ...field, kind: "choices", options: items };
    return resolve(asSchema(merged.items), root).type === "string"
      ? { ...field, kind: "texts" }
      : field;
  }
  if (merged.type === "boolean") return { ...field, kind: "switch" };
  if (merged.type === "string") return { ...field, kind: "text" };
  if (merged.type === "integer" || merged.type === "number") {
    return { ...field, kind: merged.type, ...bounds(merged) };
  }
  return field;
}

function bounds(schema: Schema): Partial<Field> {
  const found: Partial<Field> = {};
  if (typeof schema.minimum === "number") found.min = schema.minimum;
  if (typeof schema.maximum === "number") found.max = schema.maximum;
  if (typeof schema.exclusiveMinimum === "number") {
    found.min = schema.exclusiveMinimum;
    found.exclusiveMin = true;
  }
  if (typeof schema.exclusiveMaximum === "number") {
    found.max = schema.exclusiveMaximum;
    found.exclusiveMax = true;
  }
  return found;
}

function optionsOf(schema: Schema): Option[] | null {
  const values = "const" in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return null;
  const titles = asList(schema["x-titles"]);
  return values.filter(isScalar).map((value, place) => {
    const title = titles[place];
    return { value, label: typeof title === "string" ? title : words(value) };
  });
}

function words(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? t`Yes` : t`No`;
  return String(value).replaceAll("_", " ");
}

/** `X or null` is an optional X. */
function withoutNull(property: Schema, root: Schema): { schema: Schema; nullable: boolean } {
  const choices = asList(property.anyOf ?? property.oneOf).map((one) =>
    resolve(asSchema(one), root),
  );
  const real = choices.filter((one) => one.type !== "null");
  const [only] = real;
  if (only && real.length === 1) return { schema: only, nullable: choices.length > 1 };
  if (Array.isArray(property.type)) {
    const types = property.type.filter((type) => type !== "null");
    return {
      schema: { ...property, type: types.length === 1 ? types[0] : types },
      nullable: types.length < property.type.length,
    };
  }
  return { schema: property, nullable: false };
}

/** Follows a `$ref`, even one alone inside `allOf`; entries beside it win. */
function resolve(schema: Schema, root: Schema): Schema {
  const all = asList(schema.allOf);
  const holder = all.length === 1 ? { ...asSchema(all[0]), ...without(schema, "allOf") } : schema;
  if (typeof holder.$ref !== "string") return holder;
  const target = holder.$ref
    .replace(/^#\//, "")
    .split("/")
    .reduce<Schema>((at, step) => asSchema(at[step]), root);
  return { ...resolve(target, root), ...without(holder, "$ref") };
}

export function startValues(fields: readonly Field[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, startValue(field)]));
}

function startValue({ kind, start }: Field): string | boolean | string[] {
  if (kind === "switch") return start === true;
  if (kind === "choices") return asList(start).map(String);
  if (kind === "texts") return joined(asList(start).map(String));
  if (start === undefined || start === null) return "";
  return kind === "json" ? JSON.stringify(start) : String(start);
}

/** Texts as typed: separated by commas, or by semicolons if one of them contains a comma. */
function joined(texts: string[]): string {
  if (!texts.some((text) => text.includes(","))) return texts.join(", ");
  return texts.length === 1 ? `${texts[0]};` : texts.join("; ");
}

/** The form's values as parameters for the server, and a sentence for every invalid field. */
export function readValues(fields: readonly Field[], values: FormValues) {
  const parameters: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const read = readValue(field, values[field.name]);
    if (typeof read === "object" && read !== null && "problem" in read) {
      problems[field.name] = String(read.problem);
    } else if (read !== undefined) {
      parameters[field.name] = read;
    }
  }
  return { parameters, problems };
}

function readValue(field: Field, value: string | boolean | string[] | undefined): unknown {
  if (field.kind === "switch") return value === true;
  if (field.kind === "choices") {
    const chosen = Array.isArray(value) ? value : [];
    // Choosing nothing in an optional list means that it is not set.
    if (chosen.length === 0 && field.optional) return field.start === undefined ? undefined : null;
    return field.options
      .filter((option) => chosen.includes(String(option.value)))
      .map((option) => option.value);
  }
  const text = typeof value === "string" ? value.trim() : "";
  if (field.kind === "texts") {
    // A text may itself contain a comma: if there is a semicolon, only semicolons separate.
    const texts = text
      .split(text.includes(";") ? ";" : ",")
      .map((one) => one.trim())
      .filter(Boolean);
    return texts.length === 0 && field.start === undefined && field.optional ? undefined : texts;
  }
  if (text === "") {
    if (field.optional) return field.start === undefined ? undefined : null;
    return field.kind === "text" ? "" : { problem: t`Please fill this in.` };
  }
  if (field.kind === "choice")
    return field.options.find((option) => String(option.value) === text)?.value;
  if (field.kind === "integer" || field.kind === "number") return readNumber(field, text);
  if (field.kind === "json") {
    try {
      return JSON.parse(text);
    } catch {
      return { problem: t`This is not valid JSON.` };
    }
  }
  return text;
}

function readNumber(field: Field, text: string): number | { problem: string } {
  const number = Number(text);
  if (!Number.isFinite(number)) return { problem: t`Please enter a number.` };
  if (field.kind === "integer" && !Number.isInteger(number))
    return { problem: t`Please enter a whole number.` };
  const { min, max } = field;
  const low = min !== undefined && (number < min || (field.exclusiveMin && number === min));
  const high = max !== undefined && (number > max || (field.exclusiveMax && number === max));
  const range = rangeInWords(field);
  return low || high ? { problem: t`Please enter a number ${range}.` } : number;
}

/** A field's default in words; empty if it is obvious. */
export function defaultInWords({ kind, start, options }: Field): string {
  const called = (value: unknown) =>
    options.find((option) => option.value === value)?.label ?? String(value);
  if (kind === "switch")
    return start === true
      ? t({ message: "on", context: "setting" })
      : t({ message: "off", context: "setting" });
  if (Array.isArray(start)) return listed(start.map(called));
  if (start === null || start === undefined) return "";
  return typeof start === "number" ? inDigits(start, EXACT) : called(start);
}

/** "from 1 to 10", "of at least 1", "above 0": the bounds of a number in words. */
export function rangeInWords({ min, max, exclusiveMin, exclusiveMax }: Field): string {
  const least = min === undefined ? "" : inDigits(min, EXACT);
  const most = max === undefined ? "" : inDigits(max, EXACT);
  if (least && most && !exclusiveMin && !exclusiveMax) return t`from ${least} to ${most}`;
  const low = least && (exclusiveMin ? t`above ${least}` : t`of at least ${least}`);
  const high = most && (exclusiveMax ? t`below ${most}` : t`of at most ${most}`);
  return low && high ? t`${low} and ${high}` : low || high;
}

/** Bounds are given with all their digits. */
const EXACT = { maximumSignificantDigits: 15 };

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {};
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function keep(schema: Schema, keys: string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}

function without(schema: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}
