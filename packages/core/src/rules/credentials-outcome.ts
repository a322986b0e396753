import type { CredentialsFault } from "../auth/credentials.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { FailureRow } from "../contract/failures.ts";
import { actsAtInsurer } from "../contract/kinds.ts";
import { TransportError } from "../transport/transport.ts";
import { type AttemptFacts, outcomeUnknown } from "./outcome-unknown.ts";
import { proxyStatus } from "./proxy-status.ts";
import { Refusal } from "./refusal.ts";

/** An insurer's answer that is not a success. */
export interface RefusingAnswer {
  readonly status: number;
  /** The first row of `failures` that matches the answer; undefined without a match. */
  readonly row: FailureRow | undefined;
}

/** The detail of a problem if the insurer refuses the gateway's credentials. */
export const REFUSED_CREDENTIALS_DETAIL =
  "The insurer refused the gateway's credentials, not yours; the operator must correct them.";

/** Reports whether the insurer, or a proxy before it, refuses the gateway's credentials. */
export function refusesCredentials({ row, status }: RefusingAnswer): boolean {
  if (status === PROXY_AUTHENTICATION_REQUIRED || row === undefined)
    return [401, 403, PROXY_AUTHENTICATION_REQUIRED].includes(status);
  // The insurer's own error code is more exact than the status: the insurer may accept the credentials and refuse a
  // product.
  return row.code === "PROVIDER_AUTH_FAILED";
}

/** The status by which a proxy requests credentials. Only proxies send this status (RFC 9110, section 15.5.8). */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * Returns the facts about credentials that were refused with a status. After a 403 (the insurer knows the
 * credentials) or a proxy's 407, new credentials of the same kind would not help.
 */
export function credentialFacts(
  status: number,
): Pick<AttemptFacts, "attempt" | "credentialsOutdated" | "credentialsRefused"> {
  return {
    attempt: "credentials_refused",
    credentialsRefused: true,
    credentialsOutdated: status !== 403 && status !== PROXY_AUTHENTICATION_REQUIRED,
  };
}

/**
 * Returns the refusal for an answer that refuses the gateway's credentials. Such an answer proves nothing about a
 * submission: a firewall or proxy may have replaced the insurer's answer after the insurer acted. Only the insurer's
 * own error code proves a refusal, and never with a 407: for https, a proxy's 407 answers CONNECT and not the request.
 */
export function credentialsRefused(endpoint: Endpoint, { row, status }: RefusingAnswer): Refusal {
  const headers = proxyStatus({ received: status });
  const observed: AttemptFacts = { headers, ...credentialFacts(status) };
  const detail = REFUSED_CREDENTIALS_DETAIL;
  const isProxy = status === PROXY_AUTHENTICATION_REQUIRED;
  if (actsAtInsurer(endpoint))
    return !isProxy && row?.outcome === "rejected"
      ? new Refusal("PROVIDER_AUTH_FAILED", { ...observed, detail, retry: "safe" })
      : outcomeUnknown(endpoint, observed);
  if (isProxy)
    return new Refusal("PROVIDER_AUTH_FAILED", {
      ...observed,
      detail,
      outcome: "not_sent",
      retry: "safe",
    });
  // After a 403 for this call, the same credentials may still allow other calls, such as a submission.
  return new Refusal("PROVIDER_AUTH_FAILED", {
    ...observed,
    detail,
    credentialsRefused: status !== 403,
  });
}

/** Alerts by which a server refuses a client certificate, or a client without a certificate (RFC 8446, section 6.2). */
const CERTIFICATE_ALERT = /ALERT\w*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

/**
 * Marks a failure that may be a refused client certificate. Under TLS 1.3 the refusal arrives after the handshake,
 * when the request may have been sent: as an alert, or as a connection that ends without an answer.
 */
export function withCertificateDoubt(
  refusal: Refusal,
  error: unknown,
  { tls }: { readonly tls: { readonly certificate?: unknown } },
): Refusal {
  if (!TransportError.isInstance(error) || error.reason !== "failed") return refusal;
  if (error.phase !== "write" && error.phase !== "wait") return refusal;
  const isRefused = CERTIFICATE_ALERT.test(error.detail ?? "");
  if (!isRefused && tls.certificate === undefined) return refusal;
  return new Refusal(
    refusal.code,
    {
      ...refusal.details,
      credentialsRefused: true,
      ...(isRefused ? { attempt: "credentials_refused" } : { credentialsSuspected: true }),
    },
    refusal.cause,
  );
}

/** Returns the refusal of a call that the gateway does not send because the gateway has no usable credentials. */
export function credentialsMissing(fault: CredentialsFault): Refusal {
  const isRefused = fault === "refused";
  return new Refusal(isRefused ? "PROVIDER_AUTH_FAILED" : "PROVIDER_UNREACHABLE", {
    detail: credentialsTexts[fault],
    outcome: "not_sent",
    retry: "safe",
    reason: `credentials_${fault}`,
  });
}

const credentialsTexts: Readonly<Record<CredentialsFault, string>> = {
  refused: `${REFUSED_CREDENTIALS_DETAIL} This request was not sent.`,
  unreachable:
    "The insurer's token server, or its login, cannot be reached; this request was not sent.",
  unusable:
    "The insurer's token server, or its login, returned no usable token; this request was not sent.",
  crowded: "Too many requests wait for the insurer's token server; this request was not sent.",
  cancelled: "The caller disconnected; this request was not sent.",
};

/** Reports whether a call failed because of the account's credentials. A call with another account may succeed. */
export function isOfCredentials({ code, details: { attempt, reason } }: Refusal): boolean {
  return (
    code === "PROVIDER_AUTH_FAILED" ||
    attempt === "credentials_refused" ||
    reason?.startsWith("credentials_") === true
  );
}

/** Returns the refusal of a submission that is not sent, because the insurer refused the same credentials before. */
export function oldCredentialsRefusal(): Refusal {
  return new Refusal("PROVIDER_AUTH_FAILED", {
    detail: `${REFUSED_CREDENTIALS_DETAIL} This request was not sent.`,
    outcome: "not_sent",
    retry: "safe",
    reason: "credentials_refused",
  });
}
