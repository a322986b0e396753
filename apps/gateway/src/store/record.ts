import type {
  CreationTimes,
  IdentifierScope,
  RivalTimes,
  SubmissionState,
} from "@insurance-gateway/core/runtime";

/** A submission to claim. Digests are keyed, so that a copy of the store reveals no tax number. */
export interface NewSubmission {
  /** The gateway's id of the submission, a UUID. The address contains it, and the insurer receives it as key. */
  readonly id: string;
  /** Digest of the caller: issuer and subject. */
  readonly caller: Uint8Array;
  /** Digest of caller, provider, endpoint and idempotency key; null if the caller sent no key. */
  readonly keyDigest: Uint8Array | null;
  /** True if the caller chose its key, or a key that adopted it; false if it has no key or only generated keys. */
  readonly hasChosenKey: boolean;
  /** Digest of provider, endpoint and the whole request, independent of the caller. */
  readonly contentDigest: Uint8Array;
  /**
   * Digest of the match fields, or of the content if none are declared, independent of the caller; null for an endpoint
   * that creates nothing.
   */
  readonly matchDigest: Uint8Array | null;
  /** Digest of the reconciliation query's other parameters, which are not match fields; null without a query. */
  readonly searchDigest: Uint8Array | null;
  /** Name of the series of the insurer's numbers to which its identifier belongs. */
  readonly series: string;
  /** Id of the provider. */
  readonly provider: string;
  /** Path segment of the provider. */
  readonly segment: string;
  /** Id of the account that sends the submission. */
  readonly account: string;
  /** Name of the endpoint, such as `createApplication`. */
  readonly endpoint: string;
  /** True if no other submission may have its insurer's identifier. */
  readonly creates: boolean;
  /** Milliseconds since 1970 by the store's clock, like every time here without another note. */
  readonly receivedAt: number;
  /** Running time at the submission's arrival, in milliseconds. */
  readonly receivedRunning: number;
  /** Calendar day of the submission in the operator's time zone: `2026-11-22`. */
  readonly day: string;
  /** Running time until which its process may be sending the submission. */
  readonly leaseUntil: number;
  /** The encrypted input of a reconciliation query; null without a query. */
  readonly matchFields: Uint8Array | null;
  /** Id of the key that encrypted the record. */
  readonly keyId: string;
}

/** The reasons against a claim: earlier submissions of the same caller and content, and the account's quota. */
export interface ClaimRule {
  /** True if the endpoint treats equal requests as the same submission. */
  readonly compared: boolean;
  /** A success prevents the claim if it was settled after this running time; an open submission always does. */
  readonly succeededSince: number;
  /** Maximum of the account's submissions on its day; null for no limit. */
  readonly quota: number | null;
}

/** A stored submission. */
export interface SubmissionRecord extends Omit<NewSubmission, "keyId"> {
  readonly keyId: string | null;
  readonly state: SubmissionState;
  /** Number that grows with every change of state. A query for an older number may not decide anything. */
  readonly fence: number;
  readonly updatedAt: number;
  /** Time when the outcome became unknown, or null. */
  readonly unknownAt: number | null;
  /** Running time when the outcome became unknown, or null. */
  readonly unknownRunning: number | null;
  /** Running time of the first query after the settle time that did not find it; null if a later one found an item. */
  readonly absentRunning: number | null;
  /** The insurer's identifier, if it is known. */
  readonly insurerId: string | null;
  /** The identifier in an answer that may belong to another submission. */
  readonly answeredId: string | null;
  /** The encrypted answer for repetitions; null before there is an answer, and after it was deleted. */
  readonly answer: Uint8Array | null;
  /** Number of reconciliation queries that the insurer has answered. */
  readonly queries: number;
  /** Running time when the next query is due; null if none is planned. */
  readonly nextQueryAt: number | null;
}

/** The proved result of a submission, from the insurer's answer, a reconciliation query or an operator. */
export interface Settlement {
  readonly id: string;
  readonly state: "succeeded" | "failed";
  readonly at: number;
  /** Running time of the result, in milliseconds. */
  readonly running: number;
  readonly insurerId: string | null;
  /** The submissions among which the identifier must be unique. */
  readonly unique: IdentifierScope;
  /**
   * Times of open submissions of other accounts with equal match fields that may have created the named item; null if
   * the answer is a proof regardless of open submissions.
   */
  readonly rivals: RivalTimes | null;
  /** True if the application is no longer valid, so that the same content is a new submission. */
  readonly closed: boolean;
  /** The query that may still correct a failure by absence; null for any other result. */
  readonly recheck: Recheck | null;
  /** The encrypted answer to later requests with the key. */
  readonly answer: Uint8Array;
  readonly keyId: string;
  /** Time when the answer is deleted. */
  readonly answerUntil: number;
  /** Running time when the whole record is deleted. */
  readonly forgetAt: number;
}

/** One more query for a submission that was not found. */
export interface Recheck {
  /** Running time when the query is due, in milliseconds. */
  readonly at: number;
  /** The input of the query, encrypted with the settlement's key. */
  readonly matchFields: Uint8Array;
}

/** The submission that already has an insurer's identifier. */
export interface IdentifierOwner extends Sender {
  readonly id: string;
  readonly caller: Uint8Array;
  readonly contentDigest: Uint8Array;
}

/**
 * Result of a settlement: written; the submission was no longer open; the named item may have been created by another
 * account's open submission; or the identifier belongs to another submission.
 */
export type SettleResult =
  | "settled"
  | "not_open"
  | "contested"
  | { readonly owner: IdentifierOwner };

/** The account and the segment through which a submission is sent. */
export type Sender = Pick<NewSubmission, "account" | "segment">;

/** Other submissions that may have created the item that a reconciliation query has found. */
export interface SimilarSubmissions {
  /** Number of the account's other open submissions that a query cannot distinguish from this one. */
  readonly similarOpen: number;
  /** Number of these in flight. The insurer's answer to one of them may name the found item. */
  readonly similarInFlight: number;
  /** Number of these that were claimed before this one. */
  readonly similarOlder: number;
  /** Number of equal submissions that succeeded without an identifier. The found item may belong to one of them. */
  readonly similarUnnamed: number;
  /** Submissions of other accounts with equal match fields that are open, or succeeded without an identifier. */
  readonly rivals: readonly CreationTimes[];
  /** The found identifiers that belong to other submissions at the provider. */
  readonly known: readonly (Sender &
    CreationTimes & {
      readonly insurerId: string;
      /** True if the other submission has the same match fields. */
      readonly hasSameMatchFields: boolean;
    })[];
}

/** Name of the operator who resolved a submission manually, and the reason. */
export interface Resolution {
  readonly by: string;
  readonly reason: string;
}

/** A stored manual resolution, or a stored look at a submission's match fields. */
export interface StoredResolution extends Resolution {
  readonly at: number;
  readonly from: SubmissionState;
  /** The state after the resolution; the same as `from` if the operator only looked. */
  readonly to: SubmissionState;
}

/** An encrypted secret, and the id of the key that encrypted it. */
export interface StoredSecret {
  readonly keyId: string;
  readonly encrypted: Uint8Array;
}
