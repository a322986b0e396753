import { kindPolicies } from "../contract/kinds.ts";
import { Refusal } from "./refusal.ts";

/** Reports whether submissions can use an HTTP method. */
export function maySubmit(method: string): boolean {
  const methods: readonly string[] = kindPolicies.submission.methods;
  return methods.includes(method);
}

/** The idempotency key of a request. */
export interface IdempotencyKey {
  readonly key: string;
  /** True if a program generated the key for this one call. Otherwise the caller chose it for the submission. */
  readonly isGenerated: boolean;
}

const MAXIMUM_KEY_CHARACTERS = 255;

/**
 * Reads the `Idempotency-Key` of a request: 1 to 255 printable ASCII characters, bare or as a quoted string (RFC
 * 9651, section 3.3.3). Only a quoted key can have a parameter, and only `generated`: `"k";generated`.
 * @param values - the header's values, one for each time it was sent
 * @returns null without the header
 * @throws Refusal INVALID_REQUEST for any other value
 */
export function idempotencyKeyOf(values: readonly string[] | undefined): IdempotencyKey | null {
  if (values === undefined) return null;
  const [value = ""] = values;
  const found = keyIn(value.trim());
  const isKey =
    values.length === 1 &&
    found !== null &&
    /^[\x20-\x7e]+$/.test(found.key) &&
    found.key.length <= MAXIMUM_KEY_CHARACTERS;
  if (isKey) return found;
  throw new Refusal("INVALID_REQUEST", {
    detail: `Send Idempotency-Key once, with 1 to ${MAXIMUM_KEY_CHARACTERS} printable ASCII characters, bare or in double quotes. After the closing quote, only ;generated can follow.`,
  });
}

/** Reads a bare key as it is, or a quoted key with its parameter. Returns null if a quoted key is malformed. */
function keyIn(text: string): IdempotencyKey | null {
  if (!text.startsWith('"')) return { key: text, isGenerated: false };
  const [, quoted, generated] =
    /^"((?:[^"\\]|\\["\\])*)"(; *generated(?:=\?1)?)?$/.exec(text) ?? [];
  if (quoted === undefined) return null;
  return { key: quoted.replaceAll(/\\(["\\])/g, "$1"), isGenerated: generated !== undefined };
}

/** Longest wait that a caller can request, in seconds. A submission does not take longer by default. */
const LONGEST_WAIT_SECONDS = 45;

/**
 * Reads how long a caller wants to wait for the answer to a submission: `Prefer: wait=10` (RFC 7240, section 4.3), 1
 * to 45 seconds. Other preferences and values are ignored, as the RFC demands.
 * @param values - the header's values, one for each time it was sent
 * @returns milliseconds; null without a limit
 */
export function waitOf(values: readonly string[] | undefined): number | null {
  const preferences = (values ?? []).flatMap((value) => value.split(","));
  const [seconds] = preferences.flatMap(
    (one) => /^ *wait *= *"?(\d{1,3})"? *(;|$)/i.exec(one)?.[1] ?? [],
  );
  const wait = Number(seconds ?? 0);
  return wait >= 1 && wait <= LONGEST_WAIT_SECONDS ? wait * 1_000 : null;
}
