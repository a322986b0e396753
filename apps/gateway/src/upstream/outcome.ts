import type { Fault } from "@insurance-gateway/core";
import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import { nothingSent, type TransportError } from "@insurance-gateway/core/transport";
import { type ProblemCode, problemCodes } from "../problems/codes.ts";
import { INTERNAL_ERROR_DETAIL, Refusal, type RefusalDetails } from "../problems/refusal.ts";

/** What an insurer said when it did not do what was asked. */
export interface InsurerRefusal {
  readonly status: number;
  /** The code of its problem, when it sent one in the declared contract. */
  readonly code: string | null;
  readonly faults: readonly Fault[];
  /** Whole seconds, when it said how long to wait. */
  readonly retryAfter: string | null;
}

/** How long to wait when an insurer says "later" and not when. */
const RETRY_AFTER_SECONDS = "5";

/** What a request without an answer means: how far it came decides, not what the lower layer calls it. */
export function refusalOfFailure(endpoint: Endpoint, error: TransportError): Refusal {
  if (nothingSent(error.phase))
    return new Refusal("PROVIDER_UNREACHABLE", {
      detail: `No connection to the insurer could be made (${error.phase}); nothing was sent.`,
    });
  if (actsAtInsurer(endpoint)) return outcomeUnknown(endpoint);
  if (error.reason === "timeout")
    return new Refusal("PROVIDER_TIMEOUT", {
      detail: "The insurer did not answer in time; try again.",
    });
  if (error.reason === "too_large" || error.reason === "unreadable")
    return new Refusal("PROVIDER_BAD_RESPONSE", {
      detail: "The insurer's answer is too large or no text.",
    });
  return new Refusal("PROVIDER_UNREACHABLE", {
    detail: "The connection to the insurer broke; the call changes nothing there, so try again.",
    outcome: "unknown",
  });
}

/** What an answer means that is not the declared success. */
export function refusalOfAnswer(endpoint: Endpoint, answer: InsurerRefusal): Refusal {
  if (answer.status === 401 || answer.status === 403)
    return new Refusal("PROVIDER_AUTH_FAILED", {
      detail:
        "The insurer refused the gateway's credentials, not yours; the operator must mend them.",
    });
  const documented = documentedRefusals[answer.code ?? ""];
  if (documented?.statuses.includes(answer.status))
    return new Refusal(documented.as, {
      ...documented.details,
      ...(answer.faults.length > 0 ? { errors: answer.faults } : {}),
      ...(problemCodes[documented.as].retry === "never"
        ? {}
        : { headers: { "retry-after": answer.retryAfter ?? RETRY_AFTER_SECONDS } }),
    });
  return refusalOfBadAnswer(
    endpoint,
    `The insurer answered with status ${answer.status}, which is not declared.`,
  );
}

/** What an answer means that cannot be used. */
export function refusalOfBadAnswer(endpoint: Endpoint, detail: string): Refusal {
  return actsAtInsurer(endpoint)
    ? outcomeUnknown(endpoint)
    : new Refusal("PROVIDER_BAD_RESPONSE", { detail });
}

/** What a fault of the gateway's own means once the request may have left. */
export function refusalOfOwnFault(endpoint: Endpoint, error: unknown): Refusal {
  return actsAtInsurer(endpoint)
    ? outcomeUnknown(endpoint, error)
    : new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL, outcome: "unknown" }, error);
}

function outcomeUnknown(endpoint: Endpoint, cause?: unknown): Refusal {
  const { lookup } = endpoint;
  const way = lookup === undefined ? "Ask the insurer" : `Look it up with ${lookup.endpoint}`;
  const detail = `The request reached the insurer, and no usable answer came back. ${way} before you send it again.`;
  return new Refusal(
    "OUTCOME_UNKNOWN",
    { detail, ...(lookup === undefined ? {} : { lookup }) },
    cause,
  );
}

function actsAtInsurer(endpoint: Endpoint): boolean {
  return kindPolicies[endpoint.kind].actsAtInsurer;
}

interface DocumentedRefusal {
  readonly statuses: readonly number[];
  readonly as: ProblemCode;
  readonly details: RefusalDetails;
}

/** The refusals of the declared contract, by the code of the insurer's problem; the texts are ours, because an insurer's may quote the customer. */
const documentedRefusals: Readonly<Record<string, DocumentedRefusal>> = {
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
    details: { detail: "The insurer is still making the document; ask again later." },
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
