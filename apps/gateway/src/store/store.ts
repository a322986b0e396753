import type { Asker, SubmissionState } from "@insurance-gateway/core/runtime";
import type {
  AccountChange,
  Authorship,
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
import type { Moment, RunningTimeStore } from "./running-time.ts";
import type { TransactionsOf } from "./statement.ts";
import type { RestoredStore } from "./store-identity.ts";
import type { UsageStore } from "./stored-usage.ts";

/** The result of a claim: it succeeded, another submission prevents it, or its account was removed. */
export type ClaimResult =
  | { readonly claimed: true }
  | {
      readonly claimed: false;
      readonly existing: SubmissionRecord;
      readonly relation: Asker;
    }
  /** The store was restored or has lost files. It does not know the submission, which the lost part may have had. */
  | { readonly claimed: false; readonly existing: null; readonly relation: "not_restored" }
  /** The account was removed. */
  | { readonly claimed: false; readonly existing: null; readonly relation: "no_account" }
  | {
      readonly claimed: false;
      readonly existing: null;
      readonly relation: "over_quota";
      readonly quota: number;
      /** Number of the account's submissions on this day. */
      readonly used: number;
    };

/**
 * The store of submissions. Every method resolves when its changes are on disk, and rejects with StoreUnavailableError
 * if that is uncertain.
 */
export interface SubmissionStore extends UsageStore, RestoredStore, RunningTimeStore {
  /** True if other processes may be sending submissions of this store. */
  readonly shared: boolean;
  /** Reports whether the files were moved or incomplete at the last use, so that nothing written to them lasts. */
  isMoved(): boolean;
  /**
   * Stores a new submission as in flight, unless its key is known, an earlier submission of the same content prevents
   * it, or the account's quota of the day is used up. A first key adopts an earlier submission that was sent without a
   * key.
   */
  claim(submission: NewSubmission, rule: ClaimRule): Promise<ClaimResult>;
  /** Deletes a claim for which nothing was sent, whether or not the claim was written. */
  withdraw(id: string): Promise<void>;
  /** Returns the submission of a caller's key; null if there is none. */
  findByKey(keyDigest: Uint8Array): Promise<SubmissionRecord | null>;
  /** Settles an open submission. */
  settle(settlement: Settlement): Promise<SettleResult>;
  /** Settles a submission by a query; `not_open` also if the submission has changed since the query. */
  settleByQuery(settlement: Settlement, fence: number): Promise<SettleResult>;
  /**
   * Settles or corrects a submission by an operator's decision, which is stored. `not_open` if the submission is in
   * flight, or has this state and identifier already.
   */
  resolveManually(settlement: Settlement, resolution: Resolution): Promise<SettleResult>;
  /**
   * Settles a submission that was settled as failed, because a proof shows that the insurer acted; the reason is
   * stored. `not_open` in any other state.
   */
  correctFailed(settlement: Settlement, resolution: Resolution): Promise<SettleResult>;
  /** Stores who looked at a submission's match fields, and why. */
  recordLook(id: string, at: number, resolution: Resolution): Promise<void>;
  /**
   * Marks a submission's outcome as unknown; does nothing if the submission is no longer in flight.
   * @param answeredId - the identifier in an answer that may belong to another submission
   */
  markUnknown(
    id: string,
    moment: Moment,
    nextQueryAt: number | null,
    answeredId?: string | null,
  ): Promise<void>;
  /**
   * Marks submissions in flight as unknown if their lease ends before this running time. Returns their number.
   */
  expireLeases(before: number, moment: Moment): Promise<number>;
  /**
   * Makes this process the reconciler of a segment, or extends its lead for some seconds. Returns false while another
   * process leads. The lead ends some seconds after the process.
   */
  lead(segment: string, owner: Uint8Array): Promise<boolean>;
  /** Reports whether a process of a shared store reconciles a segment now. */
  isLed(segment: string): Promise<boolean>;
  /**
   * Returns the submissions of a segment whose query is due at a running time, oldest first: those of unknown outcome,
   * and failed submissions that one more query may correct. With `probe`, returns all submissions of unknown outcome,
   * the longest wait first.
   */
  due(
    segment: string,
    running: number | "probe",
    limit: number,
    exceptAccounts: readonly string[],
  ): Promise<readonly SubmissionRecord[]>;
  /**
   * Makes the queries of a segment, or of one of its accounts, due at a running time, except those that were made just
   * now. Returns how many were not due before.
   */
  bringForward(segment: string, running: number, account: string | null): Promise<number>;
  /** Makes a submission's query due at a running time, unless it was queried after `unless`. Returns whether it did. */
  bringForwardOne(id: string, running: number, unless: number): Promise<boolean>;
  /** Allows queries of a submission that needs review; returns false in any other state, or if it has no query. */
  reopen(id: string, moment: Moment): Promise<boolean>;
  /**
   * Plans the next query, by running time. With null, the submission needs review.
   * @param absentRunning - running time of the first query that did not find the submission
   */
  postpone(
    record: Pick<SubmissionRecord, "id" | "fence">,
    moment: Moment,
    nextQueryAt: number | null,
    absentRunning?: number | null,
  ): Promise<void>;
  /** Deletes the input of a failed submission's last query. */
  endRecheck(record: Pick<SubmissionRecord, "id" | "fence">): Promise<void>;
  /** Plans an unanswered query again, by running time, and does not count it. */
  delay(
    record: Pick<SubmissionRecord, "id" | "fence">,
    running: number,
    nextQueryAt: number,
  ): Promise<void>;
  find(id: string): Promise<SubmissionRecord | null>;
  /** Returns the newest submissions first, without encrypted data. */
  list(states: readonly SubmissionState[], limit: number): Promise<readonly SubmissionRecord[]>;
  /** Returns the accounts of open submissions. */
  openAccounts(): Promise<readonly UsedAccount[]>;
  /** Returns the number of unknown outcomes for each segment that has any. */
  countUnknown(): Promise<readonly UnknownCount[]>;
  resolutions(id: string): Promise<readonly StoredResolution[]>;
  /** Returns the other submissions that may have created the item that a query has found. */
  similarSubmissions(
    submission: Pick<
      SubmissionRecord,
      "account" | "id" | "matchDigest" | "provider" | "searchDigest" | "segment" | "series"
    >,
    insurerIds: readonly string[],
  ): Promise<SimilarSubmissions>;
  /** Deletes answers and submissions that have expired, at most `limit` of each; returns the larger number. */
  forget(moment: Moment, limit: number): Promise<number>;
  /** Returns the ids of the keys that encrypted stored data. */
  encryptedWith(): Promise<readonly string[]>;
  /** Returns an encrypted secret of the store; null if there is none yet. */
  secret(name: string): Promise<StoredSecret | null>;
  /** Replaces the secret if it is absent or if the key `instead` encrypted it; otherwise changes nothing. */
  putSecret(name: string, secret: StoredSecret, instead: string | null): Promise<void>;
  /** Adds an account, or replaces the content of the account with the same id, tenant and segment. */
  putAccount(account: NewAccount, authorship: Authorship): Promise<PutResult>;
  /** Removes an account, unless some of its submissions are open. */
  removeAccount(id: string, authorship: Authorship): Promise<RemoveResult>;
  /** Returns the changes of accounts, newest first. */
  accountChanges(limit: number): Promise<readonly AccountChange[]>;
  /** Returns the accounts that were changed or removed after a revision, oldest change first. */
  accountsSince(revision: number, limit: number): Promise<readonly StoredAccount[]>;
  /** Replaces an account's content, unless the account was encrypted again or changed since. */
  encryptAccountAgain(id: string, content: StoredSecret, instead: EncryptedState): Promise<void>;
  close(): Promise<void>;
}

/** The store's methods that are transactions. */
export type Transactions = TransactionsOf<Omit<SubmissionStore, "close" | "isMoved" | "shared">>;

/** An account that submissions use. */
export interface UsedAccount {
  readonly segment: string;
  readonly account: string;
}

/** Number of a segment's submissions of unknown outcome. */
export interface UnknownCount {
  readonly segment: string;
  readonly count: number;
}

/**
 * State of a store for a gateway: `files_moved` while its files are not at their paths or not whole,
 * `unavailable` while it cannot be opened,
 * `restored` while submissions that it does not know are refused.
 */
export type StoreState = (typeof storeStates)[number];
export const storeStates = ["open", "unavailable", "files_moved", "restored"] as const;
