import { createHmac } from "node:crypto";
import type { CheckedInput } from "@insurance-gateway/core/contract";
import canonicalize from "canonicalize";
import type { Caller } from "../authentication/caller.ts";
import type { MatchFields } from "./match-fields.ts";

/** By what a submission is recognised, as digests. */
export interface SubmissionIdentity {
  readonly caller: Uint8Array;
  /** Null when the caller sent no key. */
  readonly claim: Uint8Array | null;
  readonly fingerprint: Uint8Array;
}

/** What a submission is recognised by. */
export interface IdentifiedRequest {
  readonly caller: Caller;
  readonly segment: string;
  /** The endpoint's name. */
  readonly endpoint: string;
  readonly key: string | null;
  readonly input: CheckedInput;
}

/** Recognises submissions and callers. */
export interface Identify {
  submission(request: IdentifiedRequest): SubmissionIdentity;
  caller(caller: Caller): Uint8Array;
  /** A digest of what a lookup compares: whoever sent them, two of the same cannot be told apart by it. */
  matchDigest(provider: string, endpoint: string, matchFields: MatchFields): Uint8Array;
}

/** 128 bits: two submissions with the same digest do not happen. */
const DIGEST_BYTES = 16;

/**
 * Makes the digests with a secret of the store: a plain hash of a tax number is found by trying all of them. Bodies
 * are the same when their canonical JSON is (RFC 8785): spaces and the order of fields say nothing.
 */
export function createIdentify(secret: Uint8Array): Identify {
  const digest = (...parts: readonly (string | null)[]): Uint8Array =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
  return {
    submission({ caller, endpoint, input, key, segment }) {
      const scope = [caller.issuer, caller.subject, segment, endpoint];
      const content = canonicalize([input.params, input.query, input.body ?? null]) ?? "";
      return {
        caller: digest("caller", caller.issuer, caller.subject),
        claim: key === null ? null : digest("claim", ...scope, key),
        fingerprint: digest("fingerprint", ...scope, content),
      };
    },
    caller: ({ issuer, subject }) => digest("caller", issuer, subject),
    matchDigest: (provider, endpoint, matchFields) =>
      digest("match", provider, endpoint, canonicalize(matchFields) ?? ""),
  };
}
