import type { Endpoint } from "./endpoint.ts";
import { type Checked, check, type Fault } from "./faults.ts";
import { plainTextFaults } from "./plain-text.ts";
import { decodeParameters, parameterTypes, type QueryValues } from "./query.ts";
import type { Schema } from "./schema.ts";

/** A request as it came over the wire. */
export interface RawInput {
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query string, without its question mark. */
  readonly search: string;
  /** The parsed JSON body, or undefined when there is none. */
  readonly body: unknown;
}

/** A request whose parts have the declared form. */
export interface CheckedInput {
  readonly params: QueryValues;
  readonly query: QueryValues;
  readonly body: unknown;
}

/** Checks requests of one endpoint; every fault of every part is reported at once. */
export type InputChecker = (raw: RawInput) => Checked<CheckedInput>;

/**
 * Makes the checker of an endpoint's requests. Unknown and repeated parameters are faults, and so is every text that is
 * not plain (`plainTextRule`), also where its schema would accept it.
 * @param compile - may give back a faster schema of the same meaning
 */
export function inputChecker(
  endpoint: Endpoint,
  compile: (schema: Schema<unknown>) => Schema<unknown> = (schema) => schema,
): InputChecker {
  const params = parametersChecker(endpoint.params, "/path", compile);
  const query = parametersChecker(endpoint.query, "/query", compile);
  const body = endpoint.body && compile(endpoint.body);
  return (raw) => {
    const given = Object.entries(raw.params).map(([name, text]) => [name, text ?? ""] as const);
    const path = params(given);
    const search = query(new URLSearchParams(raw.search));
    const content: Checked<unknown> =
      body === undefined ? { valid: true, value: undefined } : checkPlain(body, raw.body);
    if (path.valid && search.valid && content.valid)
      return {
        valid: true,
        value: { params: path.value, query: search.value, body: content.value },
      };
    return { valid: false, faults: [path, search, content].flatMap(faultsOf) };
  };
}

type ParametersChecker = (texts: Iterable<readonly [string, string]>) => Checked<QueryValues>;

function parametersChecker(
  declared: Schema<unknown> | undefined,
  prefix: string,
  compile: (schema: Schema<unknown>) => Schema<unknown>,
): ParametersChecker {
  if (declared === undefined) return (texts) => noneExpected(texts, prefix);
  const schema = compile(declared);
  const types = parameterTypes(declared);
  return (texts) => {
    const { values, repeated } = decodeParameters(texts, types);
    const checked = checkPlain(schema, values, prefix);
    if (checked.valid && repeated.length === 0) return { valid: true, value: values };
    return { valid: false, faults: [...repeated, ...faultsOf(checked)] };
  };
}

/** Checks a value against its schema and the rule for every text; a field with both faults has the schema's. */
function checkPlain(schema: Schema<unknown>, value: unknown, prefix = ""): Checked<unknown> {
  const checked = check(schema, value, prefix);
  const faults = faultsOf(checked);
  const reported = new Set(faults.map(({ pointer }) => pointer));
  const more = plainTextFaults(schema, value, prefix).filter(
    ({ pointer }) => !reported.has(pointer),
  );
  return more.length === 0 ? checked : { valid: false, faults: [...faults, ...more] };
}

function noneExpected(
  texts: Iterable<readonly [string, string]>,
  prefix: string,
): Checked<QueryValues> {
  if ([...texts].length === 0) return { valid: true, value: {} };
  const message = "takes no parameters here";
  return { valid: false, faults: [{ pointer: prefix, code: "UNKNOWN_FIELD", message }] };
}

function faultsOf(checked: Checked<unknown>): readonly Fault[] {
  return checked.valid ? [] : checked.faults;
}
