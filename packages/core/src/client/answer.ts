import type { Endpoint } from "../contract/endpoint.ts";
import { check, type Fault, type FaultCode } from "../contract/faults.ts";
import {
  type Outcome,
  type Problem,
  ProblemError,
  ResponseInvalidError,
  type RetryAdvice,
} from "../errors/index.ts";
import { TransportError, type TransportResponse } from "../transport/index.ts";
import { standingOf } from "./failure.ts";
import { nameOf } from "./request.ts";

/** The head of an answer, for those who need more than its data. */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names the request in the gateway's log. */
  readonly requestId: string | null;
}

/** More than the gateway ever passes on: an answer above it is not the gateway's. */
const MAXIMUM_JSON_BYTES = 4 * 1024 * 1024;

/** The head of an answer. */
export function headOf(response: TransportResponse): ResponseHead {
  const { status, headers } = response;
  return { status, headers, requestId: headers["x-request-id"] ?? null };
}

/**
 * Reads a JSON answer.
 * @throws ProblemError when the gateway answered with a problem, ResponseInvalidError when the answer breaks
 *   the declaration or is not the gateway's
 */
export async function readJson(endpoint: Endpoint, response: TransportResponse): Promise<unknown> {
  await refuseProblem(endpoint, response);
  const schema = endpoint.response[response.status];
  if (schema === undefined) {
    response.body.discard();
    throw invalid(endpoint, headOf(response), [], `The status ${response.status} is not declared.`);
  }
  const checked = check(schema, await parse(endpoint, response));
  if (!checked.valid)
    throw invalid(endpoint, headOf(response), checked.faults, "The answer breaks the declaration.");
  return checked.value;
}

/** Throws when the answer is not the declared file, so that no proxy's page is saved as a document. */
export async function refuseOtherFile(
  endpoint: Endpoint,
  response: TransportResponse,
): Promise<void> {
  await refuseProblem(endpoint, response);
  const [mediaType] = /^[^;\s]*/.exec(response.headers["content-type"] ?? "") ?? [];
  if (response.status === 200 && mediaType?.toLowerCase() === endpoint.file?.mediaType) return;
  response.body.discard();
  throw invalid(
    endpoint,
    headOf(response),
    [],
    `The answer is not a file of type ${endpoint.file?.mediaType}.`,
  );
}

/** Throws when the answer is not a success. */
async function refuseProblem(endpoint: Endpoint, response: TransportResponse): Promise<void> {
  if (response.status >= 200 && response.status < 300) return;
  if (!/^application\/problem\+json\b/i.test(response.headers["content-type"] ?? "")) {
    response.body.discard();
    throw invalid(
      endpoint,
      headOf(response),
      [],
      `The status ${response.status} came without a problem.`,
    );
  }
  const problem = asProblem(await parse(endpoint, response), response);
  if (problem === null)
    throw invalid(endpoint, headOf(response), [], "The problem cannot be read.");
  const seconds = Number(response.headers["retry-after"]);
  const retryAfter = response.headers["retry-after"] !== undefined && seconds >= 0 ? seconds : null;
  throw new ProblemError(nameOf(endpoint), endpoint.provider, problem, retryAfter);
}

/** The error for an answer that is not what was declared. */
export function invalid(
  endpoint: Endpoint,
  head: ResponseHead,
  faults: readonly Fault[],
  message: string,
): ResponseInvalidError {
  const { advice, outcome, retry } = standingOf(endpoint, true);
  return new ResponseInvalidError(
    {
      outcome,
      retry,
      message: `${message} Is this address the gateway's, and its version this package's? ${advice}`,
      provider: endpoint.provider,
      endpoint: nameOf(endpoint),
      requestId: head.requestId,
    },
    head.status,
    faults,
  );
}

async function parse(endpoint: Endpoint, response: TransportResponse): Promise<unknown> {
  try {
    return JSON.parse(await response.body.text(MAXIMUM_JSON_BYTES));
  } catch (error) {
    if (!TransportError.isInstance(error) || error.reason === "unreadable")
      throw invalid(endpoint, headOf(response), [], "The answer is not JSON.");
    if (error.reason === "too_large")
      throw invalid(endpoint, headOf(response), [], "The answer is larger than 4 MB.");
    throw error;
  }
}

const outcomes: readonly Outcome[] = ["not_sent", "rejected", "unknown", "executed"];
const advices: readonly RetryAdvice[] = ["safe", "same_key", "after_lookup", "never"];

/** Takes from a body what a problem declares and nothing else, so that no error can hold anything else. */
function asProblem(body: unknown, response: TransportResponse): Problem | null {
  if (typeof body !== "object" || body === null) return null;
  const field = (name: string): unknown => Reflect.get(body, name);
  const text = (name: string): string => textOf(field(name));
  const outcome = outcomes.find((known) => known === field("outcome"));
  const retry = advices.find((known) => known === field("retry"));
  if (typeof field("code") !== "string" || outcome === undefined || retry === undefined)
    return null;
  const lookup = asLookup(field("lookup"));
  return {
    type: text("type"),
    title: text("title"),
    status: response.status,
    code: text("code"),
    detail: text("detail"),
    requestId: text("requestId"),
    provider: typeof field("provider") === "string" ? text("provider") : null,
    outcome,
    retry,
    errors: asFaults(field("errors")),
    ...(lookup === null ? {} : { lookup }),
  };
}

function asFaults(value: unknown): readonly Fault[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((fault) => typeof fault === "object" && fault !== null)
    .map((fault) => ({
      pointer: textOf(fault.pointer),
      // A newer gateway may know a code that this version does not.
      code: (textOf(fault.code) || "INVALID") as FaultCode,
      message: textOf(fault.message),
    }));
}

function asLookup(value: unknown): NonNullable<Problem["lookup"]> | null {
  if (typeof value !== "object" || value === null) return null;
  const { endpoint, parameters } = { endpoint: null, parameters: null, ...value };
  if (typeof endpoint !== "string" || typeof parameters !== "object" || parameters === null)
    return null;
  return {
    endpoint,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, place]) => [name, { from: fromOf(place) }]),
    ),
  };
}

function fromOf(place: unknown): string {
  return typeof place === "object" && place !== null && "from" in place ? textOf(place.from) : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
