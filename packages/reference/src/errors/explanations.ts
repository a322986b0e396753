import type { ProblemCode } from "@insurance-gateway/core/problems";

/** What a page says of a code. */
export interface Explanation {
  /** What happened. */
  readonly meaning: string;
  /** What to do next, one step a line. */
  readonly next: readonly string[];
}

/** Every code, explained for the developer who has just met it. */
export const explanations: Readonly<Record<ProblemCode, Explanation>> = {
  MALFORMED_JSON: {
    meaning:
      "The body is not JSON: it cannot be parsed, is not UTF-8, has the same key twice, or is nested too deeply (32 levels).",
    next: ["Send the body as JSON in UTF-8; let a library write it rather than joining texts."],
  },
  VALIDATION_FAILED: {
    meaning:
      "Fields of the body or parameters break the contract. Every fault is listed at once in `errors`, with the place as a JSON Pointer.",
    next: [
      "Correct what `errors` lists: `pointer` is the place, `message` the rule.",
      "A field that the contract does not have is a fault, too: leave it out.",
    ],
  },
  INVALID_REQUEST: {
    meaning:
      "The request is not well-formed HTTP, or has something that is never accepted: a malformed Idempotency-Key, a header that is there twice.",
    next: ["Correct the request as `detail` says."],
  },
  UNAUTHENTICATED: {
    meaning:
      "There is no valid token. Whatever is wrong with a token (missing, expired, of another issuer, changed) is answered alike.",
    next: [
      "Send `Authorization: Bearer` and a token of your issuer.",
      "Get a new one: tokens expire.",
      "On your own machine, `npm run --silent token` prints one of the development issuer.",
    ],
  },
  FORBIDDEN: {
    meaning: "The token is valid, but its scope does not name this provider and kind of endpoint.",
    next: [
      "Look at `scope` in the header `WWW-Authenticate`: that is what is missing.",
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
    meaning: "The insurer knows no application with this identifier.",
    next: ["Check the identifier; search for the customer's applications to see what there is."],
  },
  SUBMISSION_NOT_FOUND: {
    meaning:
      "The gateway has no submission at this address that is yours. Another caller's is not shown either.",
    next: [
      "Use the address that `Location` or `reconciliation.href` gave.",
      "Ask with the token of the same caller that sent it.",
    ],
  },
  METHOD_NOT_ALLOWED: {
    meaning: "The path is right, the method is not.",
    next: ["Use a method that the header `Allow` lists."],
  },
  NOT_ACCEPTABLE: {
    meaning: "Your `Accept` header excludes what the endpoint answers with.",
    next: ["Accept the media type that `detail` names, or send no `Accept` at all."],
  },
  PAYLOAD_TOO_LARGE: {
    meaning:
      "The body is larger than its endpoint takes: 64 kB (unless configured otherwise), 20 MB with files, or what the endpoint says.",
    next: ["Send less; `detail` names the limit, of one file where that is too large."],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: "The endpoint does not take a body of this media type, or it is not in UTF-8.",
    next: ["Send one of the media types that `detail` names, without a content encoding."],
  },
  HEADERS_TOO_LARGE: {
    meaning: "All headers together are larger than the gateway takes (16 kB).",
    next: ["Send fewer or shorter headers; look for cookies that a proxy adds."],
  },
  SUBMISSION_IN_PROGRESS: {
    meaning:
      "With `unknown`, the same submission is still running: the insurer has not answered yet. You sent it with the same key, or without a key. With `not_sent`, an earlier submission to the same resource is being repeated, and could undo this one.",
    next: [
      "With `not_sent`: wait as `Retry-After` says, then send the same request again.",
      "With a key: wait as `Retry-After` says, then send the same request with the same key. You get the answer of the first.",
      "Without a key: ask at `reconciliation.href`.",
      "Do not make a new key: that would be a second application.",
    ],
  },
  DUPLICATE_APPLICATION: {
    meaning:
      "With `rejected`, the insurer has this application already. With `not_sent`, the gateway refuses it: you sent the same application with another key, and it is still running or its outcome is unknown.",
    next: [
      "With `rejected`: search for the customer's applications.",
      "With `not_sent`: ask at `reconciliation.href` what became of the first one before you decide.",
    ],
  },
  DOCUMENT_NOT_READY: {
    meaning: "The insurer is still making the document.",
    next: ["Ask again after `Retry-After`."],
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning: "The key was sent before, with another endpoint or another body.",
    next: [
      "A new application needs a new key.",
      "To send the first one again, send exactly the body that it had.",
    ],
  },
  PROVIDER_REJECTED: {
    meaning: "The insurer looked at the request and refused it; nothing was created.",
    next: ["Correct what `errors` names, then send it as a new request with a new key."],
  },
  BROKER_LIMIT_EXCEEDED: {
    meaning: "The insurer takes no more from this broker: the limit of the account is used up.",
    next: ["Settle the broker's account with the insurer, then send it as a new request."],
  },
  INVALID_INPUT: {
    meaning: "The insurer cannot use a value of the request, although it has the declared form.",
    next: ["Correct what `detail` and `errors` name, and send it again."],
  },
  RESOURCE_NOT_FOUND: {
    meaning: "The insurer does not have what the request names: a policy, a claim, a document.",
    next: ["Check the identifiers in the path and the query."],
  },
  CONFLICT: {
    meaning: "What the insurer holds does not allow the request now: it was changed or is closed.",
    next: ["Read the insurer's data again; then decide whether the request still makes sense."],
  },
  NOT_ALLOWED: {
    meaning: "The insurer does not allow this for the broker's account.",
    next: ["Ask the operator, or the insurer, for the right; the token is not at fault."],
  },
  TOO_MANY: {
    meaning: "The insurer takes no more requests of this kind for now.",
    next: ["Wait as long as `Retry-After` says, then send it again."],
  },
  RATE_LIMITED: {
    meaning:
      "You have used up what one caller may ask of this provider in a minute, or your connection's quota of requests or submissions for the day; or too many tokens from your address were refused.",
    next: [
      "Wait as `Retry-After` says. A quota resets at the end of the day, and `detail` says when that is.",
      "Read `RateLimit` on every answer and slow down before it reaches zero.",
      "Ask for a submission that you sent before: no limit hides what became of it.",
    ],
  },
  INTERNAL_ERROR: {
    meaning: "The gateway itself failed.",
    next: [
      "Try again later; a submission with the same key, so that it is not carried out twice.",
      "If it stays, give the operator the `requestId`.",
    ],
  },
  PROVIDER_BAD_RESPONSE: {
    meaning:
      "The insurer answered with something other than what was agreed. For a submission the outcome is `executed`: it was carried out, and `insurerId` is what the insurer calls it.",
    next: [
      "With `unknown` and `safe`: the call changes nothing, try again.",
      "With `executed`: do not send it again; find it at the insurer by `insurerId`.",
      "Tell the operator.",
    ],
  },
  PROVIDER_AUTH_FAILED: {
    meaning: "The insurer refused the gateway's own credentials. Your token is not at fault.",
    next: ["Tell the operator: the credentials with this insurer must be mended."],
  },
  PROVIDER_UNREACHABLE: {
    meaning: "No connection to the insurer could be made, or it broke.",
    next: ["Try again later: a submission that may have left is `OUTCOME_UNKNOWN` instead."],
  },
  PROVIDER_UNAVAILABLE: {
    meaning:
      "The insurer is failing or says that it takes no calls now, and the gateway leaves it alone for a while; or it is in maintenance and takes no submissions.",
    next: [
      "Try again after `Retry-After`; the other insurers are not affected.",
      "`GET /providers` lists how every insurer is, and the maintenance that is announced.",
    ],
  },
  OVERLOADED: {
    meaning: "The gateway has more to do than it can, and refuses early instead of answering late.",
    next: ["Try again after `Retry-After`."],
  },
  STORE_UNAVAILABLE: {
    meaning:
      "Submissions cannot be written down now, and none is sent that is not. Other calls go on.",
    next: ["Try again after `Retry-After`, with the same key."],
  },
  AUTHENTICATION_UNAVAILABLE: {
    meaning:
      "The gateway cannot fetch the keys of the issuer that your token names, so it cannot check the token. The token may be valid.",
    next: [
      "Try again after `Retry-After`; a new token of the same issuer does not help.",
      "If it stays, tell the operator which issuer it is.",
    ],
  },
  PROVIDER_TIMEOUT: {
    meaning: "The insurer did not answer in time.",
    next: ["Try again: this call changes nothing at the insurer."],
  },
  OUTCOME_UNKNOWN: {
    meaning:
      "A submission was sent, and no answer came that can be used. The insurer may have created the application, or not.",
    next: [
      "Ask at `reconciliation.href`: the gateway finds out by itself, as far as the insurer lets it.",
      "With a key: or send the same request with the same key. It never reaches the insurer twice: you get the answer once it is known.",
      "Never send it with a new key before that is known.",
    ],
  },
};
