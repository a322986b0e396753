import type {
  Clock,
  RecordedScenario,
  SandboxAnswer,
  SandboxRecord,
} from "@insurance-gateway/adapter/sandbox";
import {
  answerOf,
  check,
  type Endpoint,
  jsonAnswerOf,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  identifierOf,
  matchPointer,
  pageAsked,
  pagingOf,
  withValueAt,
} from "@insurance-gateway/core/runtime";

/**
 * Answers a call with a recorded answer. It copies values of the request into the answer: match fields, and the
 * requested page of a search. Each submission gets a new identifier if the form allows it.
 */
export function recordedAnswer(
  endpoint: Endpoint,
  input: CheckedInput,
  { body, status }: RecordedScenario,
  clock: Clock,
): SandboxAnswer<unknown, SandboxRecord> {
  const matching = (endpoint.same ?? []).map(matchPointer).reduce((made, pointer) => {
    const sent = valueAt(input.body, pointer);
    return sent === undefined ? made : withValueAt(made, pointer, sent);
  }, body);
  return {
    status,
    body: withOwnIdentifier(endpoint, status, withPage(endpoint, input, matching), clock),
  };
}

function withPage(endpoint: Endpoint, input: CheckedInput, body: unknown): unknown {
  if (endpoint.kind !== "search") return body;
  const paging = pagingOf(endpoint);
  const { position, size } = pageAsked(paging, input);
  const items = valueAt(body, paging.items);
  const told: readonly (readonly [at: unknown, value: unknown])[] = [
    [paging.echo, position],
    [paging.size.echo, size],
    [paging.total, Array.isArray(items) ? items.length : 0],
  ];
  return told.reduce<unknown>(
    (made, [at, value]) =>
      typeof at === "string" && valueAt(made, at) !== undefined
        ? withValueAt(made, at, value)
        : made,
    body,
  );
}

function withOwnIdentifier(
  endpoint: Endpoint,
  status: number,
  body: unknown,
  clock: Clock,
): unknown {
  const insurerId = identifierOf(endpoint)?.at;
  const recorded = insurerId === undefined ? undefined : valueAt(body, insurerId);
  const now = clock().getTime();
  // Most whole numbers of insurers have 32 bits.
  const isNumber = typeof recorded === "number";
  if (insurerId === undefined || !(isNumber || typeof recorded === "string")) return body;
  const given = isNumber ? recorded + (now % 1e9) : `${recorded}-${now}`;
  const own = withValueAt(body, insurerId, given);
  const answer = answerOf(endpoint, status);
  const schema = answer && jsonAnswerOf(answer);
  return schema === undefined || check(schema, own).valid ? own : body;
}
