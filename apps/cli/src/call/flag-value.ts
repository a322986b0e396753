import { basename, extname } from "node:path";
import type { FilePart } from "@insurance-gateway/core/contract";
import type { FileRules } from "@insurance-gateway/core/schema";
import type { JsonSchema } from "./input-fields.ts";

/** How the text of a flag becomes a value. */
export type ValueForm = "text" | "number" | "boolean" | "json" | "file";

/** The values of a flag, by its schema. */
export interface FlagValue {
  readonly form: ValueForm;
  /** Whether the flag is given once for each item of a list. */
  readonly repeatable: boolean;
  /** The types of its file; empty for a value that is none, and for a file of any type. */
  readonly mediaTypes: readonly string[];
  /** The placeholder of the value in a help text: `date`. */
  readonly placeholder: string;
  /** Format and limits, in words. */
  readonly description: string;
}

/** Reads from a schema what its flag takes. */
export function flagValueOf(schema: JsonSchema): FlagValue {
  if (schema.type === "array" && typeof schema.items === "object" && !Array.isArray(schema.items)) {
    const item = flagValueOf(schema.items);
    // A list within a list has no flag of its own.
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
  if (rules !== null) return ofFile(rules);
  const form = formOf(schema);
  return {
    form,
    repeatable: false,
    mediaTypes: [],
    placeholder: formats[schema.format ?? ""]?.placeholder ?? placeholderOf(form, schema),
    description: descriptionOf(form, schema),
  };
}

/**
 * The value that a text represents. A text of another form is not changed, so that the endpoint's own schema refuses it
 * together with all other faults.
 */
export function readValue(
  text: string,
  { form, mediaTypes }: Pick<FlagValue, "form" | "mediaTypes">,
): unknown {
  if (form === "text") return text;
  if (form === "file") return fileNamed(text, mediaTypes);
  if (form === "boolean" && text !== "true" && text !== "false") return text;
  if (form === "number" && !JSON_NUMBER.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A file as curl names it: its path, and its type where the path does not say it: `scan.bin;type=image/png`. */
function fileNamed(text: string, mediaTypes: readonly string[]): FilePart {
  const [, path = text, named] = /^(.+);type=([^;]+)$/.exec(text) ?? [];
  const extension = extname(path).slice(1).toLowerCase().replace(/^jpg$/, "jpeg");
  const [only, ...others] = mediaTypes;
  const fitting = others.length === 0 ? only : mediaTypes.find((type) => type.endsWith(extension));
  const mediaType = named ?? fitting ?? "application/octet-stream";
  return { mediaType, name: basename(path), content: { path } };
}

/** The rules of a file's schema; null for any other schema. */
function fileRulesIn(schema: JsonSchema): FileRules | null {
  // `file` of the contract's schemas writes them.
  return (schema["x-file"] as FileRules | undefined) ?? null;
}

function ofFile({ maxBytes, mediaTypes: declared }: FileRules): FlagValue {
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

function formOf({ enum: known, const: only, type }: JsonSchema): ValueForm {
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
  const format = formats[schema.format ?? ""]?.description ?? schema.format;
  const limits = [...textLimits(schema), ...numberLimits(schema), ...knownValues(schema)];
  return [format ?? typeWords(form, schema), ...limits].join(", ");
}

/** The formats of the contract; what they mean says more than their pattern. */
const formats: Readonly<
  Record<string, { readonly placeholder: string; readonly description: string }>
> = {
  date: { placeholder: "date", description: "date YYYY-MM-DD" },
  "date-time": { placeholder: "instant", description: "instant, RFC 3339 in UTC" },
};

function typeWords(form: ValueForm, { type }: JsonSchema): string {
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
      : [patternWords[pattern] ?? `like ${pattern}`]),
  ];
}

/** Patterns of the contract's own formats, in words. */
const patternWords: Readonly<Record<string, string>> = {
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
  // A boolean is how old drafts write an exclusive limit; a whole number's own limits are none of the endpoint's.
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

/** Values that are known, where others are taken, too. */
function knownValues({ examples }: JsonSchema): readonly string[] {
  return Array.isArray(examples) ? [`such as ${examples.map(String).join(", ")}`] : [];
}
