import { answerOf, jsonAnswerOf } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { check } from "../contract/faults.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { identifierOf, matchPointer } from "../contract/match.ts";
import { pagingOf, requestedPage } from "../contract/paging.ts";
import { valueAt, withValueAt } from "../contract/pointer.ts";

/** A named special behaviour of a simulated insurer. */
export interface Scenario {
  /** The value of the header `X-Sandbox-Scenario`. */
  readonly name: string;
  /** The name of the scenario's endpoint. */
  readonly endpoint: string;
  /** A value that selects the scenario without the header: a JSON Pointer into the input, and the value. */
  readonly when?: { readonly pointer: string; readonly equals: string | number };
}

/** A scenario with a recorded answer. */
export interface RecordedScenario {
  readonly name: string;
  readonly endpoint: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Returns the scenario that a call selects, by the header `X-Sandbox-Scenario` or by a value in its input. The header
 * has priority.
 */
export function scenarioOf(
  scenarios: readonly Scenario[],
  endpoint: string,
  input: unknown,
  header: string | undefined,
): string | null {
  if (header !== undefined) return header;
  const found = scenarios.find(
    ({ when, endpoint: owner }) =>
      owner === endpoint && when !== undefined && valueAt(input, when.pointer) === when.equals,
  );
  return found?.name ?? null;
}

/**
 * Returns a recorded answer with values of the request: the match fields, and the requested page of a search. Each
 * submission gets a new identifier, unless the schema refuses the new identifier.
 */
export function recordedAnswer(
  endpoint: Endpoint,
  input: CheckedInput,
  { body, status }: Pick<RecordedScenario, "body" | "status">,
  clock: () => Date,
): { readonly status: number; readonly body: unknown } {
  const withSentFields = (endpoint.same ?? []).map(matchPointer).reduce((changed, pointer) => {
    const sent = valueAt(input.body, pointer);
    return sent === undefined ? changed : withValueAt(changed, pointer, sent);
  }, body);
  return {
    status,
    body: withOwnIdentifier(endpoint, status, withPage(endpoint, input, withSentFields), clock),
  };
}

function withPage(endpoint: Endpoint, input: CheckedInput, body: unknown): unknown {
  if (endpoint.kind !== "search") return body;
  const paging = pagingOf(endpoint);
  const { position, size } = requestedPage(paging, input);
  const items = valueAt(body, paging.items);
  const reportedValues: readonly (readonly [at: unknown, value: unknown])[] = [
    [paging.echo, position],
    [paging.size.echo, size],
    [paging.total, Array.isArray(items) ? items.length : 0],
  ];
  return reportedValues.reduce<unknown>(
    (changed, [at, value]) =>
      typeof at === "string" && valueAt(changed, at) !== undefined
        ? withValueAt(changed, at, value)
        : changed,
    body,
  );
}

function withOwnIdentifier(
  endpoint: Endpoint,
  status: number,
  body: unknown,
  clock: () => Date,
): unknown {
  const insurerId = identifierOf(endpoint)?.at;
  const recorded = insurerId === undefined ? undefined : valueAt(body, insurerId);
  const now = clock().getTime();
  // Most insurers' whole numbers have 32 bits, so the number that is added to the recorded identifier is less than 1e9.
  const isNumber = typeof recorded === "number";
  if (insurerId === undefined || !(isNumber || typeof recorded === "string")) return body;
  const newIdentifier = isNumber ? recorded + (now % 1e9) : `${recorded}-${now}`;
  const changed = withValueAt(body, insurerId, newIdentifier);
  const answer = answerOf(endpoint, status);
  const schema = answer && jsonAnswerOf(answer);
  return schema === undefined || check(schema, changed).valid ? changed : body;
}
