import type { Endpoint } from "../contract/endpoint.ts";
import { sameContentOf } from "../contract/match.ts";
import { reconciliationOf } from "./outcome-unknown.ts";
import { Refusal } from "./refusal.ts";

/** Returns the refusal of an idempotency key that was used for another request. */
export function keyReused(): Refusal {
  return new Refusal("IDEMPOTENCY_KEY_REUSED", {
    detail:
      "This Idempotency-Key was sent before, with another body. This request was not sent: use a new key for a new submission.",
  });
}

/**
 * Returns the refusal of a submission that was sent before to another segment of the provider, or with another
 * account.
 * @param outcome - `not_sent` if this request has a separate key, `unknown` if it repeats the earlier submission
 */
export function otherAccount(outcome: "not_sent" | "unknown"): Refusal {
  return new Refusal("IDEMPOTENCY_KEY_REUSED", {
    detail:
      "You sent this submission before, to another segment of the provider or through another account. This request was not sent: ask there what became of the earlier one.",
    outcome,
  });
}

/** Returns the final answer to a submission that the insurer provably did not accept. */
export function notTaken(proof: string): Refusal {
  return new Refusal("PROVIDER_REJECTED", {
    detail: `The insurer did not accept the submission: ${proof}. You may submit it again, with a new Idempotency-Key if it had one.`,
  });
}

/** Returns the final answer to a submission that the insurer carried out, if the insurer's answer was lost. */
export function carriedOutUnseen(
  proof: string,
  { href, insurerId }: { readonly href: string; readonly insurerId: string | null },
): Refusal {
  return new Refusal("PROVIDER_BAD_RESPONSE", {
    detail: `The insurer acted: ${proof}. Its answer was lost; do not send the submission again.`,
    outcome: "executed",
    retry: "never",
    reconciliation: { href },
    ...(insurerId === null ? {} : { insurerId }),
  });
}

/**
 * Returns the final answer to a submission if the insurer answered with the application of an earlier, equal
 * submission.
 */
export function alreadyCreated(earlierHref: string | null): Refusal {
  return new Refusal("DUPLICATE_APPLICATION", {
    detail:
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ...(earlierHref === null
      ? {}
      : { reconciliation: { href: earlierHref }, headers: { location: earlierHref } }),
  });
}

/** Returns the refusal of a submission that a restored store does not contain. The submission's record may be lost. */
export function notInRestoredStore(): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail:
      "The gateway's store was restored from a backup or has lost files, and this submission is not in it. It was not sent now. Whether it was sent before is not known until the operator has compared the store with the insurers.",
    outcome: "unknown",
    retry: "after_check",
  });
}

/**
 * Converts the refusal of a request if the record of the request's key cannot be read. An earlier request with the key
 * may have been sent, so the outcome is unknown.
 * @param key - the words for the key in the detail
 */
export function keyStateUnknown(refusal: Refusal, key = "this Idempotency-Key"): Refusal {
  const { outcome, retry } = refusal.facts;
  if (outcome !== "not_sent") return refusal;
  return new Refusal(
    refusal.code,
    {
      ...refusal.details,
      detail: `${refusal.details.detail} This request was not sent. The gateway does not know whether an earlier request with ${key} was sent.`,
      outcome: "unknown",
      retry: retry === "safe" ? "same_key" : "never",
    },
    refusal.cause,
  );
}

/** Converts the refusal of a request without a key. The new text says nothing about earlier, equal requests. */
export function contentNotCompared(refusal: Refusal): Refusal {
  const { code, details } = refusal;
  const detail = `${details.detail} This says nothing about earlier requests with the same content.`;
  return new Refusal(code, { ...details, detail }, refusal.cause);
}

/**
 * Converts a refusal of a valid submission without a key, if its content could not be compared with the store. An
 * earlier request with the same content may have been sent.
 */
export function contentStateUnknown(refusal: Refusal, endpoint: Endpoint): Refusal {
  // An equal request would be another submission.
  if (sameContentOf(endpoint) === "none") return contentNotCompared(refusal);
  const { cause, code, details } = refusal;
  const { headers: _, ...rest } = details;
  const search = reconciliationOf(endpoint.reconcile);
  return new Refusal(
    code,
    {
      ...rest,
      detail: `${details.detail} This request was not sent. The gateway does not know whether an earlier request with the same content was sent: find that out at the insurer before you send it again.`,
      outcome: "unknown",
      retry: "after_check",
      ...(search && { reconciliation: search }),
    },
    cause,
  );
}

/** Reports whether a key can be used again: the insurer did not act, and may accept the same submission later. */
export function freesKey({ facts: { outcome, retry } }: Refusal): boolean {
  return outcome === "not_sent" || (outcome === "rejected" && retry === "safe");
}

/** Returns the refusal of a query about a submission that is not stored or belongs to another caller. */
export function noSubmission(): Refusal {
  return new Refusal("SUBMISSION_NOT_FOUND", {
    detail:
      "You have no submission at this address. A submission that was not sent, or ended long ago, is not stored.",
  });
}

/** Returns the refusal of a query about a key whose endpoint the gateway does not serve. */
export function noEndpoint(): Refusal {
  return new Refusal("VALIDATION_FAILED", {
    detail: "The gateway serves no such endpoint, so it cannot find the key.",
    errors: [
      {
        pointer: "/query/endpoint",
        code: "VALUE",
        message: "must be a submission of the segment, such as createApplication",
      },
    ],
  });
}

/** Adds the address of a submission to the submission's refusal if the insurer carried the submission out. */
export function withAddress(refusal: Refusal, href: string): Refusal {
  const { details } = refusal;
  return new Refusal(refusal.code, { ...details, reconciliation: { href } }, refusal.cause);
}
