import { createHmac, createSecretKey } from "node:crypto";
import { type CheckedInput, type MatchValues, nfc } from "@insurance-gateway/core/runtime";
import canonicalize from "canonicalize";
import type { Caller } from "../callers/caller.ts";

/** The parts of a request by which the gateway recognises a repeated submission. */
export interface IdentifiedRequest {
  readonly caller: Caller;
  /** Id of the provider. A key is the same key at all segments of a provider. */
  readonly provider: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly input: CheckedInput;
  /** The sandbox scenario in the request; null for a real insurer. */
  readonly scenario: string | null;
}

/** Functions that return the digests by which the gateway recognises submissions and callers. */
export type SubmissionDigests = ReturnType<typeof createDigests>;

/** The digests of a caller, which are computed once for each token. */
interface CallerDigests {
  readonly digest: Buffer;
  readonly pseudonym: string;
}

/** Length of a digest in bytes. With 128 bits, two submissions never have the same digest by chance. */
const DIGEST_BYTES = 16;
const PSEUDONYM_DIGITS = 16;

/** Returns the canonical text (RFC 8785) of JSON, regardless of white space, the order of fields and Unicode forms. */
function canonicalJson(value: unknown): string {
  return nfc(canonicalize(value) ?? "");
}

/**
 * Creates the digest functions with a store's secret. If the digests had no secret, anybody could find the tax number in
 * a digest by trying all tax numbers.
 */
export function createDigests(secret: Uint8Array) {
  // A key object saves time: with the secret's bytes, Node creates an object for each digest (15 µs instead of 3).
  const key = createSecretKey(secret);
  const digest = (...parts: readonly unknown[]): Buffer =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
  // All requests with one verified token have the same caller object.
  const callers = new WeakMap<Caller, CallerDigests>();
  const known = (caller: Caller): CallerDigests => {
    const found = callers.get(caller);
    if (found !== undefined) return found;
    const callerDigest = digest("caller", caller.issuer, caller.subject);
    const made = { digest: callerDigest, pseudonym: pseudonymOf(callerDigest) };
    callers.set(caller, made);
    return made;
  };
  return {
    caller: (caller: Caller): Uint8Array => known(caller).digest,
    /** Returns the digest of an idempotency key. The digest is different for each caller, provider and endpoint. */
    key: (
      { caller, endpoint, provider }: Pick<IdentifiedRequest, "caller" | "endpoint" | "provider">,
      sent: string,
    ): Uint8Array => digest("key", caller.issuer, caller.subject, provider, endpoint, sent),
    /** Returns the digest of a request's content, independent of its caller. Match fields must be in normal form. */
    content: ({ endpoint, input, provider, scenario }: Omit<IdentifiedRequest, "caller">): Buffer =>
      digest(
        "content",
        provider,
        endpoint,
        scenario,
        canonicalJson([input.params, input.query, input.headers, input.body]),
      ),
    /**
     * Returns the digest of the match fields. Items of two submissions with the same digest cannot be distinguished,
     * even if the submissions have different endpoints and accounts.
     * @param series - name of the series of numbers from which the insurer takes the identifier
     */
    match: (provider: string, series: string, same: MatchValues): Uint8Array =>
      digest("match", provider, series, canonicalJson(same)),
    /**
     * Returns the digest of the values for which a reconciliation query searches.
     * @param search - name of the search endpoint
     */
    search: (provider: string, search: string, query: object): Uint8Array =>
      digest("search", provider, search, canonicalJson(query)),
    /** Returns a pseudonym of a caller for logs and operators: 16 hexadecimal digits of the caller's digest. */
    pseudonym: (caller: Caller): string => known(caller).pseudonym,
  };
}

/** Returns a caller's pseudonym from the stored digest of the caller. */
export function pseudonymOf(caller: Uint8Array): string {
  return Buffer.from(caller).toString("hex").slice(0, PSEUDONYM_DIGITS);
}
