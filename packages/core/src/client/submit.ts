import type { Endpoint } from "../contract/endpoint.ts";
import {
  ConfigurationError,
  GatewayError,
  type OutcomeUnknownError,
  ProblemError,
  type ResolveOptions,
  type SubmissionResult,
} from "../errors/index.ts";
import { pause } from "./attempts.ts";
import { isSameKey, type KeyStore, type StoredKey } from "./key-store.ts";
import type { CallOptions } from "./options.ts";
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

/** A submission of unknown outcome. */
interface UnknownSubmission {
  readonly endpoint: Endpoint;
  readonly key: string;
  readonly submissionId: string | null;
}

/**
 * Asks for a submission until it has an end, a person has to find it out, or the time is over.
 * @param error - the error of the call whose outcome is unknown
 */
export async function followToEnd(
  queries: SubmissionQueries,
  { endpoint, key, submissionId }: UnknownSubmission,
  error: OutcomeUnknownError,
  { signal, timeout }: ResolveOptions,
): Promise<SubmissionResult> {
  const deadline = performance.now() + (timeout ?? Number.POSITIVE_INFINITY);
  let result: SubmissionResult = resultOfError(error, key);
  for (;;) {
    const leftMs = deadline - performance.now();
    if (signal?.aborted || leftMs <= 0) return result;
    const options = { ...(timeout === undefined ? {} : { timeout: leftMs }), signal };
    let isAsked = true;
    try {
      const status =
        submissionId === null
          ? await queries.statusByKey(endpoint, key, options)
          : await queries.status(submissionId, options);
      result =
        status === null
          ? notStored(endpoint, key)
          : resultOfStatus(endpoint, status, key, () => error);
    } catch (failure) {
      if (!GatewayError.isInstance(failure)) throw failure;
      if (isNotFound(failure)) return notStored(endpoint, key);
      isAsked = false;
    }
    if (result.outcome !== "unknown" || (isAsked && result.askAgainAt === null)) return result;
    const wait = isAsked ? (result.askAgainAt?.getTime() ?? 0) - Date.now() : SHORTEST_WAIT_MS;
    const pauseMs = Math.min(Math.max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    if (performance.now() + pauseMs >= deadline) return result;
    await pause(pauseMs, signal, () => null).catch(() => undefined);
  }
}

/** A key of a store with the result of its submission. */
export interface ResumedSubmission<Data = unknown> {
  readonly stored: StoredKey;
  readonly result: SubmissionResult<Data>;
}

/** Asks the gateway for the submissions of all stored keys. */
export async function resumeAll(
  queries: SubmissionQueries,
  store: KeyStore,
  endpoints: readonly Endpoint[],
  unknown: (submission: UnknownSubmission, cause: GatewayError) => OutcomeUnknownError,
  options: CallOptions,
): Promise<readonly ResumedSubmission[]> {
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
    const { key } = stored;
    const result = await queries.statusByKey(endpoint, key, options).then(
      (status) =>
        status === null
          ? notStored(endpoint, key)
          : resultOfStatus(endpoint, status, key, () =>
              unknown(
                { endpoint, key, submissionId: status.submissionId },
                stillOpen(endpoint, status),
              ),
            ),
      (failure: unknown) => {
        if (!GatewayError.isInstance(failure)) throw failure;
        return resultOfError(unknown({ endpoint, key, submissionId: null }, failure), key);
      },
    );
    resumed.push({ stored, result });
  }
  return resumed;
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
