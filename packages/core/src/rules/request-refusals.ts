import { bodyFormatOf, hasFiles } from "../contract/body.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import type { Method } from "../contract/kinds.ts";
import { pagingOf, requestedPage, withPageParameters } from "../contract/paging.ts";
import { Refusal } from "./refusal.ts";
import { idempotencyKeyOf } from "./submission-headers.ts";

/**
 * Returns the refusal of a request without a token. The header `www-authenticate` has no error code then (RFC 6750,
 * section 3.1).
 */
export function missingToken(): Refusal {
  return new Refusal("UNAUTHENTICATED", {
    detail: "Send Authorization: Bearer <token>.",
    headers: { "www-authenticate": 'Bearer realm="insurance-gateway"' },
  });
}

/** Returns the refusal of a request with an invalid token. Callers get the same text for every reason. */
export function invalidToken(reason: string): Refusal {
  return new Refusal("UNAUTHENTICATED", {
    detail:
      "The token is not valid here: check its issuer, audience, type, signature, key and expiry.",
    reason,
    headers: { "www-authenticate": 'Bearer realm="insurance-gateway", error="invalid_token"' },
  });
}

/** Returns the refusal of a path without a route, or with routes for other methods only. */
export function noRoute(methods: readonly Method[]): Refusal {
  if (methods.length === 0)
    return new Refusal("NOT_FOUND", {
      detail:
        "There is no route at this path; check the provider's segment and the rest of the path.",
    });
  const allow = methods.join(", ");
  return new Refusal("METHOD_NOT_ALLOWED", {
    detail: `This route accepts only ${allow}.`,
    headers: { allow },
  });
}

/** Returns the refusal of a body whose media type is not declared. */
export function unsupported(mediaTypes: readonly string[]): Refusal {
  return new Refusal("UNSUPPORTED_MEDIA_TYPE", {
    detail: `Send Content-Type: ${mediaTypes.join(" or ")}${mediaTypes.every((type) => hasFiles(bodyFormatOf(type))) ? "" : ", in UTF-8"}.`,
  });
}

/** Maximum of faults that one answer lists. A request can have thousands of faults. */
const MOST_FAULTS = 100;

/** Returns the refusal of a request that does not match the contract. */
export function invalidRequest(faults: readonly Fault[]): Refusal {
  return new Refusal("VALIDATION_FAILED", {
    detail: `${faults.length === 1 ? "One fault was" : `${faults.length} faults were`} found; nothing was sent to the insurer.`,
    errors: faults.slice(0, MOST_FAULTS),
  });
}

/** Adds the default position and size of a page to a request, so that an insurer's own defaults never apply. */
export function withPage(endpoint: Endpoint, input: CheckedInput): CheckedInput {
  const paging = pagingOf(endpoint);
  return withPageParameters(paging, input, requestedPage(paging, input));
}

/**
 * Requires that a request to one of the gateway's own endpoints has no query.
 * @throws Refusal if the query has a parameter
 */
export function requireNoQuery(query: URLSearchParams): void {
  if (query.size > 0)
    throw new Refusal("VALIDATION_FAILED", {
      detail: "This endpoint must be called without a query.",
      errors: [{ pointer: "/query", code: "UNKNOWN_FIELD", message: "must not have parameters" }],
    });
}

/** The idempotency key about which a caller asks. */
export interface KeyLookup {
  /** The provider's path segment. */
  readonly segment: string;
  /** The endpoint by its name, `createApplication`, or by its method and path, `POST /applications`. */
  readonly endpoint: string;
  readonly key: string;
}

/**
 * Reads the idempotency key about which a caller asks: `?segment=provider-d&endpoint=createApplication`, and the key
 * in the header `Idempotency-Key`, because access logs contain addresses.
 * @param keys - the values of that header
 * @throws Refusal with every fault
 */
export function readKeyLookup(
  query: URLSearchParams,
  keys: readonly string[] | undefined,
): KeyLookup {
  const faults: Fault[] = [...new Set(query.keys())]
    .filter((name) => name !== "segment" && name !== "endpoint")
    .map(() => ({
      pointer: "/query",
      code: "UNKNOWN_FIELD",
      message: "must have only the parameters segment and endpoint",
    }));
  const textOf = (name: string): string => {
    const [value = "", ...others] = query.getAll(name);
    const pointer = `/query/${name}`;
    if (value === "") faults.push({ pointer, code: "REQUIRED", message: "is required" });
    if (others.length > 0) faults.push({ pointer, code: "REPEATED", message: "must be sent once" });
    return value;
  };
  const segment = textOf("segment");
  const endpoint = textOf("endpoint");
  const key = idempotencyKeyOf(keys)?.key;
  if (key === undefined)
    faults.push({ pointer: "/headers/idempotency-key", code: "REQUIRED", message: "is required" });
  if (key === undefined || faults.length > 0)
    throw new Refusal("VALIDATION_FAILED", {
      detail:
        "To find the submission of a key, send segment and endpoint in the query, and the key in the header Idempotency-Key.",
      errors: faults,
    });
  return { segment, endpoint, key };
}
