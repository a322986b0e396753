import { type Adapter, type AdapterAnswer, REQUESTS_PER_PAGE } from "@insurance-gateway/adapter";
import type { InsurerProblem } from "@insurance-gateway/adapter/sandbox";
import type { Endpoint, FailureCode, FailureRow, Provider } from "@insurance-gateway/core/contract";
import { failureCodes, failureRowOf, kindPolicies } from "@insurance-gateway/core/runtime";
import { callAdapter, type ScriptedAnswer } from "./adapter-call.ts";
import { contextOf } from "./dialect-insurer.ts";
import type { SendableCall } from "./presence-faults.ts";
import { unprovenHint } from "./proof.ts";

/** An error message of the insurer, for example from its manual, with its meaning. */
export interface InsurerRefusal extends ScriptedAnswer {
  /** The name of the endpoint to which the message is an answer. */
  readonly endpoint: string;
  /** The code that a client must receive for the message. */
  readonly code: FailureCode;
}

/** The rows that interpret the insurer's error answers, and the rows that answers have proven. */
export interface FailureRows {
  readonly adapter: Adapter;
  readonly provider: Provider<object>;
  /** The keys of the proven rows, each with one of the row's error codes. */
  readonly shown: Set<string>;
}

type RefusalAnswer = Extract<AdapterAnswer, { readonly type: "refusal" }>;

/** Codes of a sandbox's problem that no row can have, each with the row codes that count as the same code. */
const equivalentCodes: Readonly<Record<string, readonly string[]>> = {
  RATE_LIMITED: ["PROVIDER_UNAVAILABLE", "TOO_MANY"],
  VALIDATION_FAILED: ["PROVIDER_REJECTED", "INVALID_INPUT"],
  INVALID_REQUEST: ["PROVIDER_REJECTED", "INVALID_INPUT"],
  UNAUTHENTICATED: ["PROVIDER_AUTH_FAILED", "NOT_ALLOWED"],
  FORBIDDEN: ["PROVIDER_AUTH_FAILED", "NOT_ALLOWED"],
};

/** Compares a refusal of the sandbox with the result of the adapter and the rows of `failures`. */
export function problemFaults(
  rows: FailureRows,
  endpoint: Endpoint,
  { code, errors = [] }: InsurerProblem,
  answer: AdapterAnswer,
): readonly string[] {
  if (answer.type === "notReady" && code === "DOCUMENT_NOT_READY") return [];
  if (answer.type !== "refusal")
    return [
      `its adapter reads the refusal ${code} as ${answer.type === "value" || answer.type === "document" ? "an answer" : answer.type}`,
    ];
  const isKnown = failureCodes.some((known) => known === code);
  const expected = equivalentCodes[code] ?? (isKnown ? [code] : undefined);
  const sandboxFields = errors
    .map(({ pointer }) => pointer)
    .toSorted()
    .join(", ");
  const adapterFields = (answer.faults ?? [])
    .map(({ pointer }) => pointer)
    .toSorted()
    .join(", ");
  return [
    ...meaningFaults(rows, endpoint, answer, `the refusal ${code} of its sandbox`, expected),
    ...(sandboxFields === adapterFields
      ? []
      : [
          `its adapter names the fields (${adapterFields}) for the refusal ${code}, and its sandbox (${sandboxFields})`,
        ]),
  ];
}

/**
 * Compares the code from the rows of `failures` with the expected codes.
 * @param expected - undefined accepts any code
 */
export function meaningFaults(
  { adapter, provider, shown }: FailureRows,
  endpoint: Endpoint,
  { content, mediaType, status }: RefusalAnswer,
  what: string,
  expected: readonly string[] | undefined,
): readonly string[] {
  const own = [...(endpoint.failures ?? []), ...(provider.failures ?? [])];
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  const failure = { status, mediaType, content, acts };
  const row = failureRowOf([...own, ...adapter.failures], failure);
  if (row === undefined)
    return [
      `no row of \`failures\` matches ${what}, which arrives as ${status} ${mediaType} ${JSON.stringify(content)}`,
    ];
  for (const code of row.is ?? [])
    if (failureRowOf([{ ...row, is: [code] }], failure) !== undefined) shown.add(keyOf(row, code));
  if (row.is === undefined) shown.add(keyOf(row));
  return expected === undefined || expected.includes(row.code)
    ? []
    : [
        `the rows of \`failures\` translate ${what} to ${row.code}, not to ${expected.join(" or ")}`,
      ];
}

/** Compares a message of the insurer with the adapter's result and the rows of `failures`. */
export async function messageFaults(
  rows: FailureRows,
  { code, endpoint: name, ...message }: InsurerRefusal,
  call: SendableCall | undefined,
): Promise<readonly string[]> {
  if (call === undefined)
    return [`\`refusals\` has ${name}, which must be an endpoint with an example`];
  const { endpoint } = call.subject;
  // The script repeats the same answer, because some adapters send several requests.
  const answers = Array.from({ length: REQUESTS_PER_PAGE }, () => message);
  const { answer } = await callAdapter(
    rows.adapter,
    endpoint,
    call.input,
    answers,
    contextOf(call.subject),
  ).catch((error: unknown) => ({ answer: { type: `the error ${String(error)}` } as const }));
  const what = `the message of \`refusals\` ${String(message.body).slice(0, MAX_SHOWN_CHARACTERS)}`;
  return answer.type === "refusal"
    ? meaningFaults(rows, endpoint, answer, what, [code]).map((fault) => `${name}: ${fault}`)
    : [`${name}: its adapter reads ${what} as ${answer.type}`];
}

const MAX_SHOWN_CHARACTERS = 200;

/** Finds the rows of the adapter's `failures` that no answer has proven. */
export function unprovenRows({ adapter, shown }: FailureRows): readonly string[] {
  return adapter.failures.flatMap((row, index) =>
    (row.is ?? [undefined])
      .filter((code) => !shown.has(keyOf(row, code)))
      .map(
        (code) =>
          `the adapter: \`failures\` row ${index + 1}: no answer of the sandbox shows that ${code ?? String(row.status)} means ${row.code}. Add a scenario, or the insurer's own message to \`refusals\`${unprovenHint(`failures ${code ?? String(row.status)}`)}`,
      ),
  );
}

function keyOf({ code, status }: FailureRow, is?: string): string {
  return JSON.stringify([status, code, is ?? null]);
}
