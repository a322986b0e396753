import type { SubmissionStatus } from "../own/submission-status.ts";
import { bodyIn, type StoredAnswer } from "./stored-answer.ts";

/**
 * The state of a submission. It is claimed and `in_flight` in one commit, before its first byte is sent, so there is no
 * state "received". `failed` is written only with proof that the insurer did not accept it.
 */
export type SubmissionState =
  | "in_flight"
  | "succeeded"
  | "failed"
  | "outcome_unknown"
  | "needs_review";

/** The state of a submission now. */
export interface Standing {
  readonly state: SubmissionState;
  /** The running time when the next query is due; null when none is. */
  readonly nextQueryAt: number | null;
}

/** A submission as it is stored, as far as its state is answered from it. */
export interface StoredSubmission extends Standing {
  readonly id: string;
  /** The provider's id. */
  readonly provider: string;
  /** The endpoint's name: `createApplication`. */
  readonly endpoint: string;
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Until this running time its process is believed to be sending it. */
  readonly leaseUntil: number;
}

/** How long to wait before asking again for a submission that is running or cannot be written, in seconds. */
export const SOON_SECONDS = 2;

/**
 * The state that counts. A submission whose lease is over has no process any more, so its outcome is unknown, whether or
 * not that has been written yet.
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

/** Returns the seconds until a little after the gateway's own next query; null if none is planned. */
export function secondsUntil(nextQueryAt: number | null, running: number): number | null {
  return nextQueryAt === null ? null : Math.max(1, Math.ceil((nextQueryAt - running) / 1_000)) + 1;
}

/** The answer of `GET /submissions/{submissionId}`. */
export interface StatusAnswer extends SubmissionStatus {
  readonly state: SubmissionState;
  /** `askAgainAt` in seconds from now, for the header `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/**
 * The state of a submission as its status address shows it.
 * @param now - the instant, and the running time, in milliseconds
 * @param stored - its answer, as long as it is stored
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

/** The address at which a submission's own caller asks for its state. */
export function submissionAddress(basePath: string, id: string): string {
  return `${basePath}/submissions/${id}`;
}
