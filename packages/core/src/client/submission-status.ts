import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum } from "../contract/open-enum.ts";
import { isInstant, isText, schemaOf } from "./own-schema.ts";

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
  readonly submissionId: string;
  /** The id of the provider it was sent to. */
  readonly provider: string;
  /** The name of the endpoint: `createApplication`. */
  readonly endpoint: string;
  readonly state: SubmissionState;
  /** The insurer's identifier of what it created; null if unknown. */
  readonly insurerId: string | null;
  /** When the gateway received it, as RFC 3339 in UTC. */
  readonly receivedAt: string;
  /** When its state last changed, as RFC 3339 in UTC. */
  readonly updatedAt: string;
  /** When the gateway may know more, as RFC 3339 in UTC; null once it has ended, or if a person has to find out. */
  readonly askAgainAt: string | null;
  /**
   * The answer that a call with the same key gets. Null until there is one, and again after 72 hours, when the gateway
   * deletes it. To wait for the result, read `state`.
   */
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

const statusSchema = schemaOf<SubmissionStatus>({
  submissionId: isText,
  provider: isText,
  endpoint: isText,
  state: isText,
  insurerId: (value) => value === null || isText(value),
  receivedAt: isInstant,
  updatedAt: isInstant,
  askAgainAt: (value) => value === null || isInstant(value),
  answer: (value) => value === null || isAnswer(value),
});

/** The gateway's own endpoint for the submission of an idempotency key, which is a header. */
export const findSubmission: Read<{ response: SubmissionStatus }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/submissions",
  response: { 200: statusSchema },
};

/** The gateway's own endpoint for the state of a submission. */
export const readSubmission: Read<{
  params: { submissionId: string };
  response: SubmissionStatus;
}> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/submissions/{submissionId}",
  params: schemaOf<{ submissionId: string }>({
    submissionId: (value) => typeof value === "string" && value !== "",
  }),
  response: { 200: statusSchema },
};

function isAnswer(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "status" in value &&
    typeof value.status === "number" &&
    "body" in value
  );
}
