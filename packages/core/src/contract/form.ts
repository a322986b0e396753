import * as z from "zod/mini";
import { zod } from "../schema/object.ts";
import type { Fault } from "./faults.ts";
import { type FilePart, isFilePart } from "./files.ts";
import type { ScalarType } from "./parameter-forms.ts";
import { decodeScalar } from "./query.ts";
import type { Schema } from "./schema.ts";

/** One field of a form as its schema declares it. */
export interface FormField {
  /** The JSON type of the field's value, or of each list item; `file` for a file. */
  readonly type: string;
  /** True if the field is a list, with one form entry for each item. */
  readonly isList: boolean;
  /** Maximum size of the file, in bytes; null without a limit. */
  readonly maxBytes: number | null;
  /** The accepted media types of the file; null for any. */
  readonly mediaTypes: readonly string[] | null;
}

/** The fields of a form by name. */
export type FormFields = Readonly<Record<string, FormField>>;

/** One entry of a form on the wire: a file or a text. A text with JSON has a media type. */
export type FormEntry = readonly [
  name: string,
  value: string | FilePart,
  mediaType?: "application/json",
];

/** Reads the fields of a form from its schema, which must be an object. */
export function formFieldsOf(schema: Schema<unknown>): FormFields {
  const { properties = {} } = z.toJSONSchema(zod(schema), { unrepresentable: "any" });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { items, type } = asFieldSchema(property);
      const isList = type === "array";
      return [name, { isList, ...typeOf(asFieldSchema(isList ? items : property)) }];
    }),
  );
}

/** The JSON Schema keywords that this file reads. */
interface FieldSchema {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
  readonly "x-file"?: { readonly maxBytes?: number; readonly mediaTypes?: readonly string[] };
}

function asFieldSchema(value: unknown): FieldSchema {
  return typeof value === "object" && value !== null ? value : {};
}

function typeOf({ anyOf, "x-file": rules, type }: FieldSchema): Omit<FormField, "isList"> {
  if (rules !== undefined) {
    const { maxBytes = null, mediaTypes = null } = rules;
    return { type: "file", maxBytes, mediaTypes };
  }
  const isObject =
    Array.isArray(anyOf) && anyOf.some((one) => asFieldSchema(one).type === "object");
  const plain = typeof type === "string" ? type : isObject ? "object" : "string";
  return { type: plain, maxBytes: null, mediaTypes: null };
}

/**
 * Reads the values of a form. Converts a text to the declared number or boolean, or from JSON to an object. A text that
 * cannot be converted stays a text, which the schema then rejects.
 * @param parseJson - parses the text of an object; throws if it is not JSON
 * @returns the form, and a fault for each field that is repeated without being a list
 */
export function decodeForm(
  entries: Iterable<FormEntry>,
  fields: FormFields,
  parseJson: (text: string) => unknown = JSON.parse,
): { readonly value: Readonly<Record<string, unknown>>; readonly repeated: readonly Fault[] } {
  const singles = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  const repeated = new Map<string, Fault>();
  for (const [name, given] of entries) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value =
      typeof given === "string" ? decodeFieldText(given, field?.type, parseJson) : given;
    if (field?.isList === true) {
      const list = lists.get(name) ?? [];
      list.push(value);
      lists.set(name, list);
    } else {
      if (field !== undefined && singles.has(name))
        repeated.set(name, {
          pointer: `/${name}`,
          code: "REPEATED",
          message: "must not be repeated",
        });
      singles.set(name, value);
    }
  }
  return {
    value: Object.fromEntries([...singles, ...lists]),
    repeated: [...repeated.values()],
  };
}

function scalarOf(type: string | undefined): ScalarType {
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" ? type : "string";
}

function decodeFieldText(
  text: string,
  type: string | undefined,
  parseJson: (text: string) => unknown,
): unknown {
  if (type !== "object") return decodeScalar(text, scalarOf(type));
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * Converts a form to its entries: one entry for each list item, JSON for an object (OpenAPI, Encoding Object), and no
 * entry for `undefined` and null.
 */
export function encodeForm(
  form: unknown,
  isFile: (value: unknown) => value is FilePart = isFilePart,
): readonly FormEntry[] {
  return Object.entries(Object(form)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item: unknown): readonly FormEntry[] => {
      if (item === undefined || item === null) return [];
      if (isFile(item)) return [[name, item]];
      return typeof item === "object"
        ? [[name, JSON.stringify(item), "application/json"]]
        : [[name, String(item)]];
    }),
  );
}
