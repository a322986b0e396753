import { randomUUID } from "node:crypto";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { kindPolicies } from "../contract/kinds.ts";

/** The name of the header that carries the key. */
export const KEY_HEADER = "idempotency-key";

const pointer = "/idempotencyKey";

/** Stricter than the gateway, so that a key is the same text bare, quoted, in a log and in a message. */
const FORM = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

/**
 * The header of a submission: with the caller's key, or with one made for this call. Other kinds have none.
 * @param faults - gets the fault of a key that cannot be sent
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
  // A caller without types can give anything.
  if (typeof given === "string" && FORM.test(given)) return { [KEY_HEADER]: given };
  const message =
    "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash";
  faults.push({ pointer, code: "FORMAT", message });
  return {};
}

/** The key that a request is sent with; null for what is no submission. */
export function sentKey(headers: Readonly<Record<string, string>>): string | null {
  return headers[KEY_HEADER] ?? null;
}
