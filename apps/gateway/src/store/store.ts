import type { Repetition, SubmissionState } from "@insurance-gateway/core/runtime";
import type {
  AccountChange,
  ChangeAuthor,
  EncryptedState,
  NewAccount,
  PutResult,
  RemoveResult,
  StoredAccount,
} from "./account-rows.ts";
import type {
  ClaimRule,
  NewSubmission,
  Resolution,
  Settlement,
  SettleResult,
  SimilarSubmissions,
  StoredResolution,
  StoredSecret,
  SubmissionRecord,
} from "./record.ts";
import type { Moment, RunningTimeMethods } from "./running-time.ts";
import type { TransactionsOf } from "./statement.ts";
import type { RestoredStoreMethods } from "./store-identity.ts";
import type { UsageMethods } from "./stored-usage.ts";

/** The result of a claim: success, or the reason: an earlier submission, a limit, or a removed account. */
export type ClaimResult =
  | { readonly claimed: true }
  | {
      readonly claimed: false;
      readonly existing: SubmissionRecord;
      readonly relation: Repetition;
    }
  /**
   * The store was restored or has lost files, and does not know the submission: the lost part may have contained it.
   */
  | { readonly claimed: false; readonly existing: null; readonly relation: "not_restored" }
  /** The submission's account was removed. */
  | { readonly claimed: false; readonly existing: null; readonly relation: "no_account" }
  | {
      readonly claimed: false;
      readonly existing: null;
      readonly relation: "over_quota";
      readonly quota: number;
      /** Number of the account's submissions on the submission's day. */
      readonly used: number;
    };

/**
 * The store of submissions. Every method resolves when its changes are on disk, and rejects with StoreUnavailableError
 * if the changes may not be on disk.
 */
export interface SubmissionStore extends UsageMethods, RestoredStoreMethods, RunningTimeMethods {
  /** True if other processes may be sending submissions from the same store. */
  readonly shared: boolean;
  /** Reports whether the store's files were missing or incomplete at the last use, in which case writes are lost. */
  isMoved(): boolean;
  /**
   * Stores a new submission as in flight, unless its key is known, an earlier submission with the same content prevents
   * the claim, or the account's quota of the day is used up. A request's key is added to an earlier equal submission
   * that was sent without a key.
   */
  claim(submission: NewSubmission, rule: ClaimRule): Promise<ClaimResult>;
  /** Deletes a claim for which nothing was sent, even if the claim may not have been written. */
  withdraw(id: string): Promise<void>;
  /** Returns the submission to which an idempotency key belongs; null if the key was not used. */
  findByKey(keyDigest: Uint8Array): Promise<SubmissionRecord | null>;
  /** Settles an open submission. */
  settle(settlement: Settlement): Promise<SettleResult>;
  /** Settles a submission by a query; returns `not_open` if the submission has changed since the query began. */
  settleByQuery(settlement: Settlement, fence: number): Promise<SettleResult>;
  /**
   * Settles or corrects a submission by an operator's decision, and records the decision. Returns `not_open` if the
   * submission is in flight, or already has this state and identifier.
   */
  resolveManually(settlement: Settlement, resolution: Resolution): Promise<SettleResult>;
  /**
   * Settles a failed submission as succeeded, because the insurer provably executed the submission. Records the reason.
   * Returns `not_open` for a submission in another state.
   */
  correctFailed(settlement: Settlement, resolution: Resolution): Promise<SettleResult>;
  /** Records who looked at a submission's match fields, and why. */
  recordLook(id: string, at: number, resolution: Resolution): Promise<void>;
  /**
   * Marks the outcome of a submission in flight as unknown. Does nothing for a submission in another state.
   * @param answeredId - the identifier in an answer that may belong to another submission
   */
  markUnknown(
    id: string,
    moment: Moment,
    nextQueryAt: number | null,
    answeredId?: string | null,
  ): Promise<void>;
  /**
   * Marks submissions in flight as unknown if their `leaseUntil` is before a running time. Returns the submissions'
   * number.
   */
  expireLeases(before: number, moment: Moment): Promise<number>;
  /**
   * Lets this process reconcile a segment for some seconds from now. Returns false while another process reconciles
   * the segment. After the end of a process, the segment stays reserved for some seconds.
   */
  lead(segment: string, owner: Uint8Array): Promise<boolean>;
  /** Reports whether a process of a shared store currently reconciles a segment. */
  isLed(segment: string): Promise<boolean>;
  /**
   * Returns the submissions of a segment whose query is due at a running time, oldest first: submissions of unknown
   * outcome, and failed submissions that their last query may correct. With `probe`, returns all submissions of unknown
   * outcome, starting with the query that was due first.
   */
  due(
    segment: string,
    running: number | "probe",
    limit: number,
    exceptAccounts: readonly string[],
  ): Promise<readonly SubmissionRecord[]>;
  /**
   * Makes the queries of a segment, or of one of its accounts, due at a running time, except queries that were just
   * made. Returns the number of queries that were not due before.
   */
  bringForward(segment: string, running: number, account: string | null): Promise<number>;
  /** Makes a submission's next query due at a running time, unless the last query is later than `unless`. */
  bringForwardOne(id: string, running: number, unless: number): Promise<boolean>;
  /** Plans queries again for a submission that needs review; returns false in another state, or without a query. */
  reopen(id: string, moment: Moment): Promise<boolean>;
  /**
   * Plans the next query of a submission, by running time. With null, the submission needs review.
   * @param absentRunning - running time of the first query that did not find the submission
   */
  planNextQuery(
    record: Pick<SubmissionRecord, "id" | "fence">,
    moment: Moment,
    nextQueryAt: number | null,
    absentRunning?: number | null,
  ): Promise<void>;
  /** Deletes the input of a failed submission's last query, so that the query is not sent. */
  endRecheck(record: Pick<SubmissionRecord, "id" | "fence">): Promise<void>;
  /** Plans a query again that the insurer did not answer. Such a query does not count. The times are running times. */
  delay(
    record: Pick<SubmissionRecord, "id" | "fence">,
    running: number,
    nextQueryAt: number,
  ): Promise<void>;
  find(id: string): Promise<SubmissionRecord | null>;
  /** Returns submissions in these states, newest first, without encrypted data. */
  list(states: readonly SubmissionState[], limit: number): Promise<readonly SubmissionRecord[]>;
  /** Returns the accounts that have open submissions. */
  openAccounts(): Promise<readonly UsedAccount[]>;
  /** Returns the number of submissions of unknown outcome, for each segment that has such submissions. */
  countUnknown(): Promise<readonly UnknownOutcomeCount[]>;
  resolutions(id: string): Promise<readonly StoredResolution[]>;
  /** Returns the other submissions that may have created the item that a query has found. */
  similarSubmissions(
    submission: Pick<
      SubmissionRecord,
      "account" | "id" | "matchDigest" | "provider" | "searchDigest" | "segment" | "series"
    >,
    insurerIds: readonly string[],
  ): Promise<SimilarSubmissions>;
  /**
   * Deletes expired answers and expired submissions, at most `limit` of each; returns the larger of the two numbers.
   */
  forget(moment: Moment, limit: number): Promise<number>;
  /** Returns the ids of the encryption keys that stored data needs. */
  encryptedWith(): Promise<readonly string[]>;
  /** Returns an encrypted secret of the store; null if there is none yet. */
  secret(name: string): Promise<StoredSecret | null>;
  /** Writes a secret if the store has no secret of this name, or if the key `instead` encrypted the stored secret. */
  putSecret(name: string, secret: StoredSecret, instead: string | null): Promise<void>;
  /** Adds an account, or replaces the content of the account with the same id, tenant and segment. */
  putAccount(account: NewAccount, authorship: ChangeAuthor): Promise<PutResult>;
  /** Removes an account, unless some of its submissions are open. */
  removeAccount(id: string, authorship: ChangeAuthor): Promise<RemoveResult>;
  /** Returns the changes of accounts, newest first. */
  accountChanges(limit: number): Promise<readonly AccountChange[]>;
  /** Returns the accounts that were changed or removed after a revision, in the order of their changes. */
  accountsSince(revision: number, limit: number): Promise<readonly StoredAccount[]>;
  /** Replaces an account's encrypted content, unless the content has changed since the caller read the content. */
  encryptAccountAgain(id: string, content: StoredSecret, instead: EncryptedState): Promise<void>;
  close(): Promise<void>;
}

/** The store's methods that are transactions. */
export type Transactions = TransactionsOf<Omit<SubmissionStore, "close" | "isMoved" | "shared">>;

/** An account with open submissions. */
export interface UsedAccount {
  readonly segment: string;
  readonly account: string;
}

/** Number of submissions of unknown outcome at a segment. */
export interface UnknownOutcomeCount {
  readonly segment: string;
  readonly count: number;
}

/**
 * State of a gateway's store: `open` for all submissions; `files_moved` while the store's files are missing or damaged;
 * `unavailable` while the store cannot be opened; `restored` while the gateway refuses submissions that the store does
 * not know.
 */
export type StoreState = (typeof storeStates)[number];
export const storeStates = ["open", "unavailable", "files_moved", "restored"] as const;
