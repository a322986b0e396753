import * as z from "zod/mini";
import { zod } from "../schema/object.ts";
import type { Fault } from "./faults.ts";
import type { Schema } from "./schema.ts";

/** Query parameters as declared: values of their types, by name. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** Writes parameters as a query string with its question mark, or "" when there are none. */
export function encodeQuery(values: QueryValues): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) parameters.append(name, String(value));
  return parameters.size > 0 ? `?${parameters.toString()}` : "";
}

/** The JSON type each parameter is declared with, which decides how its text is read. */
export type ParameterTypes = Readonly<Record<string, string>>;

/** Reads the declared types of a query's or path's parameters from their schema. */
export function parameterTypes(schema: Schema<unknown>): ParameterTypes {
  const { properties = {} } = z.toJSONSchema(zod(schema));
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      typeof property === "object" && typeof property.type === "string" ? property.type : "string",
    ]),
  );
}

/**
 * Reads parameters from their texts: a number or boolean where one is declared and the text is one,
 * otherwise the text itself, which the schema then refuses. A repeated parameter is a fault.
 */
export function decodeParameters(
  texts: Iterable<readonly [string, string]>,
  types: ParameterTypes,
): { readonly values: QueryValues; readonly repeated: readonly Fault[] } {
  const values: Record<string, unknown> = Object.create(null);
  const repeated = new Map<string, Fault>();
  for (const [name, text] of texts) {
    if (name in values && Object.hasOwn(types, name))
      repeated.set(name, {
        pointer: `/query/${name}`,
        code: "REPEATED",
        message: "must be given once",
      });
    values[name] = decode(text, types[name]);
  }
  return { values: { ...values }, repeated: [...repeated.values()] };
}

function decode(text: string, type: string | undefined): unknown {
  if ((type === "integer" || type === "number") && isNumber(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Whether a text is a number that a double keeps: at most 15 digits, or a safe integer, which may have one more. */
function isNumber(text: string): boolean {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return true;
  return /^-?\d{16}$/.test(text) && Number.isSafeInteger(Number(text));
}
