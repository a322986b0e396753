import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum } from "../contract/open-enum.ts";
import { isInstant, isText, schemaOf } from "./own-schema.ts";

/**
 * The state of a submission: in progress; carried out; certainly not carried out; unknown, and the gateway is finding
 * out; unknown, and a person must find out. A newer gateway may have further states.
 */
export type SubmissionState = OpenEnum<
  "in_flight" | "succeeded" | "failed" | "outcome_unknown" | "needs_review"
>;

/** What the gateway knows of a submission. */
export interface SubmissionStatus {
  readonly submissionId: string;
  /** The id of the provider it was sent to. */
  readonly provider: string;
  /** The name of the endpoint: `createApplication`. */
  readonly endpoint: string;
  readonly state: SubmissionState;
  /** The insurer's identifier of what it created, or null while none is known. */
  readonly insurerId: string | null;
  /** When the gateway got it, as RFC 3339 in UTC. */
  readonly receivedAt: string;
  /** When its state last changed, as RFC 3339 in UTC. */
  readonly updatedAt: string;
  /**
   * The answer that a call with the same key gets. Null while there is none, and again after 72 hours, when the gateway
   * drops it. To wait for the end, read `state`.
   */
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

/** The gateway's own read of a submission, which belongs to no provider. */
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
  response: {
    200: schemaOf<SubmissionStatus>({
      submissionId: isText,
      provider: isText,
      endpoint: isText,
      state: isText,
      insurerId: (value) => value === null || isText(value),
      receivedAt: isInstant,
      updatedAt: isInstant,
      answer: (value) => value === null || isAnswer(value),
    }),
  },
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
