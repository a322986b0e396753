import type { Problem } from "../errors/problem.ts";
import type { Refusal } from "./refusal.ts";

/** The base address of the pages about error codes, `https://gateway.example/reference/errors/`; null without pages. */
export type ErrorPages = string | null;

/** Returns a problem's `type`: the address of the code's page, or `about:blank` (RFC 9457, section 3.1.1). */
export function problemType(pages: ErrorPages, code: string): string {
  return pages === null ? "about:blank" : pages + code;
}

/** Writes the body of a problem (RFC 9457). */
export function problemOf(
  refusal: Refusal,
  place: {
    readonly requestId: string;
    readonly provider: string | null;
    readonly pages: ErrorPages;
  },
): Problem {
  const { status, title, outcome, retry } = refusal.facts;
  const { detail, errors, reconciliation, insurerId } = refusal.details;
  return {
    type: problemType(place.pages, refusal.code),
    title,
    status,
    code: refusal.code,
    detail,
    requestId: place.requestId,
    provider: place.provider,
    outcome,
    retry,
    ...(errors === undefined ? {} : { errors }),
    ...(reconciliation === undefined ? {} : { reconciliation }),
    ...(insurerId === undefined ? {} : { insurerId }),
  };
}
