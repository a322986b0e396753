import type {
  CreationTimes,
  IdentifierScope,
  RivalTimes,
  SubmissionState,
} from "@insurance-gateway/core/runtime";

/** A submission as it is claimed. Digests are keyed, so that a copy of the store reveals no tax number. */
export interface NewSubmission {
  /** Our own name for it, a UUID: its address, and the key that travels to the insurer. */
  readonly id: string;
  /** Digest of the caller: issuer and subject. */
  readonly caller: Uint8Array;
  /** Digest of caller, provider, endpoint and idempotency key; null when the caller sent none. */
  readonly keyDigest: Uint8Array | null;
  /** Whether the caller chose its key, or one that adopted it; false if it has none or only generated ones. */
  readonly hasChosenKey: boolean;
  /** Digest of provider, endpoint and everything the request says, independent of who sent it. */
  readonly contentDigest: Uint8Array;
  /**
   * Digest of the match fields, or of the content where none are declared, independent of who sent it; null for an endpoint
   * that creates nothing.
   */
  readonly matchDigest: Uint8Array | null;
  /** Digest of what its reconciliation query searches for beside the match fields; null without a query. */
  readonly searchDigest: Uint8Array | null;
  /** Names the series of the insurer's numbers that its identifier is from. */
  readonly series: string;
  /** The provider's id. */
  readonly provider: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The id of the account that sends it. */
  readonly account: string;
  /** The endpoint's name: `createApplication`. */
  readonly endpoint: string;
  /** Whether its insurer identifier must belong to no other submission. */
  readonly creates: boolean;
  /** Milliseconds since 1970 by the store's clock, as every instant here that does not say otherwise. */
  readonly receivedAt: number;
  /** The running time when it was received, in milliseconds. */
  readonly receivedRunning: number;
  /** The calendar day it counts on, in the operator's time zone: `2026-11-22`. */
  readonly day: string;
  /** Until this running time its process is believed to be sending it. */
  readonly leaseUntil: number;
  /** The input of a reconciliation query, encrypted; null without such a query. */
  readonly matchFields: Uint8Array | null;
  /** The id of the key that encrypted what is encrypted. */
  readonly keyId: string;
}

/** The reasons against a new submission: earlier ones of the same caller and content, and its quota. */
export interface ClaimRule {
  /** Whether the endpoint takes equal requests for the same submission at all. */
  readonly compared: boolean;
  /** Succeeded ones count when they were settled after this running time; open ones always count. */
  readonly succeededSince: number;
  /** How many submissions its account may make on its day; null for any number. */
  readonly quota: number | null;
}

/** A submission as it is stored. */
export interface SubmissionRecord extends Omit<NewSubmission, "keyId"> {
  readonly keyId: string | null;
  readonly state: SubmissionState;
  /** Grows with every change of state; a query that was made for an older one may not decide any more. */
  readonly fence: number;
  readonly updatedAt: number;
  /** Since when the outcome is unknown, or null. */
  readonly unknownAt: number | null;
  /** The running time when its outcome became unknown, or null. */
  readonly unknownRunning: number | null;
  /** The running time when a query first did not find it, after the insurer's time to list it; null if one did since. */
  readonly absentRunning: number | null;
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  /** The identifier in an answer that may be another submission's. */
  readonly answeredId: string | null;
  /** The answer that is replayed, encrypted; null while there is none, and when it has been dropped. */
  readonly answer: Uint8Array | null;
  /** How many reconciliation queries the insurer has answered. */
  readonly queries: number;
  /** The running time when the next one is due; null when none is. */
  readonly nextQueryAt: number | null;
}

/** The end of a submission, by proof: what the insurer answered, a reconciliation query, or a person. */
export interface Settlement {
  readonly id: string;
  readonly state: "succeeded" | "failed";
  readonly at: number;
  /** The running time when it ended, in milliseconds. */
  readonly running: number;
  readonly insurerId: string | null;
  /** Among which submissions the identifier must be new. */
  readonly unique: IdentifierScope;
  /**
   * The times of open submissions of other accounts with equal match fields that may have created the named item; null if the
   * answer is proof whatever is open.
   */
  readonly rivals: RivalTimes | null;
  /** Whether the application is known to be no longer valid, so that the same content is a new submission. */
  readonly closed: boolean;
  /** The query that may still correct a failure by absence; null for any other end. */
  readonly recheck: Recheck | null;
  /** The stored answer that later requests with the key get, encrypted. */
  readonly answer: Uint8Array;
  readonly keyId: string;
  /** When the answer is dropped. */
  readonly answerUntil: number;
  /** The running time when everything about it is forgotten. */
  readonly forgetAt: number;
}

/** One more query after a submission was not found. */
export interface Recheck {
  /** The running time when it is due, in milliseconds. */
  readonly at: number;
  /** The input of the query, encrypted with the settlement's key. */
  readonly matchFields: Uint8Array;
}

/** The submission that an insurer's identifier belongs to already. */
export interface IdentifierOwner extends Sender {
  readonly id: string;
  readonly caller: Uint8Array;
  readonly contentDigest: Uint8Array;
}

/**
 * How a settlement ended: written; the submission was not open any more; what the answer names may be what an open
 * submission of another account created; or the identifier is another submission's.
 */
export type Settled = "settled" | "not_open" | "contested" | { readonly owner: IdentifierOwner };

/** Whose submission it is at which insurer: the credentials and the address that it is sent with. */
export type Sender = Pick<NewSubmission, "account" | "segment">;

/** The other submissions that may have created the item that a reconciliation query has found. */
export interface Competitors {
  /** How many other open submissions of its account a query cannot distinguish from it. */
  readonly openAlike: number;
  /** How many of these are in flight: what was found may be what their insurer's answer is about to name. */
  readonly inFlightAlike: number;
  /** How many of them were claimed before this one. */
  readonly olderAlike: number;
  /** How many like it succeeded without an identifier: what was found may be theirs. */
  readonly unnamedAlike: number;
  /** Submissions of other accounts with equal match fields that are open, or succeeded without an identifier. */
  readonly rivals: readonly CreationTimes[];
  /** The found identifiers that belong to other submissions at the provider. */
  readonly known: readonly (Sender &
    CreationTimes & {
      readonly insurerId: string;
      /** Whether the other submission has the same match fields. */
      readonly alike: boolean;
    })[];
}

/** Who resolved a submission manually, and why: the operator's own words. */
export interface Resolution {
  readonly by: string;
  readonly reason: string;
}

/** A manual resolution, or a look at a submission's match fields, as it is stored. */
export interface StoredResolution extends Resolution {
  readonly at: number;
  readonly from: SubmissionState;
  /** The state that it was resolved to; the same as `from` where somebody only looked. */
  readonly to: SubmissionState;
}

/** An encrypted secret, and the id of the key that encrypted it. */
export interface StoredSecret {
  readonly keyId: string;
  readonly encrypted: Uint8Array;
}
