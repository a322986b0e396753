import { hash } from "node:crypto";
import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  answerTypes,
  headersOfPaging,
  kindPolicies,
  pagingOf,
  parameterForms,
  Refusal,
} from "@insurance-gateway/core/runtime";

/** Refuses an insurer's answer whose media type the caller does not accept, although the insurer did the work. */
export function requireAccepted(accept: readonly string[] | null, mediaType: string): void {
  if (accept === null || accept.includes(mediaType)) return;
  throw new Refusal("NOT_ACCEPTABLE", {
    detail: `The insurer answered with ${mediaType}; accept this type, or send no Accept header.`,
    attempt: "answered",
    outcome: "rejected",
  });
}

/**
 * Returns the headers of a successful answer: caching rules by the endpoint's kind, `Vary`, and a digest of the
 * insurer's ETag if that ETag is well-formed (RFC 9110, section 8.8.3).
 */
export type SuccessHeaders = (
  endpoint: Endpoint,
  etag: string | undefined,
) => Readonly<Record<string, string>>;

/**
 * Creates the function that returns one insurer's answer headers; the headers that are constant for an endpoint are
 * created once.
 * @param sandbox - true if a sandbox scenario can select the answer
 */
export function createSuccessHeaders(sandbox: boolean): SuccessHeaders {
  const made = new Map<Endpoint, Readonly<Record<string, string>>>();
  return (endpoint, given) => {
    const headers = made.get(endpoint) ?? endpointHeaders(endpoint, sandbox);
    made.set(endpoint, headers);
    const etag = mayBeCached(endpoint) && given !== undefined ? digestOfEtag(given) : null;
    return etag === null ? headers : { ...headers, etag };
  };
}

function mayBeCached({ kind }: Endpoint): boolean {
  return kind === "lookup" || kind === "document";
}

/** Returns a digest of the insurer's ETag, which could contain a customer's number; null if the ETag is malformed. */
function digestOfEtag(text: string): string | null {
  const [, weak = "", etag] = /^(W\/)?("[\x21\x23-\x7e]{1,128}")$/.exec(text) ?? [];
  return etag === undefined ? null : `${weak}"${hash("sha256", etag, "base64url")}"`;
}

/**
 * Returns the caching headers. `Vary` names the request headers that select the answer, so that a cache does not use
 * the answer for another request (RFC 9110, section 12.5.5).
 */
function endpointHeaders(endpoint: Endpoint, sandbox: boolean): Readonly<Record<string, string>> {
  const caching = { "cache-control": kindPolicies[endpoint.kind].cacheControl };
  if (!mayBeCached(endpoint)) return caching;
  const declared = endpoint.headers === undefined ? {} : parameterForms(endpoint.headers);
  const names = [
    ...(answerTypes(endpoint).length > 1 ? ["accept"] : []),
    // One cache may serve callers of several tenants, so the token must select the answer.
    ...(endpoint.perAccount === true ? ["authorization"] : []),
    ...Object.keys(declared),
    ...(sandbox ? ["x-sandbox-scenario"] : []),
  ];
  return names.length === 0 ? caching : { ...caching, vary: names.join(", ") };
}

/** Maximum length of a cursor: it must fit into the request for the next page. */
const MAX_CURSOR_LENGTH = 2_048;

/**
 * Returns the headers for a list's total and next page; null if either value is unusable: without its header, the list
 * would seem complete.
 */
export function pagingHeaders(
  endpoint: Endpoint,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (endpoint.kind !== "search") return {};
  const headers = headersOfPaging(pagingOf(endpoint)).flatMap((name) => {
    const value = given[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  const isUsable = headers.every(
    ([, value]) => /^[\x21-\x7e]+$/.test(value) && value.length <= MAX_CURSOR_LENGTH,
  );
  return isUsable ? Object.fromEntries(headers) : null;
}
