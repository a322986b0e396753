import { bodyFormatOf, bodyOf } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Checked, check, type Fault } from "./faults.ts";
import { type ParameterForms, parameterForms } from "./parameter-forms.ts";
import { plainTextFaults } from "./plain-text.ts";
import {
  type Decoded,
  decodeHeaders,
  decodePath,
  decodeQuery,
  type HeaderTexts,
  type QueryValues,
} from "./query.ts";
import type { Schema } from "./schema.ts";

/** A request as it was received. */
export interface RawInput {
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query string, without its question mark. */
  readonly search: string;
  /** The headers, by their names in lower case. Undeclared headers are ignored. */
  readonly headers?: HeaderTexts;
  /** The body: parsed JSON, the object of a form, a text, a file; or undefined without a body. */
  readonly body: unknown;
  /** The declared media type of the body. Default: the first. */
  readonly mediaType?: string;
}

/** A valid request. */
export interface CheckedInput {
  readonly params: QueryValues;
  readonly query: QueryValues;
  /** The declared headers, by their names in lower case. */
  readonly headers: QueryValues;
  readonly body: unknown;
  /** The declared media type of the body; undefined for a request without a body. */
  readonly mediaType?: string;
  /** The media types that the client accepts, the preferred one first. Default: all declared types. */
  readonly accept?: readonly string[];
}

/** Checks requests of one endpoint and reports the faults of all parts together. */
export type InputChecker = (raw: RawInput) => Checked<CheckedInput>;

/**
 * Creates a validator for an endpoint's requests. Unknown and repeated parameters are faults. A text that is not
 * plain (the rule `plainText`) is a fault even if its schema would accept it.
 * @param compile - returns a faster, equivalent schema, or the same one
 */
export function inputChecker(
  endpoint: Endpoint,
  compile: (schema: Schema<unknown>) => Schema<unknown> = (schema) => schema,
): InputChecker {
  const checkParams = valuesChecker(endpoint.params, "/path", compile);
  const checkQuery = valuesChecker(endpoint.query, "/query", compile);
  const checkHeaders = valuesChecker(endpoint.headers, "/headers", compile);
  const checkBody = bodyChecker(endpoint, compile);
  const forms = {
    params: formsOf(endpoint.params),
    query: formsOf(endpoint.query),
    headers: formsOf(endpoint.headers),
  };
  return (raw) => {
    const params = checkParams({ values: decodePath(raw.params, forms.params), faults: [] });
    const query = checkQuery(
      raw.search === ""
        ? { values: {}, faults: [] }
        : decodeQuery(new URLSearchParams(raw.search), forms.query),
    );
    const headers = checkHeaders(decodeHeaders(raw.headers ?? {}, forms.headers));
    const content = checkBody(raw);
    if (params.valid && query.valid && headers.valid && content.valid)
      return {
        valid: true,
        value: {
          params: params.value,
          query: query.value,
          headers: headers.value,
          ...content.value,
        },
      };
    return { valid: false, faults: [params, query, headers, content].flatMap(faultsOf) };
  };
}

function formsOf(declared: Schema<unknown> | undefined): ParameterForms {
  return declared === undefined ? {} : parameterForms(declared);
}

type BodyChecker = (
  raw: Pick<RawInput, "body" | "mediaType">,
) => Checked<Pick<CheckedInput, "body" | "mediaType">>;

function bodyChecker(
  endpoint: Endpoint,
  compile: (schema: Schema<unknown>) => Schema<unknown>,
): BodyChecker {
  const declared = bodyOf(endpoint);
  if (declared === undefined) return () => ({ valid: true, value: { body: undefined } });
  const schemas = new Map(
    Object.entries(declared.media).map(([type, schema]) => [type, compile(schema)]),
  );
  const [first = ""] = schemas.keys();
  return ({ body, mediaType = first }) => {
    if (body === undefined && !declared.required) return { valid: true, value: { body } };
    const schema = schemas.get(mediaType);
    if (schema === undefined)
      throw new TypeError(`The body must have a declared media type, not ${mediaType}`);
    const checked = checkPlain(schema, body, "", withoutLineBreaks(body, mediaType));
    return checked.valid ? { valid: true, value: { body: checked.value, mediaType } } : checked;
  };
}

/**
 * Returns the body for the check of plain texts. Only a text body may have line breaks, so spaces replace them before
 * the check. In other values, a line break could forge a line of a log or a form.
 */
export function withoutLineBreaks(body: unknown, mediaType: string): unknown {
  const isText = bodyFormatOf(mediaType) === "text" && typeof body === "string";
  return isText ? body.replaceAll(/[\t\r\n]/g, " ") : body;
}

type ValuesChecker = (decoded: Decoded) => Checked<QueryValues>;

function valuesChecker(
  declared: Schema<unknown> | undefined,
  prefix: string,
  compile: (schema: Schema<unknown>) => Schema<unknown>,
): ValuesChecker {
  if (declared === undefined) return ({ values }) => refuseParameters(values, prefix);
  const schema = compile(declared);
  return ({ faults, values }) => {
    const checked = checkPlain(schema, values, prefix);
    if (checked.valid && faults.length === 0) return { valid: true, value: values };
    const reported = new Set(faults.map(({ pointer }) => pointer));
    const more = faultsOf(checked).filter(({ pointer }) => !reported.has(pointer));
    return { valid: false, faults: [...faults, ...more] };
  };
}

/**
 * Checks a value against its schema and against the rule `plainText`. A field with both faults gets only the schema's
 * fault.
 * @param texts - the value whose texts must be plain. Default: the validated value
 */
export function checkPlain(
  schema: Schema<unknown>,
  value: unknown,
  prefix = "",
  texts: unknown = value,
): Checked<unknown> {
  const checked = check(schema, value, prefix);
  const notPlain = plainTextFaults(schema, texts, prefix);
  if (notPlain.length === 0) return checked;
  const faults = faultsOf(checked);
  const reported = new Set(faults.map(({ pointer }) => pointer));
  const more = notPlain.filter(({ pointer }) => !reported.has(pointer));
  return more.length === 0 ? checked : { valid: false, faults: [...faults, ...more] };
}

function refuseParameters(values: QueryValues, prefix: string): Checked<QueryValues> {
  if (Object.keys(values).length === 0) return { valid: true, value: {} };
  const message = "must not have parameters";
  return { valid: false, faults: [{ pointer: prefix, code: "UNKNOWN_FIELD", message }] };
}

function faultsOf(checked: Checked<unknown>): readonly Fault[] {
  return checked.valid ? [] : checked.faults;
}
