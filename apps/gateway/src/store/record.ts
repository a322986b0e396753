/**
 * Where a submission stands. It is claimed and `in_flight` in one commit, before its first byte leaves: nobody ever
 * sees one that is only received. `failed` is written only with proof that the insurer did not take it.
 */
export type SubmissionState =
  | "in_flight"
  | "succeeded"
  | "failed"
  | "outcome_unknown"
  | "needs_review";

/** A submission as it is claimed. Digests are keyed, so that a copy of the store gives no tax number away. */
export interface NewSubmission {
  /** Our own name for it, a UUID: its address, and the insurerId that travels to the insurer. */
  readonly id: string;
  /** Digest of the caller: issuer and subject. */
  readonly caller: Uint8Array;
  /** Digest of caller, endpoint and idempotency key; null when the caller sent none. */
  readonly claim: Uint8Array | null;
  /** Digest of caller, endpoint and everything the request says. */
  readonly fingerprint: Uint8Array;
  /** Digest of what a lookup of its outcome compares, whoever sent it; null when there is no lookup. */
  readonly matchDigest: Uint8Array | null;
  /** The provider's id. */
  readonly provider: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The endpoint's name: `createApplication`. */
  readonly endpoint: string;
  /** Milliseconds since 1970, as every instant here. */
  readonly receivedAt: number;
  /** Until then its process is believed to be at it. */
  readonly leaseUntil: number;
  /** What a lookup of its outcome needs, encrypted; null when there is no lookup. */
  readonly matchFields: Uint8Array | null;
  /** The id of the key that encrypted what is encrypted. */
  readonly keyId: string;
}

/** A submission as it is kept. */
export interface SubmissionRecord extends Omit<NewSubmission, "keyId"> {
  readonly keyId: string | null;
  readonly state: SubmissionState;
  /** Grows with every change of hands; who holds an older one may not decide any more. */
  readonly fence: number;
  readonly updatedAt: number;
  /** Since when the outcome is unknown, or null. */
  readonly unknownAt: number | null;
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  /** The answer that is replayed, encrypted; null while there is none, and when it has been dropped. */
  readonly answer: Uint8Array | null;
  /** How many queries have been made. */
  readonly queries: number;
  /** When the next one is due; null when none is. */
  readonly nextQueryAt: number | null;
}

/** The end of a submission, by proof: what the insurer answered, a lookup, or a person. */
export interface Settlement {
  readonly id: string;
  readonly state: "succeeded" | "failed";
  readonly at: number;
  readonly insurerId: string | null;
  /** What is replayed from now on, encrypted. */
  readonly answer: Uint8Array;
  readonly keyId: string;
  /** When the answer is dropped. */
  readonly answerUntil: number;
  /** When everything about it is forgotten. */
  readonly forgetAt: number;
}

/** What else could be what a lookup has found. */
export interface Competitors {
  /** How many open submissions a lookup cannot tell from it, itself not counted. */
  readonly openAlike: number;
  /** Of the insurerIds that were found, those that belong to other submissions of the provider, and in which segment. */
  readonly known: readonly { readonly insurerId: string; readonly segment: string }[];
}

/** Who settled a submission, and why: the words of the operator. */
export interface Resolution {
  readonly by: string;
  readonly reason: string;
}

/** A settlement by a person, as it is kept. */
export interface StoredResolution extends Resolution {
  readonly at: number;
  readonly from: SubmissionState;
  readonly to: SubmissionState;
}
