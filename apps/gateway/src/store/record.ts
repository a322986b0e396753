import type {
  CreationTimes,
  IdentifierScope,
  RivalTimes,
  SubmissionState,
} from "@insurance-gateway/core/runtime";

/** A submission to claim. Digests are keyed, so that a copy of the store reveals no tax number. */
export interface NewSubmission {
  /** The gateway's id of the submission, a UUID. The submission's address and the request to the insurer contain it. */
  readonly id: string;
  /** Digest of the caller: issuer and subject. */
  readonly caller: Uint8Array;
  /** Digest of caller, provider, endpoint and idempotency key; null if the caller sent no key. */
  readonly keyDigest: Uint8Array | null;
  /** True if the caller chose one of the submission's keys; false if the submission has no or only generated keys. */
  readonly hasChosenKey: boolean;
  /** Digest of provider, endpoint and the whole request, independent of the caller. */
  readonly contentDigest: Uint8Array;
  /**
   * Digest of the match fields, or of the content if the endpoint declares none, independent of the caller; null for an
   * endpoint that creates nothing.
   */
  readonly matchDigest: Uint8Array | null;
  /** Digest of the reconciliation query's parameters that are not match fields; null without a query. */
  readonly searchDigest: Uint8Array | null;
  /** Name of the series of numbers from which the insurer takes the identifiers for the submission's endpoint. */
  readonly series: string;
  /** Id of the provider. */
  readonly provider: string;
  /** Path segment of the provider. */
  readonly segment: string;
  /** Id of the account that sends the submission. */
  readonly account: string;
  /** Name of the endpoint, such as `createApplication`. */
  readonly endpoint: string;
  /** True if the endpoint creates something: then no other submission may have the same insurer's identifier. */
  readonly creates: boolean;
  /** Arrival, in milliseconds since 1970 by the store's clock, as are all other times of records, unless noted. */
  readonly receivedAt: number;
  /** Running time at the submission's arrival, in milliseconds. */
  readonly receivedRunning: number;
  /** Calendar day of the submission in the operator's time zone: `2026-11-22`. */
  readonly day: string;
  /** Running time until which the process that claimed the submission may be sending the submission. */
  readonly leaseUntil: number;
  /** The encrypted input of a reconciliation query; null without a query. */
  readonly matchFields: Uint8Array | null;
  /** Id of the key that encrypted the record. */
  readonly keyId: string;
}

/** The rule that decides whether earlier submissions, or the account's quota, prevent a claim. */
export interface ClaimRule {
  /** True if the endpoint treats equal requests as the same submission. */
  readonly compared: boolean;
  /** Running time after which an earlier success prevents the claim. An open submission always prevents the claim. */
  readonly succeededSince: number;
  /** Maximum of the account's submissions on the submission's day; null for no limit. */
  readonly quota: number | null;
}

/** A stored submission. */
export interface SubmissionRecord extends Omit<NewSubmission, "keyId"> {
  readonly keyId: string | null;
  readonly state: SubmissionState;
  /** Number that grows with every change of state. A query that began at a lower number may not decide anything. */
  readonly fence: number;
  readonly updatedAt: number;
  /** Time when the outcome became unknown; null if the outcome was never unknown. */
  readonly unknownAt: number | null;
  /** Running time when the outcome became unknown; null if the outcome was never unknown. */
  readonly unknownRunning: number | null;
  /** Running time of the first query that did not find the submission; null if a later query found an item. */
  readonly absentRunning: number | null;
  /** The insurer's identifier of the created item; null while the gateway does not have the identifier. */
  readonly insurerId: string | null;
  /** The insurer's identifier in an answer that may belong to another submission; null if there was no such answer. */
  readonly answeredId: string | null;
  /** The encrypted answer to repeated requests; null before the result, and after the answer was deleted. */
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
  /** Running time at which the result was found, in milliseconds. */
  readonly running: number;
  readonly insurerId: string | null;
  /** The submissions among which the identifier must be unique. */
  readonly unique: IdentifierScope;
  /**
   * Times of other accounts' open submissions with equal match fields that may have created the item that the answer
   * names; null if the answer is a proof regardless of these submissions.
   */
  readonly rivals: RivalTimes | null;
  /** True if the insurer has declined or ended the application; the same content is then a new submission. */
  readonly closed: boolean;
  /** The last query for a submission that failed because queries did not find it; null for any other result. */
  readonly recheck: LastQuery | null;
  /** The encrypted answer to later requests with the submission's key. */
  readonly answer: Uint8Array;
  readonly keyId: string;
  /** Time when the stored answer is deleted. */
  readonly answerUntil: number;
  /** Running time when the whole record is deleted. */
  readonly forgetAt: number;
}

/** The last query for a submission that failed because two queries did not find it. */
export interface LastQuery {
  /** Running time when the query is due, in milliseconds. */
  readonly at: number;
  /** The input of the query, encrypted with the settlement's key. */
  readonly matchFields: Uint8Array;
}

/** The submission to which an insurer's identifier belongs. */
export interface IdentifierOwner extends SenderAccount {
  readonly id: string;
  readonly caller: Uint8Array;
  readonly contentDigest: Uint8Array;
}

/**
 * Result of a settlement: `settled`; `not_open` if the submission was no longer open; `contested` if another account's
 * open submission may have created the item; or the submission to which the identifier belongs.
 */
export type SettleResult =
  | "settled"
  | "not_open"
  | "contested"
  | { readonly owner: IdentifierOwner };

/** The account and the segment through which a submission was sent. */
export type SenderAccount = Pick<NewSubmission, "account" | "segment">;

/** Numbers and details of the other submissions that may have created an item that a query has found. */
export interface SimilarSubmissions {
  /** Number of the account's other open submissions that a query cannot distinguish from the submission. */
  readonly similarOpen: number;
  /** Number of the similar open submissions that are in flight. A later answer may name the found item. */
  readonly similarInFlight: number;
  /** Number of the similar open submissions that were claimed before the submission. */
  readonly similarOlder: number;
  /** Number of equal submissions that succeeded without an identifier. The found item may belong to one of them. */
  readonly similarUnnamed: number;
  /** Times of other accounts' submissions with equal match fields that are open, or succeeded without an identifier. */
  readonly rivals: readonly CreationTimes[];
  /** The found identifiers that already belong to other submissions at the provider. */
  readonly known: readonly (SenderAccount &
    CreationTimes & {
      readonly insurerId: string;
      /** True if the owner of the identifier has the same match fields as the submission. */
      readonly hasSameMatchFields: boolean;
    })[];
}

/** Name of the operator who resolved a submission manually, and the reason. */
export interface Resolution {
  readonly by: string;
  readonly reason: string;
}

/** A stored manual resolution, or the record that an operator looked at a submission's match fields. */
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
