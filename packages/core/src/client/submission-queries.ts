import type { Endpoint } from "../contract/endpoint.ts";
import {
  ConfigurationError,
  GatewayError,
  type OutcomeFacts,
  ProblemError,
  type ResolveOptions,
} from "../errors/index.ts";
import type { SubmissionResult, Unknown } from "../errors/outcome-unknown-error.ts";
import type { SubmissionStatus } from "../own/submission-status.ts";
import type { CancellationSignal, TransportTime } from "../transport/transport.ts";
import { checkOptions } from "./argument.ts";
import { pause } from "./attempts.ts";
import { createStoredKey, isSameKey, type KeyStore, type StoredKey } from "./key-store.ts";
import type { CallOptions } from "./options.ts";
import { nextQueryTimeAfter, unknownOutcomeError } from "./outcome.ts";
import { resultOfError, resultOfStatus } from "./submission-results.ts";

/** Sends the client's queries about submissions to the gateway. */
export interface SubmissionQueries {
  /** @throws GatewayError if no answer arrives, or if the gateway does not have the submission */
  submission(submissionId: string, options: ResolveOptions): PromiseLike<SubmissionStatus>;
  /** @throws GatewayError if no answer arrives, or if the gateway does not have the submission */
  submissionByKey(
    endpoint: Endpoint,
    key: string,
    options: QueryOptions,
  ): Promise<SubmissionStatus>;
  readonly time: TransportTime;
  /** Aborted when the client is closed. */
  readonly closed: CancellationSignal;
  /** Time limit of one query, in milliseconds. */
  readonly longestMs: number;
  /** Adds the limits of `each` to a query that `each` starts. */
  limited(options: ResolveOptions): ResolveOptions;
}

/** Limits of one query, and the path segment of the submission's call if the call set a segment. */
export interface QueryOptions extends ResolveOptions, Pick<CallOptions, "segment"> {}

/** Shortest wait between two queries about a submission, in milliseconds. */
const MIN_QUERY_WAIT_MS = 1_000;
/** Longest wait between two queries about a submission, in milliseconds. */
const MAX_QUERY_WAIT_MS = 60_000;

/**
 * Returns the function `resolve` of an OutcomeUnknownError. It queries the gateway until the submission has a result, a
 * person must find out the outcome, the gateway refuses the query permanently, the client is closed, or the time limit
 * passes.
 */
export function createResolve(
  queries: SubmissionQueries,
  endpoint: Endpoint,
  segment: string | undefined,
): OutcomeFacts["resolve"] {
  return async (error, options) => {
    const limits = createQueryLimits(options, queries);
    const { idempotencyKey: key, submissionId } = error;
    let result = resultOfError(error, key);
    for (let failures = 0, waitMs = 0; await limits.wait(waitMs); ) {
      result = await querySubmission(
        queries,
        endpoint,
        { key, submissionId, segment },
        limits.ofQuery(),
      );
      if (result.outcome !== "unknown") return result;
      const { askAgainAt, error: open } = result;
      // `after_check` means that the same query would fail again.
      if (askAgainAt === null || open.retry === "after_check") return result;
      failures = open.code === "OUTCOME_UNKNOWN" ? 0 : failures + 1;
      waitMs = waitUntilMs(askAgainAt, queries.time, MIN_QUERY_WAIT_MS * 2 ** failures);
    }
    return result;
  };
}

/** Returns the wait before the next query, in milliseconds. */
function waitUntilMs(askAgainAt: Date, time: TransportTime, leastMs: number): number {
  return Math.min(Math.max(askAgainAt.getTime() - time.now(), leastMs), MAX_QUERY_WAIT_MS);
}

/** Stored key with the result of its submission. */
export interface ResumedSubmission<Data = unknown> {
  readonly stored: StoredKey;
  readonly result: SubmissionResult<Data>;
}

/**
 * Queries the gateway for the submissions of all stored keys, one after the other. The function waits while the gateway
 * limits the queries, so that every key can be queried.
 */
export async function resumeAll(
  queries: SubmissionQueries,
  store: KeyStore,
  endpoints: readonly Endpoint[],
  options: ResolveOptions,
): Promise<readonly ResumedSubmission[]> {
  const limits = createQueryLimits(options, queries);
  const asked = (await store.list()).map((stored) => ({
    stored,
    endpoint: endpoints.find((one) =>
      isSameKey(createStoredKey(one, stored.key, stored.segment), stored),
    ),
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
    // The check before the first query has found the endpoint of every stored key.
    if (endpoint === undefined) continue;
    const { key, segment } = stored;
    const named = { key, submissionId: null, segment };
    let result: SubmissionResult;
    do result = await querySubmission(queries, endpoint, named, limits.ofQuery());
    while (
      areQueriesLimited(result) &&
      (await limits.wait(waitUntilMs(result.askAgainAt, queries.time, MIN_QUERY_WAIT_MS)))
    );
    resumed.push({ stored, result });
  }
  return resumed;
}

/** Reports whether a result means that the gateway limits the queries and names the time of the next query. */
function areQueriesLimited(
  result: SubmissionResult,
): result is Unknown<unknown> & { askAgainAt: Date } {
  return (
    result.outcome === "unknown" &&
    result.error.code === "RATE_LIMITED" &&
    result.askAgainAt !== null
  );
}

/** Submission that the client queries. */
interface QueriedKey {
  readonly key: string;
  readonly submissionId: string | null;
  readonly segment: string | undefined;
}

/** Queries the gateway once for a submission: by its id if the id is known, otherwise by its key. */
async function querySubmission(
  queries: SubmissionQueries,
  endpoint: Endpoint,
  { key, segment, submissionId }: QueriedKey,
  options: ResolveOptions,
): Promise<SubmissionResult> {
  const submission = { key, submissionId, resolve: createResolve(queries, endpoint, segment) };
  try {
    const status =
      submissionId === null
        ? await queries.submissionByKey(endpoint, key, { ...options, segment })
        : await queries.submission(submissionId, options);
    return resultOfStatus(endpoint, status, submission);
  } catch (failure) {
    if (!GatewayError.isInstance(failure)) throw failure;
    const isMissing = isNotFound(failure);
    if (isMissing && submissionId === null)
      return {
        outcome: "not_sent",
        key,
        submissionId,
        retry: "same_key",
        errors: [],
        error: failure,
      };
    // The gateway had a submission with this id. This submission belongs to another caller or is no longer stored, so
    // another query does not help.
    const askAgainAt = isMissing ? null : nextQueryTimeAfter(failure, queries.time.now);
    return resultOfError(unknownOutcomeError(endpoint, submission, failure, askAgainAt), key);
  }
}

/** Reports whether the gateway answered that it does not have the submission. */
export function isNotFound(failure: unknown): boolean {
  return ProblemError.isInstance(failure) && failure.code === "SUBMISSION_NOT_FOUND";
}

/** Limits of several queries together. */
interface QueryLimits {
  /** Returns the options of the next query. */
  ofQuery(): ResolveOptions;
  /** Waits before the next query. Returns false if no query may follow. */
  wait(milliseconds: number): Promise<boolean>;
}

/** Creates the common limits of the queries that one call of `resolve` or `resume` sends. */
function createQueryLimits(options: ResolveOptions, queries: SubmissionQueries): QueryLimits {
  checkOptions(options, ["signal", "timeout"]);
  const { signal, timeout = Number.POSITIVE_INFINITY } = queries.limited(options);
  const stops = [signal, queries.closed];
  const deadline = queries.time.elapsed() + timeout;
  const leftMs = (): number => deadline - queries.time.elapsed();
  return {
    ofQuery: () => ({ signal, timeout: Math.min(queries.longestMs, leftMs()) }),
    async wait(milliseconds) {
      if (leftMs() <= milliseconds) return false;
      if (milliseconds > 0)
        await pause(queries.time, milliseconds, stops, () => null).catch(() => undefined);
      return !stops.some((stop) => stop?.aborted);
    },
  };
}
