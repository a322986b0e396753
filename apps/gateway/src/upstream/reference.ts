import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";

/** The insurer's own identifier in an item or an answer; null when there is none that can be shown. */
export function referenceOf(endpoint: Endpoint, item: unknown): string | null {
  if (endpoint.reference === undefined) return null;
  const reference = valueAt(item, endpoint.reference);
  // Of a broken answer nothing is shown that could be something else than an identifier.
  return typeof reference === "string" && /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/.test(reference)
    ? reference
    : null;
}
