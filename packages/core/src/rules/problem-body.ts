import type { Problem } from "../errors/problem.ts";
import type { Refusal } from "./refusal.ts";

/** Writes the body of a problem (RFC 9457). */
export function problemOf(
  refusal: Refusal,
  place: {
    readonly requestId: string;
    readonly provider: string | null;
    readonly basePath: string;
  },
): Problem {
  const { status, title, outcome, retry } = refusal.facts;
  const { detail, errors, reconciliation, insurerId } = refusal.details;
  return {
    type: `${place.basePath}/reference/errors/${refusal.code}`,
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
