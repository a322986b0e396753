import { isDeepStrictEqual } from "node:util";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import type { DialectAnswer } from "@insurance-gateway/adapter/sandbox";
import { answerOf, check, type Endpoint, jsonAnswerOf } from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  fileTypeOf,
  isFilePart,
  pagingOf,
  withoutPage,
} from "@insurance-gateway/core/runtime";
import { actingFaults } from "./acting-faults.ts";
import type { CallResult, DialectSubject } from "./dialect-insurer.ts";
import { afterJson, type Difference, differencesOf, fieldOf } from "./differences.ts";
import { type FailureRows, problemFaults } from "./refusal-faults.ts";
import { answerOfHandler } from "./sandbox-answers.ts";
import type { KnownValues } from "./trip-values.ts";

/** One endpoint of a package that has its own adapter. */
export interface AdapterTrip extends DialectSubject {
  readonly siblings: Readonly<Record<string, Endpoint>>;
  readonly known: KnownValues;
  readonly rows: FailureRows;
}

/** Messages of faults by subject, so that each fault is reported only once. */
export type Faults = Map<string, string>;

/**
 * Adds the faults of a call: a request that reached the sandbox's handler changed or not at all, a wrong `acts` of a
 * request, or a changed answer.
 */
export function addRequestFaults(
  trip: AdapterTrip,
  sent: CheckedInput,
  carried: CallResult,
  faults: Faults,
): void {
  if (addBrokenFaults(carried, faults)) return;
  for (const fault of actingFaults(trip.name, trip.endpoint, trip.siblings, carried))
    faults.set(fault, fault);
  const { arrived, answer } = carried;
  const reached = arrived.findLast(({ endpoint }) => endpoint === trip.name);
  if (reached === undefined) {
    const named = answer?.type === "refusal" ? (answer.faults ?? []) : [];
    for (const { pointer } of named.length > 0 ? named : [{ pointer: "/" }])
      faults.set(`refused ${pointer}`, `its insurer refuses a valid request: ${pointer}`);
    return;
  }
  for (const difference of differencesOf(
    comparable(trip.endpoint, sent),
    comparable(trip.endpoint, reached.input),
  ))
    addDifference(faults, "its request", difference);
  const isSearch = trip.endpoint.kind === "search";
  const expected = isSearch ? answerOfHandler(trip.sandbox, trip.name, sent) : reached.answer;
  addAnswerDifferences(trip, expected, carried, faults);
}

/** Returns a request's parts as JSON, without paging parameters: an adapter may request several pages. */
function comparable(endpoint: Endpoint, { body, headers, params, query }: CheckedInput): unknown {
  const input = { params, query, headers, body };
  return afterJson(endpoint.kind === "search" ? withoutPage(pagingOf(endpoint), input) : input);
}

/** Adds the faults of a failed call. Returns true if the adapter threw an error or the sandbox refused the request. */
export function addBrokenFaults({ broken, refused }: CallResult, faults: Faults): boolean {
  for (const text of broken) faults.set(text, text);
  for (const { message, pointer } of refused)
    faults.set(
      `misses ${pointer}`,
      `its request does not match the contract at the insurer: ${pointer || "/"} ${message}`,
    );
  return broken.length + refused.length > 0;
}

export function addAnswerDifferences(
  { endpoint, rows }: AdapterTrip,
  expected: DialectAnswer,
  { answer, document }: CallResult,
  faults: Faults,
): void {
  if (answer === null) return;
  if ("problem" in expected) {
    for (const fault of problemFaults(rows, endpoint, expected.problem, answer))
      faults.set(fault, fault);
    return;
  }
  if ("file" in expected) {
    const content = answer.type === "value" && isFilePart(answer.value) && answer.value.content;
    const bytes = document ?? (content instanceof Uint8Array ? new Uint8Array(content) : null);
    if (answer.type === "document" && fileTypeOf(endpoint, answer.mediaType) === undefined)
      faults.set("type", `its document is of the type ${answer.mediaType}, which is not declared`);
    const detail = answer.type === "unreadable" ? `: ${answer.detail}` : "";
    if (!isDeepStrictEqual(bytes, new Uint8Array(expected.file)))
      faults.set("bytes", `its document does not reach the gateway with the same bytes${detail}`);
    return;
  }
  const value = valueIn(endpoint, expected.status, answer, faults);
  if (value === null) return;
  for (const difference of differencesOf(afterJson(expected.body), afterJson(value.is)))
    addDifference(faults, "its answer", difference);
}

/** Returns the adapter's value if the answer has the declared status. Otherwise adds a fault and returns null. */
export function valueIn(
  endpoint: Endpoint,
  status: number,
  answer: AdapterAnswer,
  faults: Faults,
): { readonly is: unknown } | null {
  if (answer.type !== "value" || answer.status !== status) {
    const made = answer.type === "value" ? `the status ${answer.status}` : answer.type;
    const why = answer.type === "unreadable" ? `: ${answer.detail}` : "";
    faults.set(`answer ${made}`, `its adapter reads the insurer's ${status} as ${made}${why}`);
    return null;
  }
  const declared = answerOf(endpoint, status);
  const schema = declared && jsonAnswerOf(declared);
  const checked = schema === undefined ? null : check(schema, answer.value);
  if (checked?.valid === false) {
    for (const { message, pointer } of checked.faults)
      faults.set(`fit ${pointer}`, `its adapter's answer is not valid: ${pointer} ${message}`);
    return null;
  }
  return { is: answer.value };
}

export function addDifference(
  faults: Faults,
  what: string,
  { is, pointer, was }: Difference,
): void {
  const key = `${what} ${fieldOf(pointer)}`;
  if (!faults.has(key))
    faults.set(
      key,
      `${what} arrives with ${shown(is)} at ${pointer || "/"}, and has ${shown(was)}`,
    );
}

/** Returns a value as the text of a fault shows it. */
export function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
