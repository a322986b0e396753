import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Schema } from "./schema.ts";

/** The kind of a field's fault. Programs can rely on these codes; the messages may change. */
export type FaultCode =
  | "REQUIRED"
  | "TYPE"
  | "FORMAT"
  | "LENGTH"
  | "RANGE"
  | "PRECISION"
  | "VALUE"
  | "DATE_ORDER"
  | "UNKNOWN_FIELD"
  | "REPEATED"
  | "INVALID";

/** One fault of a request or an answer: the field and the broken rule, never the value. */
export interface Fault {
  /** JSON Pointer (RFC 6901): `/holder/afm` in a body, `/query/clientAfm` and `/path/applicationId` for a parameter. */
  readonly pointer: string;
  readonly code: FaultCode;
  readonly message: string;
}

/** The result of a check: the valid value, or all faults. */
export type Checked<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly faults: readonly Fault[] };

/**
 * Checks a value against a schema and reports all faults together, at most 100 for one list.
 * @param prefix - text before every pointer, such as `/query`
 */
export function check<T>(schema: StandardSchemaV1<T, T>, value: unknown, prefix = ""): Checked<T> {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    // zod returns a promise if the check of a value overflows the stack. The rejection of this promise must not stay
    // unhandled.
    result.catch(() => {});
    return { valid: false, faults: [{ pointer: prefix, code: "INVALID", message: UNCHECKED }] };
  }
  if (result.issues === undefined) return { valid: true, value: result.value };
  const known: KnownUnions = new Map();
  const issues = result.issues.flatMap((issue) => withoutUnions(issue, known));
  return { valid: false, faults: issues.flatMap((issue) => faultsOf(issue, value, prefix)) };
}

const UNCHECKED =
  "cannot be checked: it is nested too deeply, it has too many faults, or its schema is asynchronous";

/** A Standard Schema issue with the properties that zod adds. Issues of other libraries do not have them. */
interface DetailedIssue extends StandardSchemaV1.Issue {
  readonly code?: string;
  readonly expected?: string;
  readonly format?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inclusive?: boolean;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly params?: { readonly code?: FaultCode };
  /** For a union: the issues of each alternative. */
  readonly errors?: readonly (readonly DetailedIssue[])[];
}

/** The beginning of core's own messages. All others are zod's messages, in the language that the application set. */
const OWN_TEXT = /^must /;

function faultsOf(issue: DetailedIssue, input: unknown, prefix: string): readonly Fault[] {
  const path = (issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part));
  const pointer = prefix + path.map((part) => `/${escapePointer(String(part))}`).join("");
  if (issue.code === "unrecognized_keys")
    return (issue.keys ?? []).slice(0, MOST_UNKNOWN).map((key) => unknownFieldFault(pointer, key));
  const missing = valueAtPath(input, path) === undefined;
  const [code, message] = codeAndMessageOf(issue, missing);
  return [
    { pointer, code, message: OWN_TEXT.test(issue.message) && !missing ? issue.message : message },
  ];
}

/**
 * Replaces an issue of a union by the issues of the best-matching alternative: the same JSON type as the value, then
 * the fewest wrong constants, then the fewest issues. If every alternative has another type, one issue names the types.
 * @param known - the unions that were replaced before: the alternatives of a recursive schema share issues
 */
function withoutUnions(issue: DetailedIssue, known: KnownUnions): readonly DetailedIssue[] {
  const { code, errors = [], path = [] } = issue;
  if (code !== "invalid_union" || errors.length === 0) return [issue];
  const nearest = known.get(errors) ?? nearestAlternative(errors, known);
  known.set(errors, nearest);
  return nearest.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] }));
}

type KnownUnions = Map<object, readonly DetailedIssue[]>;

function nearestAlternative(
  errors: NonNullable<DetailedIssue["errors"]>,
  known: KnownUnions,
): readonly DetailedIssue[] {
  const alternatives = errors.map((issues) => issues.flatMap((one) => withoutUnions(one, known)));
  const own = alternatives.filter((issues) => !issues.some(hasOtherType));
  if (own.length > 0)
    return own.reduce((best, one) => (distanceOf(one) < distanceOf(best) ? one : best));
  const kinds = alternatives.flat().filter(hasOtherType);
  const names = kinds.flatMap(({ expected = "", message }) =>
    // A union's message names all types of its alternatives.
    TYPE_MESSAGE_START.test(message)
      ? message.replace(TYPE_MESSAGE_START, "")
      : (typeNames[expected] ?? []),
  );
  return names.length === 0
    ? [{ message: "" }]
    : [{ code: "invalid_type", message: `must be ${[...new Set(names)].join(" or ")}` }];
}

const TYPE_MESSAGE_START = /^must be /;

/** Returns how far the value is from an alternative. A wrong constant counts more than any number of other faults. */
function distanceOf(issues: readonly DetailedIssue[]): number {
  const constants = issues.filter(({ code }) => code === "invalid_value").length;
  return constants * (1 + MOST_UNKNOWN) + issues.length;
}

/** Reports whether the value as a whole has the wrong JSON type, such as a text in place of an object. */
function hasOtherType({ code, path = [] }: DetailedIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}

/** Maximum of unknown fields reported for one object. */
const MOST_UNKNOWN = 100;

/** Reports whether a name is a plain identifier. Any other name may be personal data, so faults do not repeat it. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z_-]{0,63}$/.test(name);
}

function unknownFieldFault(pointer: string, key: string): Fault {
  const plain = isPlainName(key);
  return {
    pointer: plain ? `${pointer}/${key}` : pointer,
    code: "UNKNOWN_FIELD",
    message: plain ? "is not an accepted field" : "has a field that is not accepted",
  };
}

function codeAndMessageOf(issue: DetailedIssue, missing: boolean): readonly [FaultCode, string] {
  if (missing) return ["REQUIRED", "is required"];
  switch (issue.code) {
    case "invalid_type":
      return ["TYPE", `must be ${typeNames[issue.expected ?? ""] ?? "of another type"}`];
    case "invalid_format":
      return ["FORMAT", formatTexts[issue.format ?? ""] ?? "must have the declared format"];
    case "too_small":
    case "too_big":
      return limitCodeAndMessage(issue);
    case "not_multiple_of":
      return ["PRECISION", "has too many decimal places"];
    case "invalid_union":
      return ["INVALID", "must match only one of its alternatives"];
    case "invalid_value":
      return ["VALUE", `must be one of ${(issue.values ?? []).map(String).join(", ")}`];
    default:
      return [issue.params?.code ?? "INVALID", "is not valid"];
  }
}

function limitCodeAndMessage(issue: DetailedIssue): readonly [FaultCode, string] {
  const least = issue.code === "too_small";
  const bound = String(least ? issue.minimum : issue.maximum);
  if (issue.origin === "string")
    return ["LENGTH", `must have at ${least ? "least" : "most"} ${bound} characters`];
  if (issue.origin === "array")
    return ["LENGTH", `must have at ${least ? "least" : "most"} ${bound} items`];
  if (issue.inclusive === false)
    return ["RANGE", `must be ${least ? "more" : "less"} than ${bound}`];
  return ["RANGE", `must be ${bound} or ${least ? "more" : "less"}`];
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const formatTexts: Readonly<Record<string, string>> = {
  date: "must be a date that exists, written YYYY-MM-DD",
  datetime: "must be an instant, written as RFC 3339 in UTC",
};

function valueAtPath(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** Escapes a name for use in a JSON Pointer (RFC 6901, section 3). */
export function escapePointer(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Throws if a value of the project itself, such as an example, does not match the schema. */
export function assertValid<T>(schema: Schema<T>, value: unknown, name: string): T {
  const checked = check(schema, value);
  if (checked.valid) return checked.value;
  const list = checked.faults.map((fault) => `${fault.pointer} ${fault.message}`).join("; ");
  throw new TypeError(`${name} does not match its schema: ${list}`);
}
