import { createHmac, createSecretKey } from "node:crypto";
import { type CheckedInput, type MatchValues, nfc } from "@insurance-gateway/core/runtime";
import canonicalize from "canonicalize";
import type { Caller } from "../callers/caller.ts";

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

/** The digests of a caller, which are computed once. */
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
