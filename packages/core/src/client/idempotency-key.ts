import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { actsAtInsurer } from "../contract/kinds.ts";

/** Name of the header with the key. */
export const KEY_HEADER = "idempotency-key";

/** Form of the keys that this client accepts: a key needs no escaping in a header, a log or a message. */
const CLIENT_KEY_FORM = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

/** The idempotency key of a submission. */
export interface SubmissionKey {
  readonly key: string;
  /** True if the calling program passed the key. An earlier call may have sent the same key then. */
  readonly isGiven: boolean;
  /** True if the key was generated for one call; false if it was chosen for the submission. */
  readonly isGenerated: boolean;
}

/** Options of a call that concern its key. */
export interface KeyOptions {
  readonly idempotencyKey?: string | undefined;
  readonly keyIsGenerated?: boolean | undefined;
  /** Name of the key in faults. Default: `idempotencyKey`. */
  readonly keyName?: "key" | undefined;
}

/**
 * Returns the key of a submission: the calling program's key, or a new key for this call. Returns null for other kinds
 * of endpoints.
 * @param faults - receives the fault of an invalid key
 */
export function submissionKeyOf(
  endpoint: Endpoint,
  { idempotencyKey: given, keyIsGenerated, keyName }: KeyOptions,
  faults: Fault[],
): SubmissionKey | null {
  const pointer = `/${keyName ?? "idempotencyKey"}`;
  if (!actsAtInsurer(endpoint)) {
    if (given !== undefined)
      faults.push({ pointer, code: "UNKNOWN_FIELD", message: "is for submissions only" });
    return null;
  }
  if (given === undefined) return { key: crypto.randomUUID(), isGiven: false, isGenerated: true };
  // JavaScript callers can pass any value.
  if (typeof given === "string" && CLIENT_KEY_FORM.test(given))
    return { key: given, isGiven: true, isGenerated: keyIsGenerated === true };
  const message =
    "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash";
  faults.push({ pointer, code: "FORMAT", message });
  return null;
}

/**
 * Returns the header of a key. A generated key is marked, so that the gateway recognises an equal submission with
 * another generated key as the same submission.
 */
export function keyHeader(submission: SubmissionKey | null): Readonly<Record<string, string>> {
  if (submission === null) return {};
  const { isGenerated, key } = submission;
  return { [KEY_HEADER]: isGenerated ? `"${key}";generated` : key };
}

/** Form of the keys that the gateway accepts. The gateway has never sent a submission with a key of another form. */
const GATEWAY_KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** Reports whether an earlier call, even of another client, may have sent a text as the key of a submission. */
export function mayBeEarlierKey(endpoint: Endpoint, given: unknown): given is string {
  return actsAtInsurer(endpoint) && typeof given === "string" && GATEWAY_KEY_FORM.test(given);
}

/** Writes a key as a quoted string (RFC 9651, section 3.3.3), which can contain every character of a key. */
export function quotedKey(key: string): string {
  return `"${key.replaceAll(/["\\]/g, "\\$&")}"`;
}
