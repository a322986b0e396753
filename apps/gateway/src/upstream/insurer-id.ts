import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";

/**
 * The insurer's own identifier in an item or an answer; null when there is none that can be shown.
 * @param sent - the body that was sent, if it is at hand: a broken answer may give a customer's number back as its own
 */
export function insurerIdOf(endpoint: Endpoint, item: unknown, sent?: unknown): string | null {
  if (endpoint.insurerId === undefined) return null;
  const insurerId = valueAt(item, endpoint.insurerId);
  // Of a broken answer nothing is shown that could be something else than an identifier.
  return typeof insurerId === "string" &&
    isInsurerId(insurerId) &&
    !JSON.stringify(sent ?? null).includes(JSON.stringify(insurerId))
    ? insurerId
    : null;
}

/** Whether a text has the form of an identifier. */
export function isInsurerId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/.test(text);
}
