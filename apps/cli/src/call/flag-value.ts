import { basename, extname } from "node:path";
import type { FilePart } from "@insurance-gateway/core/contract";
import type { FileRules } from "@insurance-gateway/core/schema";
import type { JsonSchema } from "./input-fields.ts";

/** The form of a flag's value, which decides how the text of the flag is read. */
export type ValueForm = "text" | "number" | "boolean" | "json" | "file";

/** The properties of a flag's value, from the schema of the flag's field. */
export interface FlagValue {
  readonly form: ValueForm;
  /** True if the flag is repeated for each item of a list. */
  readonly repeatable: boolean;
  /** The accepted media types of a file; empty if every type is accepted or the value is not a file. */
  readonly mediaTypes: readonly string[];
  /** The placeholder of the value in a help text: `date`. */
  readonly placeholder: string;
  /** Describes the format and the limits of the value. */
  readonly description: string;
}

/** Derives the properties of a flag's value from the schema of the flag's field. */
export function flagValueOf(schema: JsonSchema): FlagValue {
  if (schema.type === "array" && typeof schema.items === "object" && !Array.isArray(schema.items)) {
    const item = flagValueOf(schema.items);
    // A list of lists has no repeatable flag; the user gives such a list as JSON.
    return item.repeatable
      ? {
          form: "json",
          repeatable: false,
          mediaTypes: [],
          placeholder: "json",
          description: "JSON",
        }
      : {
          ...item,
          repeatable: true,
          description: `${item.description}; repeat the flag for each item`,
        };
  }
  const rules = fileRulesIn(schema);
  if (rules !== null) return fileFlagValue(rules);
  const form = valueFormOf(schema);
  return {
    form,
    repeatable: false,
    mediaTypes: [],
    placeholder:
      formatDescriptions[schema.format ?? ""]?.placeholder ?? placeholderOf(form, schema),
    description: descriptionOf(form, schema),
  };
}

/**
 * Converts the text of a flag to a value of the expected form. A text of another form stays unchanged, so that the
 * endpoint's schema reports this fault together with all other faults.
 */
export function parseFlagText(
  text: string,
  { form, mediaTypes }: Pick<FlagValue, "form" | "mediaTypes">,
): unknown {
  if (form === "text") return text;
  if (form === "file") return parseFileFlag(text, mediaTypes);
  if (form === "boolean" && text !== "true" && text !== "false") return text;
  if (form === "number" && !JSON_NUMBER.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses a file's path with an optional media type, as curl writes it: `scan.bin;type=image/png`. */
function parseFileFlag(text: string, mediaTypes: readonly string[]): FilePart {
  const [, path = text, named] = /^(.+);type=([^;]+)$/.exec(text) ?? [];
  const extension = extname(path).slice(1).toLowerCase().replace(/^jpg$/, "jpeg");
  const [only, ...others] = mediaTypes;
  const fitting = others.length === 0 ? only : mediaTypes.find((type) => type.endsWith(extension));
  const mediaType = named ?? fitting ?? "application/octet-stream";
  return { mediaType, name: basename(path), content: { path } };
}

/** Returns the rules of a file's schema; null for any other schema. */
function fileRulesIn(schema: JsonSchema): FileRules | null {
  // The schema function `file` in the package `core` writes these rules.
  return (schema["x-file"] as FileRules | undefined) ?? null;
}

function fileFlagValue({ maxBytes, mediaTypes: declared }: FileRules): FlagValue {
  const mediaTypes = declared ?? [];
  const types = mediaTypes.length === 0 ? [] : [mediaTypes.join(" or ")];
  const limit = maxBytes === undefined ? [] : [`at most ${maxBytes} bytes`];
  return {
    form: "file",
    repeatable: false,
    mediaTypes,
    placeholder: "file",
    description: ["file; add ;type=… if its name does not show the type", ...types, ...limit].join(
      ", ",
    ),
  };
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function valueFormOf({ enum: known, const: only, type }: JsonSchema): ValueForm {
  const types = typeof type === "string" ? [type] : (type ?? []);
  const values = known ?? (only === undefined ? [] : [only]);
  if (types.includes("string") || values.some((value) => typeof value === "string")) return "text";
  if (types.length === 1 && (types[0] === "number" || types[0] === "integer")) return "number";
  return types.length === 1 && types[0] === "boolean" ? "boolean" : "json";
}

function placeholderOf(form: ValueForm, { type }: JsonSchema): string {
  if (form === "boolean") return "true|false";
  return type === "integer" ? "integer" : form;
}

function descriptionOf(form: ValueForm, schema: JsonSchema): string {
  const { const: only, enum: known } = schema;
  const values = known ?? (only === undefined ? undefined : [only]);
  if (values !== undefined) return `one of ${values.map(String).join(", ")}`;
  const format = formatDescriptions[schema.format ?? ""]?.description ?? schema.format;
  const limits = [...textLimits(schema), ...numberLimits(schema), ...describeKnownValues(schema)];
  return [format ?? typeDescription(form, schema), ...limits].join(", ");
}

/** Descriptions of the contract's formats. A description is clearer than the format's pattern. */
const formatDescriptions: Readonly<
  Record<string, { readonly placeholder: string; readonly description: string }>
> = {
  date: { placeholder: "date", description: "date YYYY-MM-DD" },
  "date-time": { placeholder: "instant", description: "instant, RFC 3339 in UTC" },
};

function typeDescription(form: ValueForm, { type }: JsonSchema): string {
  if (form === "json") return "JSON";
  if (form === "boolean") return "true or false";
  return type === "integer" ? "whole number" : form;
}

function textLimits({ format, maxLength, minLength, pattern }: JsonSchema): readonly string[] {
  return [
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined || format !== undefined
      ? []
      : [patternDescriptions[pattern] ?? `like ${pattern}`]),
  ];
}

/** Descriptions of the contract's patterns. */
const patternDescriptions: Readonly<Record<string, string>> = {
  "\\S": "not blank",
  "^\\d{9}$": "9 digits",
};

function numberLimits({
  exclusiveMaximum,
  exclusiveMinimum,
  maximum,
  minimum,
  multipleOf,
}: JsonSchema): readonly string[] {
  // Old drafts of JSON Schema have booleans as exclusive limits. The limits that zod adds to whole numbers are omitted.
  const limit = (words: string, bound: number | boolean | undefined): readonly string[] =>
    typeof bound !== "number" || Math.abs(bound) === Number.MAX_SAFE_INTEGER
      ? []
      : [`${words} ${bound}`];
  return [
    ...limit("at least", minimum),
    ...limit("more than", exclusiveMinimum),
    ...limit("at most", maximum),
    ...limit("less than", exclusiveMaximum),
    ...limit("in steps of", multipleOf),
  ];
}

/** Describes the known values of a field that accepts other values as well. */
function describeKnownValues({ examples }: JsonSchema): readonly string[] {
  return Array.isArray(examples) ? [`such as ${examples.map(String).join(", ")}`] : [];
}
