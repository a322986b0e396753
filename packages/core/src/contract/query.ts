import type { Fault } from "./faults.ts";
import {
  isJoinedIn,
  type ParameterForm,
  type ParameterForms,
  type ScalarType,
} from "./parameter-forms.ts";
import type { Schema } from "./schema.ts";

/** The values of parameters, in the declared types, by parameter name. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** The parsed parameters, and the faults in the parameters' texts. */
export interface Decoded {
  readonly values: QueryValues;
  readonly faults: readonly Fault[];
}

/** One parameter of a query, before percent-encoding. */
export type QueryText = readonly [name: string, text: string];

/**
 * Writes parameters as a query string with its question mark, or "" without parameters.
 * @param declared - the schema, which tells which lists are joined; without a schema, every list is repeated
 */
export function encodeQuery(values: QueryValues, declared?: Schema<unknown>): string {
  return searchOf(queryTexts(values, declared));
}

/** Returns the texts of parameters, as `encodeQuery` writes them. */
export function queryTexts(values: QueryValues, declared?: Schema<unknown>): readonly QueryText[] {
  return Object.entries(values).flatMap(([name, value]): readonly QueryText[] => {
    if (value === undefined) return [];
    if (Array.isArray(value) && !(declared !== undefined && isJoinedIn(declared, name)))
      return value.map((item) => [name, String(item)]);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.entries(value).map(([field, text]) => [`${name}[${field}]`, String(text)]);
    // JavaScript's String() joins a list with commas.
    return [[name, String(value)]];
  });
}

/** Returns a query string with its question mark, or "" without parameters. */
export function searchOf(texts: readonly QueryText[]): string {
  if (texts.length === 0) return "";
  const parameters = new URLSearchParams();
  for (const [name, text] of texts) parameters.append(name, text);
  return `?${parameters.toString()}`;
}

/**
 * Parses a query. Converts a text to the declared number or boolean. A text that cannot be converted stays a text,
 * which the schema then rejects. A repeated parameter that is not a list is a fault.
 */
export function decodeQuery(
  texts: Iterable<readonly [string, string]>,
  forms: ParameterForms,
): Decoded {
  const values: Record<string, unknown> = Object.create(null);
  const repeated = new Map<string, Fault>();
  const put = (
    target: Record<string, unknown>,
    name: string,
    value: unknown,
    path: string,
  ): void => {
    if (name in target) repeated.set(path, repeatedFault(path));
    target[name] = value;
  };
  for (const [name, text] of texts) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    const [outer = "", inner = ""] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name)?.slice(1) ?? [];
    const holder = form === undefined && Object.hasOwn(forms, outer) ? forms[outer] : undefined;
    if (holder?.style === "object") {
      const fields = bracketFields(values, outer);
      put(fields, inner, decodeScalar(text, holder.fields[inner]), `/query/${outer}/${inner}`);
    } else if (form?.style === "repeated") {
      const items = values[name];
      values[name] = [...(Array.isArray(items) ? items : []), decodeScalar(text, form.type)];
    } else if (form === undefined) values[name] = text;
    else put(values, name, decodeText(text, form), `/query/${name}`);
  }
  return { values: { ...values }, faults: [...repeated.values()] };
}

/** Returns the object of a parameter with fields in brackets (`?a[b]=1`). Creates the object for the first field. */
function bracketFields(values: Record<string, unknown>, name: string): Record<string, unknown> {
  const existing = values[name];
  // An object here was created by this function: every other value is a text, a number or a list.
  if (typeof existing === "object" && existing !== null && !Array.isArray(existing))
    return existing as Record<string, unknown>;
  const newFields: Record<string, unknown> = Object.create(null);
  values[name] = newFields;
  return newFields;
}

/** Parses the parameters of a path, each a text or a joined list. */
export function decodePath(
  texts: Readonly<Record<string, string | undefined>>,
  forms: ParameterForms,
): QueryValues {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text = ""]) => [name, decodeText(text, forms[name])]),
  );
}

/** Headers by name: one text, or a text for each time the header was sent. */
export type HeaderTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Converts the values of declared headers to texts. */
export function encodeHeaders(values: QueryValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

/** Parses the declared headers and ignores others. A list may be sent in several lines (RFC 9110, section 5.3). */
export function decodeHeaders(texts: HeaderTexts, forms: ParameterForms): Decoded {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, form] of Object.entries(forms)) {
    const given = texts[name];
    if (given === undefined) continue;
    const lines = typeof given === "string" ? [given] : given;
    const text = lines.join(",");
    if (lines.length > 1 && form.style !== "joined") faults.push(repeatedFault(`/headers/${name}`));
    faults.push(...headerTextFaults(name, text));
    values[name] =
      form.style === "joined"
        ? text.split(",").map((item) => decodeScalar(item.trim(), form.type))
        : decodeText(text, form);
  }
  return { values, faults };
}

/** Returns a fault if the text of a header would not arrive unchanged (RFC 9110, section 5.5). */
export function headerTextFaults(name: string, text: string): readonly Fault[] {
  if (/^[\x20-\x7e]*$/.test(text) && text === text.trim()) return [];
  const message = "must be printable ASCII without a space at its beginning or end";
  return [{ pointer: `/headers/${name}`, code: "FORMAT", message }];
}

function repeatedFault(pointer: string): Fault {
  return { pointer, code: "REPEATED", message: "must not be repeated" };
}

function decodeText(text: string, form: ParameterForm | undefined): unknown {
  if (form?.style === "joined") return text.split(",").map((item) => decodeScalar(item, form.type));
  return decodeScalar(text, form?.style === "scalar" ? form.type : undefined);
}

/** Converts a text to the declared type. A text of another type stays unchanged, and the schema rejects the text. */
export function decodeScalar(text: string, type: ScalarType | undefined): unknown {
  if (type === "number" && isNumber(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Reports whether a text is a number that a double represents exactly: of at most 15 digits, or as JavaScript writes it
 * (ECMA-262, 6.1.6.1.20).
 */
function isNumber(text: string): boolean {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return true;
  return Number.isFinite(Number(text)) && String(Number(text)) === text;
}
