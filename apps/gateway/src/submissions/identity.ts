import { createHmac, createSecretKey } from "node:crypto";
import {
  type CheckedInput,
  kindPolicies,
  type MatchValues,
  nfc,
} from "@insurance-gateway/core/runtime";
import canonicalize from "canonicalize";
import type { Caller } from "../callers/caller.ts";
import { Refusal } from "../problems/refusal.ts";

/** The request that a submission is recognised by. */
export interface IdentifiedRequest {
  readonly caller: Caller;
  /** The provider's id: a key is one for all its segments. */
  readonly provider: string;
  /** The endpoint's name. */
  readonly endpoint: string;
  readonly input: CheckedInput;
  /** The sandbox scenario that was asked for, at a sandbox. */
  readonly scenario: string | null;
}

/** The digests that submissions and callers are recognised by. */
export type Identity = ReturnType<typeof createIdentity>;

/** What is computed once of a caller. */
interface KnownCaller {
  readonly digest: Buffer;
  readonly pseudonym: string;
}

/** 128 bits: two submissions with the same digest do not happen. */
const DIGEST_BYTES = 16;
const PSEUDONYM_DIGITS = 16;

/** Equal JSON has one canonical text (RFC 8785), whatever its spaces, the order of its fields and the composition of its letters. */
function canonical(value: unknown): string {
  return nfc(canonicalize(value) ?? "");
}

/** Makes the digests with a secret of the store: a plain hash of a tax number is found by trying all of them. */
export function createIdentity(secret: Uint8Array) {
  // With the bytes of the secret, Node makes a key for each digest: 15 µs instead of 3.
  const key = createSecretKey(secret);
  const digest = (...parts: readonly unknown[]): Buffer =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
  // A verified token gives the same caller with every request.
  const callers = new WeakMap<Caller, KnownCaller>();
  const known = (caller: Caller): KnownCaller => {
    const found = callers.get(caller);
    if (found !== undefined) return found;
    const callerDigest = digest("caller", caller.issuer, caller.subject);
    const made = { digest: callerDigest, pseudonym: pseudonymOf(callerDigest) };
    callers.set(caller, made);
    return made;
  };
  return {
    caller: (caller: Caller): Uint8Array => known(caller).digest,
    /** Digest of an idempotency key: one of each caller, provider and endpoint. */
    key: (
      { caller, endpoint, provider }: Pick<IdentifiedRequest, "caller" | "endpoint" | "provider">,
      sent: string,
    ): Uint8Array => digest("key", caller.issuer, caller.subject, provider, endpoint, sent),
    /** Digest of the content of a request, independent of its sender. Its match fields are in normal form. */
    content: ({ endpoint, input, provider, scenario }: Omit<IdentifiedRequest, "caller">): Buffer =>
      digest(
        "content",
        provider,
        endpoint,
        scenario,
        canonical([input.params, input.query, input.headers, input.body]),
      ),
    /**
     * Digest of the match fields. Nothing distinguishes what two submissions with the same digest created, also of two
     * endpoints and two accounts.
     * @param series - the series of the insurer's numbers that the identifier is from
     */
    match: (provider: string, series: string, same: MatchValues): Uint8Array =>
      digest("match", provider, series, canonical(same)),
    /**
     * Digest of the values that a query searches for.
     * @param search - the name of the endpoint that is queried
     */
    search: (provider: string, search: string, query: object): Uint8Array =>
      digest("search", provider, search, canonical(query)),
    /** Names a caller in logs and to operators without naming a person: 16 hexadecimal digits of its digest. */
    pseudonym: (caller: Caller): string => known(caller).pseudonym,
  };
}

/** The pseudonym of a caller whose digest the store has. */
export function pseudonymOf(caller: Uint8Array): string {
  return Buffer.from(caller).toString("hex").slice(0, PSEUDONYM_DIGITS);
}

/** Reports whether a submission can have this method. */
export function maySubmit(method: string): boolean {
  const methods: readonly string[] = kindPolicies.submission.methods;
  return methods.includes(method);
}

/** The idempotency key of a request. */
export interface IdempotencyKey {
  readonly key: string;
  /** Whether a program generated it for this one call. Otherwise the caller chose it for the submission. */
  readonly isGenerated: boolean;
}

const MAXIMUM_KEY_CHARACTERS = 255;

/**
 * Reads the `Idempotency-Key` of a request: 1 to 255 printable ASCII characters, bare or as a quoted string (RFC 9651,
 * section 3.3.3). Only a quoted one can have a parameter, and only `generated`: `"k";generated`.
 * @param values - the header's values, one for each time it was sent
 * @returns null if there is none
 * @throws Refusal INVALID_REQUEST for anything else
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

/** Reads a bare key as it is, and a quoted one with its parameter; null if a quoted one is not well-formed. */
function keyIn(text: string): IdempotencyKey | null {
  if (!text.startsWith('"')) return { key: text, isGenerated: false };
  const [, quoted, generated] =
    /^"((?:[^"\\]|\\["\\])*)"(; *generated(?:=\?1)?)?$/.exec(text) ?? [];
  if (quoted === undefined) return null;
  return { key: quoted.replaceAll(/\\(["\\])/g, "$1"), isGenerated: generated !== undefined };
}
