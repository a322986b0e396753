import { randomUUID } from "node:crypto";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { kindPolicies } from "../contract/kinds.ts";

/** The name of the header for the key. */
export const KEY_HEADER = "idempotency-key";

const pointer = "/idempotencyKey";

/** Stricter than the gateway, so that a key needs no escaping in a header, a log or a message. */
const FORM = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

/**
 * Returns the header of a submission with the application's key, or with a new key for this call. Returns none for
 * other kinds.
 * @param faults - receives the fault of an invalid key
 */
export function keyHeader(
  endpoint: Endpoint,
  given: string | undefined,
  faults: Fault[],
): Readonly<Record<string, string>> {
  if (!kindPolicies[endpoint.kind].actsAtInsurer) {
    if (given !== undefined)
      faults.push({ pointer, code: "UNKNOWN_FIELD", message: "is for submissions only" });
    return {};
  }
  if (given === undefined) return { [KEY_HEADER]: randomUUID() };
  // JavaScript callers can pass any value.
  if (typeof given === "string" && FORM.test(given)) return { [KEY_HEADER]: given };
  const message =
    "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash";
  faults.push({ pointer, code: "FORMAT", message });
  return {};
}

/** Returns the key of a request, or null if it is not a submission. */
export function sentKey(headers: Readonly<Record<string, string>>): string | null {
  return headers[KEY_HEADER] ?? null;
}
