import type { ProblemCode } from "@insurance-gateway/core/problems";

/** The texts on the page of a problem code. */
export interface Explanation {
  /** The cause of the problem. */
  readonly meaning: string;
  /** The developer's next steps, one in each text. */
  readonly next: readonly string[];
}

/** The texts of every problem code, for a developer who sees the code for the first time. */
export const explanations: Readonly<Record<ProblemCode, Explanation>> = {
  MALFORMED_JSON: {
    meaning:
      "The body is not JSON: it cannot be parsed, is not UTF-8, has the same key twice, or is nested too deeply (32 levels).",
    next: [
      "Send the body as JSON in UTF-8; let a library write it rather than concatenating strings.",
    ],
  },
  VALIDATION_FAILED: {
    meaning:
      "Fields of the body or parameters do not match the contract. `errors` lists all faults, each with a JSON Pointer.",
    next: [
      "Correct what `errors` lists: `pointer` names the field, `message` the rule.",
      "Leave out fields that the contract does not have: they are faults, too.",
    ],
  },
  INVALID_REQUEST: {
    meaning:
      "The request is not well-formed HTTP, or has something that the gateway never accepts, such as a malformed Idempotency-Key or a repeated header.",
    next: ["Correct the request as `detail` says."],
  },
  UNAUTHENTICATED: {
    meaning:
      "The request has no valid token. The answer is the same for every fault: a missing, expired or changed token, or one of another issuer.",
    next: [
      "Send `Authorization: Bearer` and a token of your issuer.",
      "Get a new one: tokens expire.",
      "On your own machine, `npm run --silent token` prints a token of the development issuer.",
    ],
  },
  FORBIDDEN: {
    meaning: "The token is valid, but its scope does not name this provider and kind of endpoint.",
    next: [
      "Read `scope` in the header `WWW-Authenticate`: it names the missing scope.",
      "Ask your issuer for a token with it.",
    ],
  },
  NOT_FOUND: {
    meaning: "The gateway has no route at this path.",
    next: [
      "Check the provider's segment, which is the first part of the path.",
      "Search for the endpoint in this reference.",
    ],
  },
  APPLICATION_NOT_FOUND: {
    meaning: "The insurer has no application with this identifier.",
    next: ["Check the identifier; search for the customer's applications to see which exist."],
  },
  SUBMISSION_NOT_FOUND: {
    meaning: "You have no submission at this address. You cannot see another caller's submission.",
    next: [
      "Use the address from `Location` or `reconciliation.href`.",
      "Use a token of the caller that sent the submission.",
    ],
  },
  METHOD_NOT_ALLOWED: {
    meaning: "The path exists, but not with this method.",
    next: ["Use a method that the header `Allow` lists."],
  },
  NOT_ACCEPTABLE: {
    meaning: "Your `Accept` header excludes the media type of the endpoint's answer.",
    next: ["Accept the media type that `detail` names, or send no `Accept` at all."],
  },
  PAYLOAD_TOO_LARGE: {
    meaning:
      "The body is larger than the endpoint accepts: 64 kB (unless configured otherwise), 20 MB with files, or the endpoint's own limit.",
    next: [
      "Send less. `detail` names the limit, or the limit for one file if a file is too large.",
    ],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: "The endpoint does not accept a body of this media type, or the body is not in UTF-8.",
    next: ["Send one of the media types that `detail` names, without a content encoding."],
  },
  HEADERS_TOO_LARGE: {
    meaning: "All headers together are larger than the gateway accepts (16 kB).",
    next: ["Send fewer or shorter headers; look for cookies that a proxy adds."],
  },
  SUBMISSION_IN_PROGRESS: {
    meaning:
      "The same submission, with the same key or without a key, is still running: the insurer has not answered yet.",
    next: [
      "With a key: wait as long as `Retry-After` says, then send the same request with the same key. You get the answer to the first.",
      "Without a key: ask at `reconciliation.href`.",
      "Do not use a new key: that would create a second application.",
    ],
  },
  DUPLICATE_APPLICATION: {
    meaning:
      "With `rejected`, the insurer has this application already. With `not_sent`, the gateway refuses it: you sent the same application with another key, and it is still running or its outcome is unknown.",
    next: [
      "With `rejected`: search for the customer's applications.",
      "With `not_sent`: find out at `reconciliation.href` what happened to the first one before you decide.",
    ],
  },
  DOCUMENT_NOT_READY: {
    meaning: "The insurer is still creating the document.",
    next: ["Request it again after `Retry-After`."],
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning:
      "The key was sent before, with another body; or the same content was sent before, to another segment of the provider or through another account.",
    next: [
      "A new application needs a new key.",
      "To repeat the first request, send exactly the same body to the same address.",
    ],
  },
  PROVIDER_REJECTED: {
    meaning: "The insurer read the request and refused it. It created nothing.",
    next: ["Correct what `errors` names, then send it as a new request with a new key."],
  },
  BROKER_LIMIT_EXCEEDED: {
    meaning:
      "The insurer accepts no more applications from this broker: the limit of the account is used up.",
    next: ["Ask the insurer to raise or reset the broker's limit, then send it as a new request."],
  },
  INVALID_INPUT: {
    meaning:
      "The insurer cannot use a value of the request, although the value matches the contract.",
    next: ["Correct what `detail` and `errors` name, and send it again."],
  },
  RESOURCE_NOT_FOUND: {
    meaning: "The insurer does not have what the request names: a policy, a claim, a document.",
    next: ["Check the identifiers in the path and the query."],
  },
  CONFLICT: {
    meaning:
      "The current state of the insurer's data does not allow the request: they were changed, or the case is closed.",
    next: ["Read the insurer's data again; then decide whether the request still makes sense."],
  },
  NOT_ALLOWED: {
    meaning: "The insurer does not allow this for the broker's account.",
    next: ["Ask the operator or the insurer for the permission. Your token is not the problem."],
  },
  TOO_MANY: {
    meaning: "The insurer accepts no more requests of this kind for now.",
    next: ["Wait as long as `Retry-After` says, then send it again."],
  },
  RATE_LIMITED: {
    meaning:
      "You have reached the limit of requests per minute to this provider, or your account's daily quota of requests or submissions; or the gateway has refused too many tokens from your address.",
    next: [
      "Wait as long as `Retry-After` says. A quota resets at the end of the day; `detail` says when that is.",
      "Read `RateLimit` on every answer and slow down before it reaches zero.",
      "You can still query a submission that you sent before: the states of submissions have a limit of their own, 600 requests a minute.",
    ],
  },
  INTERNAL_ERROR: {
    meaning: "The gateway itself failed.",
    next: [
      "Try again later. Send a submission with the same key, which never takes effect twice.",
      "A submission without a key may have been sent before: find that out first, with the search that `reconciliation` names.",
      "If the problem remains, give the operator the `requestId`.",
    ],
  },
  PROVIDER_BAD_RESPONSE: {
    meaning:
      "The insurer's answer does not match the contract. For a submission the outcome is `executed`: the insurer carried it out, and `insurerId` is the insurer's identifier.",
    next: [
      "With `unknown` and `safe`: the call changes nothing, try again.",
      "With `executed`: do not send it again. Find it at the insurer by `insurerId`.",
      "Inform the operator.",
    ],
  },
  PROVIDER_AUTH_FAILED: {
    meaning: "The insurer refused the gateway's own credentials. Your token is not the problem.",
    next: ["Inform the operator, who must correct the credentials for this insurer."],
  },
  PROVIDER_UNREACHABLE: {
    meaning: "The gateway could not connect to the insurer, or the connection broke.",
    next: [
      "Try again later. For a submission that may have been sent, the code is `OUTCOME_UNKNOWN` instead.",
    ],
  },
  PROVIDER_UNAVAILABLE: {
    meaning:
      "The insurer fails or answers that it accepts no calls, and the gateway sends it none for a while; or the insurer is in maintenance and accepts no submissions.",
    next: [
      "Try again after `Retry-After`; the other insurers are not affected.",
      "`GET /providers` lists the state of every insurer and the announced maintenance.",
    ],
  },
  OVERLOADED: {
    meaning:
      "The gateway is overloaded. It refuses some requests at once instead of answering all of them late.",
    next: ["Try again after `Retry-After`."],
  },
  STORE_UNAVAILABLE: {
    meaning:
      "The gateway cannot store submissions now, and it sends none that it has not stored. Other calls still work.",
    next: [
      "Try again after `Retry-After`, with the same key.",
      "A submission without a key may have been sent before: find that out first, with the search that `reconciliation` names.",
    ],
  },
  AUTHENTICATION_UNAVAILABLE: {
    meaning:
      "The gateway cannot fetch the keys of the issuer that your token names, so it cannot check the token. The token may be valid.",
    next: [
      "Try again after `Retry-After`; a new token of the same issuer does not help.",
      "If the problem remains, report to the operator which issuer it is.",
    ],
  },
  PROVIDER_TIMEOUT: {
    meaning: "The insurer did not answer in time.",
    next: ["Try again: this call changes nothing at the insurer."],
  },
  OUTCOME_UNKNOWN: {
    meaning:
      "The gateway sent a submission and received no usable answer. The insurer may have created the application, or not.",
    next: [
      "Ask at `reconciliation.href`: the gateway tries to find out what happened.",
      "With a key, you can also send the same request with the same key, which never takes effect twice. You get the answer once it is known.",
      "Do not send it with a new key before the outcome is known.",
    ],
  },
};
