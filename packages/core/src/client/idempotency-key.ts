import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { kindPolicies } from "../contract/kinds.ts";

/** The name of the header for the key. */
export const KEY_HEADER = "idempotency-key";

/** Stricter than the gateway, so that a key needs no escaping in a header, a log or a message. */
const FORM = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

/** The idempotency key of a submission. */
export interface SubmissionKey {
  readonly key: string;
  /** Whether the application passed it: an earlier call may have sent it. */
  readonly isGiven: boolean;
  /** Whether it was generated for one call. Otherwise it was chosen for the submission. */
  readonly isGenerated: boolean;
}

/** The options of a call that concern its key. */
export interface KeyOptions {
  readonly idempotencyKey?: string | undefined;
  readonly keyIsGenerated?: boolean | undefined;
  /** The name of the key in faults: that of the option which the application sets. */
  readonly keyName?: "key" | undefined;
}

/**
 * Returns the key of a submission: the application's, or a new one for this call. Returns null for other kinds.
 * @param faults - receives the fault of an invalid key
 */
export function keyOf(
  endpoint: Endpoint,
  { idempotencyKey: given, keyIsGenerated, keyName }: KeyOptions,
  faults: Fault[],
): SubmissionKey | null {
  const pointer = `/${keyName ?? "idempotencyKey"}`;
  if (!kindPolicies[endpoint.kind].actsAtInsurer) {
    if (given !== undefined)
      faults.push({ pointer, code: "UNKNOWN_FIELD", message: "is for submissions only" });
    return null;
  }
  if (given === undefined) return { key: crypto.randomUUID(), isGiven: false, isGenerated: true };
  // JavaScript callers can pass any value.
  if (typeof given === "string" && FORM.test(given))
    return { key: given, isGiven: true, isGenerated: keyIsGenerated === true };
  const message =
    "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash";
  faults.push({ pointer, code: "FORMAT", message });
  return null;
}

/**
 * Returns the header of a key. A generated one is marked, so that the gateway recognises an equal submission with another
 * generated key as the same one.
 */
export function keyHeader(submission: SubmissionKey | null): Readonly<Record<string, string>> {
  if (submission === null) return {};
  const { isGenerated, key } = submission;
  return { [KEY_HEADER]: isGenerated ? `"${key}";generated` : key };
}

/** The keys that the gateway accepts; no client has sent another text to an insurer. */
const ACCEPTED_BY_GATEWAY = /^[\x20-\x7e]{1,255}$/;

/** Whether an earlier call, also of another client, may have sent a text as the key of a submission. */
export function mayBeSentKey(endpoint: Endpoint, given: unknown): given is string {
  return (
    kindPolicies[endpoint.kind].actsAtInsurer &&
    typeof given === "string" &&
    ACCEPTED_BY_GATEWAY.test(given)
  );
}

/** Writes a key as a quoted string (RFC 9651, section 3.3.3), which can have any character of it. */
export function quotedKey(key: string): string {
  return `"${key.replaceAll(/["\\]/g, "\\$&")}"`;
}
