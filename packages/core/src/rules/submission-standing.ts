import type { SubmissionStatus } from "../own/submission-status.ts";
import { bodyIn, type StoredAnswer } from "./stored-answer.ts";

/**
 * The state of a submission. One commit stores the submission as `in_flight` before the first byte is sent, so there is
 * no state "received". `failed` is written only with proof that the insurer did not accept the submission.
 */
export type SubmissionState =
  | "in_flight"
  | "succeeded"
  | "failed"
  | "outcome_unknown"
  | "needs_review";

/** The state of a submission at one time. */
export interface Standing {
  readonly state: SubmissionState;
  /** The running time of the next query; null without a next query. */
  readonly nextQueryAt: number | null;
}

/** The fields of a stored submission that determine the answer about its state. */
export interface StoredSubmission extends Standing {
  readonly id: string;
  /** The provider's id. */
  readonly provider: string;
  /** The endpoint's name: `createApplication`. */
  readonly endpoint: string;
  /** The insurer's identifier, if it is known. */
  readonly insurerId: string | null;
  /** The time when the gateway received the submission, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The time of the last change of the submission's state, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Until this running time, a process is assumed to be sending the submission. */
  readonly leaseUntil: number;
}

/** Seconds before the caller's next request if the submission is in progress or the store is unavailable. */
export const SOON_SECONDS = 2;

/**
 * Returns the actual state. After `leaseUntil`, the process that sent the submission counts as ended. The outcome is
 * then unknown, even if the stored state is still `in_flight`.
 * @param running - the running time now, in milliseconds
 */
export function standingOf(
  record: Pick<StoredSubmission, "leaseUntil" | "nextQueryAt" | "state">,
  running: number,
): Standing {
  const { leaseUntil, nextQueryAt, state } = record;
  return state === "in_flight" && leaseUntil <= running
    ? { state: "outcome_unknown", nextQueryAt: running }
    : { state, nextQueryAt };
}

/** Returns the seconds until shortly after the gateway's next query; null if no query is planned. */
export function secondsUntil(nextQueryAt: number | null, running: number): number | null {
  return nextQueryAt === null ? null : Math.max(1, Math.ceil((nextQueryAt - running) / 1_000)) + 1;
}

/** The answer of `GET /submissions/{submissionId}`. */
export interface StatusAnswer extends SubmissionStatus {
  readonly state: SubmissionState;
  /** The time from now to `askAgainAt` in seconds, for the header `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Returns the answer of `GET /submissions/{submissionId}` about a submission.
 * @param now - the instant, and the running time, in milliseconds
 * @param stored - the submission's answer, while it is stored
 */
export function statusOf(
  record: StoredSubmission,
  now: { readonly at: number; readonly running: number },
  stored: StoredAnswer | null,
): StatusAnswer {
  const standing = standingOf(record, now.running);
  const retryAfterSeconds = askAgainAfter(standing, now.running);
  return {
    submissionId: record.id,
    provider: record.provider,
    endpoint: record.endpoint,
    state: standing.state,
    insurerId: record.insurerId,
    receivedAt: new Date(record.receivedAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    askAgainAt:
      retryAfterSeconds === null
        ? null
        : new Date(now.at + retryAfterSeconds * 1_000).toISOString(),
    retryAfterSeconds,
    answer: stored && { status: stored.status, body: bodyIn(stored) },
  };
}

function askAgainAfter({ nextQueryAt, state }: Standing, running: number): number | null {
  if (state === "in_flight") return SOON_SECONDS;
  return state === "outcome_unknown" ? secondsUntil(nextQueryAt, running) : null;
}

/** Returns the address at which a caller can read the state of a submission. */
export function submissionAddress(basePath: string, id: string): string {
  return `${basePath}/submissions/${id}`;
}
