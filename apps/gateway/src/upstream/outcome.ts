import type { Fault, ProblemReconciliation } from "@insurance-gateway/core";
import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import { nothingSent, type TransportError } from "@insurance-gateway/core/transport";
import type { AttemptResult } from "../observation/observation.ts";
import { INTERNAL_ERROR_DETAIL, Refusal, type RefusalDetails } from "../problems/refusal.ts";
import { documentedRefusals } from "./documented-refusals.ts";
import { proxyErrorOf, proxyStatus } from "./proxy-status.ts";

/** What an insurer said when it did not do what was asked. */
export interface InsurerRefusal {
  readonly status: number;
  /** The code of its problem, when it sent one in the declared contract. */
  readonly code: string | null;
  readonly faults: readonly Fault[];
  /** When it said how long to wait. */
  readonly retryAfterSeconds: number | null;
}

/**
 * The insurer waited for a request on the connection and did not get it: the request may be made again on another
 * connection (RFC 9110, section 15.5.9).
 */
const REQUEST_TIMEOUT = 408;

/** How long to wait when an insurer says "later" and not when. */
const RETRY_AFTER_SECONDS = 5;

/** What a request without an answer means: how far it came decides, not what the lower layer calls it. */
export function refusalOfFailure(endpoint: Endpoint, error: TransportError): Refusal {
  const broken = proxyErrorOf(error);
  const observed: Observed = {
    headers: proxyStatus({ error: broken }),
    attempt: attemptResults[error.reason],
    ...(broken === null ? {} : { reason: broken }),
  };
  if (nothingSent(error.phase)) return notConnected(endpoint, error, observed);
  if (actsAtInsurer(endpoint)) return outcomeUnknown(endpoint, observed);
  if (error.reason === "timeout")
    return new Refusal("PROVIDER_TIMEOUT", {
      detail: "The insurer did not answer in time; try again.",
      ...observed,
    });
  if (error.reason === "too_large" || error.reason === "unreadable")
    return new Refusal("PROVIDER_BAD_RESPONSE", {
      detail: "The insurer's answer is too large or no text.",
      ...observed,
    });
  return new Refusal("PROVIDER_UNREACHABLE", {
    detail: "The connection to the insurer broke; the call changes nothing there, so try again.",
    outcome: "unknown",
    ...observed,
  });
}

/** What of a refusal is known from the attempt alone. */
type Observed = Pick<
  RefusalDetails,
  | "attempt"
  | "credentialsRefused"
  | "distrust"
  | "headers"
  | "mismatched"
  | "reason"
  | "retryAfterSeconds"
>;

/** What an exchange without a usable answer says about the insurer. */
export const attemptResults: Readonly<Record<TransportError["reason"], AttemptResult>> = {
  failed: "failed",
  timeout: "failed",
  cancelled: "cancelled",
  // It did answer.
  too_large: "unusable",
  unreadable: "unusable",
};

/** A submission's 504 always means that the insurer may have acted; of this it is certain that it has not. */
function notConnected(endpoint: Endpoint, error: TransportError, observed: Observed): Refusal {
  const detail = `No connection to the insurer could be made (${error.phase}); nothing was sent.`;
  const late = proxyErrorOf(error)?.endsWith("timeout") === true && !actsAtInsurer(endpoint);
  return late
    ? new Refusal("PROVIDER_TIMEOUT", { ...observed, detail, outcome: "not_sent" })
    : new Refusal("PROVIDER_UNREACHABLE", { ...observed, detail });
}

/** What an answer means that is not the declared success. */
export function refusalOfAnswer(endpoint: Endpoint, answer: InsurerRefusal): Refusal {
  const headers = proxyStatus({ received: answer.status });
  // Only these mean "later" (RFC 9110, section 15.6.4; RFC 6585, section 4): any other answer would be the same again.
  const isLater = answer.status === 429 || answer.status === 503;
  const retryAfterSeconds = isLater ? answer.retryAfterSeconds : null;
  const attempt = answer.status >= 500 ? "failed" : "answered";
  if ([401, 403, 407].includes(answer.status)) return credentialsRefused(endpoint, answer, headers);
  // An insurer's code may be the name of something that every object has.
  const documented = Object.hasOwn(documentedRefusals, answer.code ?? "")
    ? documentedRefusals[answer.code ?? ""]
    : undefined;
  if (documented?.statuses.includes(answer.status))
    return new Refusal(documented.as, {
      ...documented.details,
      attempt,
      retryAfterSeconds,
      ...(answer.faults.length > 0 ? { errors: answer.faults } : {}),
      headers: {
        ...headers,
        ...(documented.details.retry === "safe"
          ? { "retry-after": retryAfterOf(answer.retryAfterSeconds) }
          : {}),
      },
    });
  return refusalOfBadAnswer(endpoint, {
    detail: `The insurer answered with status ${answer.status}, which is not declared.`,
    received: answer.status,
    insurerId: null,
    retryAfterSeconds,
  });
}

const CREDENTIALS_DETAIL =
  "The insurer refused the gateway's credentials, not yours; the operator must correct them.";

/** The insurer's own way of saying that it refuses the gateway's credentials, by status. */
const credentialCodes: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
};

/**
 * What a 401, 403 or 407 means. Before a submission's content is looked at, a proxy refuses with a 407 (RFC 9110, section
 * 15.5.8). A 401 or 403 may come from a firewall that blocks the answer after the insurer acted, so that only the
 * insurer's own code proves that it did not.
 */
function credentialsRefused(
  endpoint: Endpoint,
  { code, status }: InsurerRefusal,
  headers: Readonly<Record<string, string>>,
): Refusal {
  const observed: Observed = { headers, attempt: "unusable", credentialsRefused: true };
  const detail = CREDENTIALS_DETAIL;
  if (status === 407)
    return new Refusal("PROVIDER_AUTH_FAILED", {
      ...observed,
      detail,
      outcome: "not_sent",
      retry: "safe",
    });
  if (!actsAtInsurer(endpoint)) {
    // A credential that may not read one thing may be allowed to submit another.
    const isForAll = status === 401;
    return new Refusal("PROVIDER_AUTH_FAILED", {
      ...observed,
      detail,
      credentialsRefused: isForAll,
    });
  }
  return code === credentialCodes[status]
    ? new Refusal("PROVIDER_AUTH_FAILED", { ...observed, detail, retry: "safe" })
    : outcomeUnknown(endpoint, observed);
}

/** A submission that is not sent, because the insurer refused the gateway's credentials before. */
export function credentialsAwaited(): Refusal {
  return new Refusal("PROVIDER_AUTH_FAILED", {
    detail: `${CREDENTIALS_DETAIL} This request was not sent.`,
    outcome: "not_sent",
    retry: "safe",
    reason: "credentials_refused",
  });
}

/** An answer to a submission that answers another request: it proves nothing about this one. */
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

/** No caller is sent away for longer, whatever an insurer says. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

function retryAfterOf(asked: number | null): string {
  return String(Math.min(asked ?? RETRY_AFTER_SECONDS, LONGEST_RETRY_AFTER_SECONDS));
}

/** What is known of an answer that cannot be used. */
export interface BadAnswer {
  readonly detail: string;
  /** The status it came with. */
  readonly received: number;
  /** The insurer's own identifier, where a success names what it carried out. */
  readonly insurerId: string | null;
  readonly retryAfterSeconds?: number | null;
  /** Closes the connection that it came on. */
  readonly distrust?: () => void;
  /** Whether it is not even of the media type that was asked for: something else answers in the insurer's place. */
  readonly isForeign?: boolean;
}

/** What an answer means that cannot be used: a success that names what was carried out proves that it was. */
export function refusalOfBadAnswer(endpoint: Endpoint, answer: BadAnswer): Refusal {
  const { detail, received, insurerId } = answer;
  const { retryAfterSeconds = null } = answer;
  const observed: Observed = {
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
    detail: `${detail} It did act: look for what \`insurerId\` names, and do not send it again.`,
    outcome: "executed",
    retry: "never",
    insurerId,
    ...observed,
    ...(answer.distrust === undefined ? {} : { distrust: answer.distrust }),
  });
}

/** What a fault of the gateway's own means once the request may have left. */
export function refusalOfOwnFault(endpoint: Endpoint, error: unknown): Refusal {
  return actsAtInsurer(endpoint)
    ? outcomeUnknown(endpoint, {}, error)
    : new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL, outcome: "unknown" }, error);
}

/** A submission that may have been carried out; `submissions/answers.ts` adds what to do. */
export function outcomeUnknown(
  endpoint: Endpoint,
  observed: Observed = {},
  cause?: unknown,
): Refusal {
  const detail = "The insurer may have received the request, and no usable answer came back.";
  const lookup = reconciliationOf(endpoint.reconcile);
  return new Refusal(
    "OUTCOME_UNKNOWN",
    { ...observed, detail, ...(lookup && { reconciliation: lookup }) },
    cause,
  );
}

/** The lookup as a problem names it: without what is the gateway's own use of it. */
export function reconciliationOf(lookup: Endpoint["reconcile"]): ProblemReconciliation | undefined {
  return lookup && { endpoint: lookup.endpoint, parameters: lookup.parameters };
}

function actsAtInsurer(endpoint: Endpoint): boolean {
  return kindPolicies[endpoint.kind].actsAtInsurer;
}
