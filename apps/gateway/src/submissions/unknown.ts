import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import { outcomeUnknown } from "../upstream/outcome.ts";

/** How long to wait before asking again about a submission that is running or being written, in seconds. */
export const SOON: Readonly<Record<string, string>> = { "retry-after": "2" };

/** The same refusal, with the submission's address and when to ask again. */
export function withAddress(
  refusal: Refusal,
  href: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const { details } = refusal;
  return new Refusal(
    refusal.code,
    {
      ...details,
      reconciliation: { href, ...details.reconciliation },
      headers: { ...details.headers, ...headers },
    },
    refusal.cause,
  );
}

/** When it is worth asking again: a little after the gateway's own next lookup. Nothing where a person must look. */
export function afterQuery(
  { reconcile }: Endpoint,
  nextQueryAt: number | null,
  now: number,
): Readonly<Record<string, string>> {
  if (reconcile === undefined || nextQueryAt === null) return {};
  return { "retry-after": String(Math.max(1, Math.ceil((nextQueryAt - now) / 1_000)) + 1) };
}

/** A submission whose record cannot be read or written now, or whose way ended by a fault of the gateway's own. */
export function unknownForNow(endpoint: Endpoint, href: string, cause?: unknown): Refusal {
  return withAddress(outcomeUnknown(endpoint, {}, cause), href, SOON);
}
