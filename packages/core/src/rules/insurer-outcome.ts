import type { Endpoint } from "../contract/endpoint.ts";
import type { FailureCode, FailureRow } from "../contract/failures.ts";
import type { Fault } from "../contract/faults.ts";
import { actsAtInsurer } from "../contract/kinds.ts";
import { isOwnShortage, type TransportError } from "../transport/transport.ts";
import {
  credentialFacts,
  credentialsRefused,
  REFUSED_CREDENTIALS_DETAIL,
  type RefusingAnswer,
  refusesCredentials,
} from "./credentials-outcome.ts";
import { type AttemptFacts, outcomeUnknown } from "./outcome-unknown.ts";
import { proxyErrorOf, proxyStatus } from "./proxy-status.ts";
import { type AnswerConnections, INTERNAL_ERROR_DETAIL, Refusal } from "./refusal.ts";
import { attemptResults, ownShortage } from "./request-failure.ts";
import { retryAfterIn, retryAfterOf } from "./retry-after-header.ts";

/** An insurer's answer that is not a success. */
export interface InsurerRefusal extends RefusingAnswer {
  readonly faults: readonly Fault[];
  /** Seconds to wait, as the insurer requested; null if the insurer named no time. */
  readonly retryAfterSeconds: number | null;
  /** True if something other than the insurer answered, such as a proxy with an HTML page. */
  readonly isForeign: boolean;
  readonly stage: RequestStage;
}

/**
 * The request of a submission to which an answer belongs. `before`: a request before the acting request, so that
 * nothing was done. `acting`: the request on which the insurer acts. `after`: a later request, which proves nothing
 * about the acting request unless a row of `failures` says so.
 */
export type RequestStage = "before" | "acting" | "after";

/**
 * The status of an insurer that did not receive a request in time. The request may be sent again on another connection
 * (RFC 9110, section 15.5.9).
 */
const REQUEST_TIMEOUT = 408;

/** Returns the refusal for an answer that is not the declared success. */
export function refusalOfAnswer(endpoint: Endpoint, refusal: InsurerRefusal): Refusal {
  const { isForeign, row, stage, status } = refusal;
  if (stage === "before") return refusalOfPreparation(refusal);
  const isOfCredentials = refusesCredentials(refusal);
  // Refused credentials of a later request prove nothing about the request on which the insurer acted.
  if (stage === "after" && (row?.afterActing !== true || isOfCredentials))
    return outcomeUnknown(endpoint, {
      headers: proxyStatus({ received: status }),
      attempt: "unusable",
      ...(isOfCredentials ? credentialFacts(status) : {}),
    });
  if (isOfCredentials) return credentialsRefused(endpoint, refusal);
  if (row !== undefined && !(row.outcome === "unknown" && actsAtInsurer(endpoint)))
    return refusalOfRow(row, refusal);
  // Only the statuses 429 and 503 promise success later (RFC 9110, section 15.6.4; RFC 6585, section 4).
  const canRetryLater = status === 429 || status === 503;
  return refusalOfBadAnswer(endpoint, {
    detail: uninterpretedDetail(status),
    received: status,
    insurerId: null,
    isForeign,
    retryAfterSeconds: canRetryLater ? refusal.retryAfterSeconds : null,
  });
}

/** Returns the detail for an answer that no row of `failures` interprets, even with a success status. */
function uninterpretedDetail(status: number): string {
  return status < 300
    ? `The insurer answered with status ${status} and marked its answer as an error, which no row of \`failures\` interprets.`
    : `The insurer answered with status ${status}, which is not declared.`;
}

/** Returns the refusal that a row of `failures` proves. */
function refusalOfRow(
  row: FailureRow,
  { faults, retryAfterSeconds, status }: InsurerRefusal,
): Refusal {
  const canRetryLater = laterCodes.includes(row.code);
  return new Refusal(row.code, {
    detail: row.text ?? failureTexts[row.code],
    outcome: row.outcome,
    retry: canRetryLater ? "safe" : "never",
    // SOAP 1.1 has the status 500 for every refusal (section 6.2), so a refusal that a row proves is a normal answer.
    attempt: status >= 500 && !isProvedAnswer(row) ? "failed" : "answered",
    retryAfterSeconds: status === 429 || status === 503 ? retryAfterSeconds : null,
    ...(faults.length > 0 ? { errors: faults } : {}),
    headers: {
      ...proxyStatus({ received: status }),
      ...(canRetryLater ? { "retry-after": retryAfterOf(retryAfterSeconds) } : {}),
    },
  });
}

function isProvedAnswer({ code, outcome }: FailureRow): boolean {
  return outcome === "rejected" && code !== "PROVIDER_UNAVAILABLE";
}

/** The codes after which the same request may succeed later. */
const laterCodes: readonly FailureCode[] = [
  "DOCUMENT_NOT_READY",
  "PROVIDER_UNAVAILABLE",
  "TOO_MANY",
];

/** The details for callers, if a row of `failures` has no text. */
const failureTexts: Readonly<Record<FailureCode, string>> = {
  PROVIDER_REJECTED: "The insurer refused the request; correct it and send it again.",
  BROKER_LIMIT_EXCEEDED:
    "Settle the broker's account with the insurer, then send the request again.",
  DUPLICATE_APPLICATION: "The insurer has this application already; search for it.",
  APPLICATION_NOT_FOUND: "The insurer knows no application with this identifier.",
  DOCUMENT_NOT_READY: "The insurer is still creating the document; try again later.",
  PROVIDER_UNAVAILABLE: "The insurer reports that it is not available; try again later.",
  PROVIDER_AUTH_FAILED: "The insurer refused the gateway's credentials, not yours.",
  INVALID_INPUT: "The insurer cannot use a value of the request; correct it and send it again.",
  RESOURCE_NOT_FOUND: "The insurer does not have the requested item; check the identifiers.",
  CONFLICT: "The insurer's data do not allow this now; read them again before you send it again.",
  NOT_ALLOWED: "The insurer does not allow this for the broker's account.",
  TOO_MANY: "The insurer accepts no more such requests for now; try again later.",
};

/** Returns the refusal for a document that the insurer has not created yet. */
export function documentNotReady({
  headers,
  status,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}): Refusal {
  return new Refusal("DOCUMENT_NOT_READY", {
    detail: failureTexts.DOCUMENT_NOT_READY,
    attempt: "answered",
    headers: {
      ...proxyStatus({ received: status }),
      "retry-after": retryAfterOf(retryAfterIn(headers["retry-after"] ?? "")),
    },
  });
}

/** Returns the refusal for a value that the insurer's dialect cannot represent. The gateway sends nothing. */
export function refusalOfUnsendable(errors: readonly Fault[]): Refusal {
  return new Refusal("INVALID_INPUT", {
    detail: failureTexts.INVALID_INPUT,
    outcome: "not_sent",
    retry: "never",
    errors,
  });
}

const FAILED_BEFORE_ACTING = "A request before the submission failed; nothing was submitted.";

/** Returns the refusal for a submission that failed before the acting request was sent. */
export function refusalBeforeActing(error: TransportError | null, cause?: unknown): Refusal {
  if (error === null)
    return new Refusal(
      "INTERNAL_ERROR",
      { detail: INTERNAL_ERROR_DETAIL, outcome: "not_sent" },
      cause,
    );
  if (isOwnShortage(error)) return ownShortage();
  const proxyError = proxyErrorOf(error);
  return new Refusal("PROVIDER_UNREACHABLE", {
    detail: FAILED_BEFORE_ACTING,
    outcome: "not_sent",
    retry: "safe",
    attempt: attemptResults[error.reason],
    headers: proxyStatus({ error: proxyError }),
    ...(proxyError === null ? {} : { reason: proxyError }),
  });
}

/** Returns the refusal for an insurer's answer to a request before the acting request. */
function refusalOfPreparation(refusal: InsurerRefusal): Refusal {
  const { isForeign, row, status } = refusal;
  const headers = proxyStatus({ received: status });
  if (refusesCredentials(refusal))
    return new Refusal("PROVIDER_AUTH_FAILED", {
      detail: REFUSED_CREDENTIALS_DETAIL,
      outcome: "not_sent",
      retry: "safe",
      ...credentialFacts(status),
      headers,
    });
  if (row?.outcome === "rejected")
    return new Refusal(row.code, {
      detail: row.text ?? failureTexts[row.code],
      attempt: "answered",
      headers,
    });
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail: FAILED_BEFORE_ACTING,
    outcome: "not_sent",
    retry: "safe",
    attempt: status >= 500 || isForeign ? "failed" : "unusable",
    headers: { ...headers, "retry-after": retryAfterOf(null) },
  });
}

/** Returns the refusal for an answer that belongs to another request, and so proves nothing about this submission. */
export function refusalOfForeignAnswer(
  endpoint: Endpoint,
  received: number,
  mismatched: readonly string[],
): Refusal {
  return outcomeUnknown(endpoint, {
    headers: proxyStatus({ received }),
    attempt: "unusable",
    reason: "foreign_answer",
    mismatched,
  });
}

/** Returns the refusal for a list that may belong to another search. The call changes nothing at the insurer. */
export function refusalOfForeignList(received: number, mismatched: readonly string[]): Refusal {
  return new Refusal("PROVIDER_BAD_RESPONSE", {
    detail: "The insurer's list belongs to another search; try again.",
    headers: proxyStatus({ received }),
    attempt: "unusable",
    reason: "foreign_answer",
    mismatched,
  });
}

/** The known facts about an unusable answer of the insurer. */
export interface BadAnswer {
  readonly detail: string;
  /** The status of the answer. */
  readonly received: number;
  /** The insurer's identifier, if a success names the application that it created. */
  readonly insurerId: string | null;
  /** The creation time of the named application, as the insurer wrote the time. */
  readonly createdAt?: unknown;
  readonly retryAfterSeconds?: number | null;
  readonly answerConnections?: AnswerConnections;
  /** True if something other than the insurer answered, such as a proxy with an HTML page. */
  readonly isForeign?: boolean;
}

/** Returns the refusal for an unusable answer. A success that names the application proves that the insurer acted. */
export function refusalOfBadAnswer(endpoint: Endpoint, answer: BadAnswer): Refusal {
  const { detail, received, insurerId } = answer;
  const { retryAfterSeconds = null } = answer;
  const observed: AttemptFacts = {
    headers: {
      ...proxyStatus({ received }),
      ...(retryAfterSeconds === null ? {} : { "retry-after": retryAfterOf(retryAfterSeconds) }),
    },
    attempt:
      received >= 500 || received === REQUEST_TIMEOUT || answer.isForeign === true
        ? "failed"
        : "unusable",
    retryAfterSeconds,
  };
  if (!actsAtInsurer(endpoint))
    return new Refusal("PROVIDER_BAD_RESPONSE", { ...observed, detail });
  if (insurerId === null) return outcomeUnknown(endpoint, observed);
  return new Refusal("PROVIDER_BAD_RESPONSE", {
    detail: `${detail} The insurer acted: find the application with this \`insurerId\`, and do not send the request again.`,
    outcome: "executed",
    retry: "never",
    insurerId,
    createdAt: answer.createdAt,
    ...observed,
    ...(answer.answerConnections === undefined
      ? {}
      : { answerConnections: answer.answerConnections }),
  });
}
