import * as z from "zod/mini";
import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum, Schema } from "../contract/schema.ts";
import { openEnum } from "../schema/formats.ts";
import { loose, strict, zod } from "../schema/object.ts";
import { anything } from "../schema/scalars.ts";
import { utcInstant } from "./utc-instant.ts";

/**
 * The state of a submission. `in_flight`: in progress. `succeeded`: carried out. `failed`: certainly not carried out.
 * `outcome_unknown`: the gateway is finding out. `needs_review`: a person must find out. A newer gateway may have
 * further states.
 */
export type SubmissionState = OpenEnum<
  "in_flight" | "succeeded" | "failed" | "outcome_unknown" | "needs_review"
>;

/** The gateway's record of a submission. */
export interface SubmissionStatus {
  /** The gateway's id of the submission: the last segment of its answer's `Location`. */
  readonly submissionId: string;
  /** The id of the submission's provider. */
  readonly provider: string;
  /** The name of the endpoint: `createApplication`. */
  readonly endpoint: string;
  /**
   * `in_flight`: in progress. `succeeded`: carried out. `failed`: certainly not carried out. `outcome_unknown`: the
   * gateway is finding out. `needs_review`: a person must find out.
   */
  readonly state: SubmissionState;
  /** The insurer's identifier of the created item; null if unknown. */
  readonly insurerId: string | null;
  /** The time when the gateway received the submission, as RFC 3339 in UTC. */
  readonly receivedAt: string;
  /** The time of the last change of the state, as RFC 3339 in UTC. */
  readonly updatedAt: string;
  /** The time of the gateway's next query, as RFC 3339 in UTC; null after the end, or if a person must find out. */
  readonly askAgainAt: string | null;
  /**
   * The answer that a call with the same key receives. Null until there is an answer, and again after 72 hours, when
   * the gateway deletes it. To wait for the result, read `state`.
   */
  readonly answer: SubmissionAnswer | null;
}

/** The stored answer of a submission. */
export interface SubmissionAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The insurer's answer, or a problem; null if it has no body. */
  readonly body: unknown;
}

const submissionAnswer: Schema<SubmissionAnswer> = loose<SubmissionAnswer>({
  status: z.number(),
  body: anything(),
});

const submissionStatus: Schema<SubmissionStatus> = loose<SubmissionStatus>({
  submissionId: z.string(),
  provider: z.string(),
  endpoint: z.string(),
  state: openEnum("in_flight", "succeeded", "failed", "outcome_unknown", "needs_review"),
  insurerId: z.nullable(z.string()),
  receivedAt: utcInstant,
  updatedAt: utcInstant,
  askAgainAt: z.nullable(utcInstant),
  answer: z.nullable(zod(submissionAnswer)),
});

/** The path parameters of a submission's state. */
export interface SubmissionParams {
  /** The id in `Location`, or in `reconciliation.href` of a problem. */
  readonly submissionId: string;
}

const submissionParams: Schema<SubmissionParams> = strict<SubmissionParams>({
  submissionId: z.string(),
});

/** The query parameters that find a submission by its key. */
export interface KeyQuery {
  /** The provider's path segment on this gateway. */
  readonly segment: string;
  /** The called endpoint: its name, `createApplication`, or its method and path, `POST /applications`. */
  readonly endpoint: string;
}

const keyQuery: Schema<KeyQuery> = strict<KeyQuery>({
  segment: z.string(),
  endpoint: z.string(),
});

/** The headers that find a submission by its key. The key is a header, because access logs contain addresses. */
export interface KeyHeaders {
  /** The idempotency key of the submission, as it was sent. */
  readonly "idempotency-key": string;
}

const keyHeaders: Schema<KeyHeaders> = strict<KeyHeaders>({ "idempotency-key": z.string() });

/**
 * Reads the state of a submission. Only the caller that sent the submission can read it. The gateway calls no
 * insurer, but its next query to the insurer may be earlier because of this request. `Retry-After` is the time until
 * the next query.
 */
export const readSubmission: Read<{ params: SubmissionParams; response: SubmissionStatus }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/submissions/{submissionId}",
  params: submissionParams,
  response: { 200: submissionStatus },
};

/**
 * Finds a submission by its key, if the call received no answer and the id is unknown. 404 `SUBMISSION_NOT_FOUND`
 * means that nothing was sent with this key: submit with the same key, never with a new key.
 */
export const findSubmission: Read<{
  query: KeyQuery;
  headers: KeyHeaders;
  response: SubmissionStatus;
}> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/submissions",
  query: keyQuery,
  headers: keyHeaders,
  response: { 200: submissionStatus },
};
