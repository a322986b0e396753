import type { ProblemCode } from "@insurance-gateway/core/problems";
import type { RefusalDetails } from "../problems/refusal.ts";

/** What a documented refusal of an insurer is for the caller. */
export interface DocumentedRefusal {
  readonly statuses: readonly number[];
  readonly as: ProblemCode;
  readonly details: RefusalDetails;
}

/** The refusals of the declared contract, by the code of the insurer's problem; the texts are ours, because an insurer's may quote the customer. */
export const documentedRefusals: Readonly<Record<string, DocumentedRefusal>> = {
  VALIDATION_FAILED: {
    statuses: [400, 422],
    as: "PROVIDER_REJECTED",
    details: { detail: "The insurer found the request invalid; correct it and send it again." },
  },
  PROVIDER_REJECTED: {
    statuses: [400, 422],
    as: "PROVIDER_REJECTED",
    details: { detail: "The insurer refused the request; correct it and send it again." },
  },
  INVALID_REQUEST: {
    statuses: [400],
    as: "PROVIDER_REJECTED",
    details: { detail: "The insurer did not understand the request." },
  },
  BROKER_LIMIT_EXCEEDED: {
    statuses: [422],
    as: "BROKER_LIMIT_EXCEEDED",
    details: { detail: "Settle the broker's account with the insurer, then send it again." },
  },
  DUPLICATE_APPLICATION: {
    statuses: [409],
    as: "DUPLICATE_APPLICATION",
    details: { detail: "The insurer has this application already; search for it." },
  },
  APPLICATION_NOT_FOUND: {
    statuses: [404],
    as: "APPLICATION_NOT_FOUND",
    details: { detail: "The insurer knows no application with this identifier." },
  },
  DOCUMENT_NOT_READY: {
    statuses: [409],
    as: "DOCUMENT_NOT_READY",
    details: {
      detail: "The insurer is still making the document; ask again later.",
      retry: "safe",
    },
  },
  RATE_LIMITED: {
    statuses: [429],
    as: "PROVIDER_UNAVAILABLE",
    details: {
      detail: "The insurer takes no more calls for now; try again later.",
      outcome: "rejected",
      retry: "safe",
    },
  },
  PROVIDER_UNAVAILABLE: {
    statuses: [503],
    as: "PROVIDER_UNAVAILABLE",
    details: {
      detail: "The insurer says that it is not available; try again later.",
      outcome: "rejected",
      retry: "safe",
    },
  },
};
