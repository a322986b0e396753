import type { Endpoint } from "@insurance-gateway/core/contract";
import type { LimitHeaders } from "../callers/caller-limits.ts";
import { prefersGzip } from "../http/compression.ts";
import { hasCurrentAnswer } from "../http/entity-tags.ts";
import type { RequestHead } from "../http/exchange.ts";
import type { Answer } from "../http/send-answer.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { OwnRouteAnswer } from "./own-routes.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Creates the caller's answer from the insurer's answer: status 304 if the caller already has the current lookup
 * answer; compressed if the caller prefers gzip and a compressed form exists.
 */
export function createInsurersAnswer(
  { bytes, compressed, content, contentLength, headers, status }: UpstreamAnswer,
  { kind }: Endpoint,
  head: RequestHead,
): Answer {
  if (kind === "lookup" && hasCurrentAnswer(head.headers["if-none-match"], headers.etag))
    return { status: 304, headers, content: null };
  if (compressed !== undefined && prefersGzip(head.headers))
    return { status, headers: { ...headers, "content-encoding": "gzip" }, content: compressed };
  return { status, headers, content: bytes ?? content, contentLength };
}

/** Creates the answer of one of the gateway's own routes. */
export function createOwnAnswer(
  { body, headers: own }: OwnRouteAnswer,
  limits: LimitHeaders,
): Answer {
  const headers = { "cache-control": "no-store", "content-type": JSON_TYPE };
  return { status: 200, headers: { ...limits, ...headers, ...own }, content: JSON.stringify(body) };
}

/** Joins the headers of two rate limits; each header is a list (RFC 9651). */
export function joinLimitHeaders(one: LimitHeaders, other: LimitHeaders): LimitHeaders {
  const added = Object.entries(other);
  if (added.length === 0) return one;
  const all: Record<string, string> = { ...one };
  for (const [name, value] of added)
    all[name] = one[name] === undefined ? value : `${one[name]}, ${value}`;
  return all;
}
