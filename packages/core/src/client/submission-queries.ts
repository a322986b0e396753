import type { Endpoint } from "../contract/endpoint.ts";
import {
  ConfigurationError,
  GatewayError,
  type OutcomeFacts,
  ProblemError,
  type SubmissionResult,
} from "../errors/index.ts";
import { checkEndpoint, checkOptions } from "./argument.ts";
import { pause } from "./attempts.ts";
import { isKeyStore, isSameKey, type KeyStore, type StoredKey } from "./key-store.ts";
import type { CallOptions } from "./options.ts";
import { unknownSubmission } from "./outcome.ts";
import { nameOf } from "./request.ts";
import { resultOfError, resultOfStatus } from "./submission-results.ts";
import type { SubmissionStatus } from "./submission-status.ts";

/** The functions that ask the gateway about submissions. Each throws a GatewayError if it gets no answer. */
export interface SubmissionQueries {
  status(submissionId: string, options: CallOptions): Promise<SubmissionStatus>;
  /** Returns null if the gateway has no submission with the key. */
  statusByKey(
    endpoint: Endpoint,
    key: string,
    options: CallOptions,
  ): Promise<SubmissionStatus | null>;
}

/** The shortest and the longest wait between two questions for a submission, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Returns the function that asks for a submission of unknown outcome until it has an end, a person has to find it out, or the
 * time is over.
 */
export function resolverOf(
  queries: SubmissionQueries,
  endpoint: Endpoint,
): OutcomeFacts["resolve"] {
  return async (error, options) => {
    checkOptions(options, ["signal", "timeout"]);
    const { signal, timeout } = options;
    const { idempotencyKey: key, submissionId } = error;
    const deadline = performance.now() + (timeout ?? Number.POSITIVE_INFINITY);
    let result: SubmissionResult = resultOfError(error, key);
    let failures = 0;
    for (;;) {
      const leftMs = deadline - performance.now();
      if (signal?.aborted || leftMs <= 0) return result;
      const limits = { ...(timeout === undefined ? {} : { timeout: leftMs }), signal };
      try {
        const status =
          submissionId === null
            ? await queries.statusByKey(endpoint, key, limits)
            : await queries.status(submissionId, limits);
        if (status === null) return notStored(endpoint, key);
        result = resultOfStatus(endpoint, status, key, () => error);
        failures = 0;
      } catch (failure) {
        if (!GatewayError.isInstance(failure)) throw failure;
        if (isNotFound(failure)) return notStored(endpoint, key);
        failures++;
      }
      if (result.outcome !== "unknown") return result;
      const { askAgainAt } = result;
      if (failures === 0 && askAgainAt === null) return result;
      const wait =
        failures === 0
          ? (askAgainAt?.getTime() ?? 0) - Date.now()
          : SHORTEST_WAIT_MS * 2 ** (failures - 1);
      const pauseMs = Math.min(Math.max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
      if (performance.now() + pauseMs >= deadline) return result;
      await pause(pauseMs, signal, () => null).catch(() => undefined);
    }
  };
}

/** A key of a store with the result of its submission. */
export interface ResumedSubmission<Data = unknown> {
  readonly stored: StoredKey;
  readonly result: SubmissionResult<Data>;
}

/**
 * Asks the gateway for the submissions of all stored keys.
 * @param timeoutMs - for all of them together
 */
export async function resumeAll(
  queries: SubmissionQueries,
  store: KeyStore,
  endpoints: readonly Endpoint[],
  { signal, timeoutMs }: Pick<CallOptions, "signal"> & { readonly timeoutMs: number },
): Promise<readonly ResumedSubmission[]> {
  if (!isKeyStore(store) || !Array.isArray(endpoints))
    throw new ConfigurationError(["resume() needs a KeyStore and a list of endpoints"]);
  for (const endpoint of endpoints) checkEndpoint(endpoint);
  const deadline = performance.now() + timeoutMs;
  const asked = (await store.list()).map((stored) => ({
    stored,
    endpoint: endpoints.find((one) => isSameKey(storedKey(one, stored.key), stored)),
  }));
  const missing = asked.filter(({ endpoint }) => endpoint === undefined);
  if (missing.length > 0)
    throw new ConfigurationError(
      [...new Set(missing.map(({ stored }) => `${stored.provider} ${stored.endpoint}`))].map(
        (name) => `the store has keys of ${name}: pass its endpoint to resume()`,
      ),
    );
  const resumed: ResumedSubmission[] = [];
  for (const { endpoint, stored } of asked) {
    // Every endpoint was found above.
    if (endpoint === undefined) continue;
    const options = { signal, timeout: deadline - performance.now() };
    resumed.push({ stored, result: await resultOfKey(queries, endpoint, stored.key, options) });
  }
  return resumed;
}

async function resultOfKey(
  queries: SubmissionQueries,
  endpoint: Endpoint,
  key: string,
  options: CallOptions,
): Promise<SubmissionResult> {
  const submission = { key, resolve: resolverOf(queries, endpoint) };
  try {
    const status = await queries.statusByKey(endpoint, key, options);
    return status === null
      ? notStored(endpoint, key)
      : resultOfStatus(endpoint, status, key, () =>
          unknownSubmission(submission, status.submissionId, stillOpen(endpoint, status)),
        );
  } catch (failure) {
    if (!GatewayError.isInstance(failure)) throw failure;
    return resultOfError(unknownSubmission(submission, null, failure), key);
  }
}

/** The entry of a key in a store. */
export function storedKey(endpoint: Endpoint, key: string): StoredKey {
  return { key, provider: endpoint.provider, endpoint: nameOf(endpoint) };
}

/** The result of a key without a submission: nothing was sent with it, so that it can be sent now. */
function notStored(endpoint: Endpoint, key: string): SubmissionResult {
  const error = ownProblem(endpoint, {
    code: "SUBMISSION_NOT_FOUND",
    status: 404,
    detail:
      "The gateway has no submission with this key: nothing was sent. Submit with the same key, never with a new one.",
    outcome: "not_sent",
    retry: "same_key",
  });
  return {
    outcome: "not_sent",
    key,
    submissionId: null,
    retry: "same_key",
    errors: [],
    error,
  };
}

function stillOpen(endpoint: Endpoint, { state, submissionId }: SubmissionStatus): ProblemError {
  return ownProblem(endpoint, {
    code: "OUTCOME_UNKNOWN",
    status: 504,
    detail:
      state === "needs_review"
        ? "The gateway could not find out whether the insurer acted; the operator has to ask."
        : "The gateway does not know yet whether the insurer acted.",
    outcome: "unknown",
    retry: "same_key",
    reconciliation: { href: `/submissions/${submissionId}` },
  });
}

function ownProblem(
  { method, path, provider }: Endpoint,
  parts: Pick<
    ConstructorParameters<typeof ProblemError>[2],
    "code" | "status" | "detail" | "outcome" | "retry" | "reconciliation"
  >,
): ProblemError {
  const problem = { type: "", title: "", requestId: "", provider, ...parts };
  return new ProblemError(`${method} ${path}`, provider, problem, null);
}

function isNotFound(failure: GatewayError): boolean {
  return ProblemError.isInstance(failure) && failure.code === "SUBMISSION_NOT_FOUND";
}
