import type { Repetition, SubmissionState } from "@insurance-gateway/core/runtime";
import type {
  AccountChange,
  Authorship,
  EncryptedState,
  NewAccount,
  Put,
  Removed,
  StoredAccount,
} from "./account-rows.ts";
import type {
  ClaimRule,
  Competitors,
  NewSubmission,
  Resolution,
  Settled,
  Settlement,
  StoredResolution,
  StoredSecret,
  SubmissionRecord,
} from "./record.ts";
import type { Moment, RunningTimeStore } from "./running-time.ts";
import type { TransactionsOf } from "./statement.ts";
import type { RestoredStore } from "./store-identity.ts";
import type { UsageStore } from "./stored-usage.ts";

/** The result of a claim: it succeeded, another submission prevents it, or its account was removed. */
export type Claimed =
  | { readonly claimed: true }
  | {
      readonly claimed: false;
      readonly existing: SubmissionRecord;
      readonly relation: Repetition;
    }
  /** The store was restored from a backup or has lost files, and does not know the submission: the lost part may have had it. */
  | { readonly claimed: false; readonly existing: null; readonly relation: "not_restored" }
  /** The account was removed. */
  | { readonly claimed: false; readonly existing: null; readonly relation: "no_account" }
  | {
      readonly claimed: false;
      readonly existing: null;
      readonly relation: "over_quota";
      readonly quota: number;
      /** How many submissions the account has made on this day. */
      readonly used: number;
    };

/**
 * Where submissions are stored. Every method resolves when what it did is on disk, and rejects with
 * StoreUnavailableError when it cannot be known to be.
 */
export interface SubmissionStore extends UsageStore, RestoredStore, RunningTimeStore {
  /** Whether other processes may be sending submissions of this store. */
  readonly shared: boolean;
  /** Whether its files were not at their paths or not whole when it was last used: nothing that is written to them lasts. */
  isMoved(): boolean;
  /**
   * Stores a new submission as in flight, unless its key is known, an earlier one of the same content prevents it, or its
   * account has used its quota of the day. A first key adopts an earlier submission that was sent without one.
   */
  claim(submission: NewSubmission, rule: ClaimRule): Promise<Claimed>;
  /** Deletes a claim that nothing was sent for, whether or not it was written. */
  withdraw(id: string): Promise<void>;
  /** The submission of a caller's key; null when there is none. */
  findByKey(keyDigest: Uint8Array): Promise<SubmissionRecord | null>;
  /** Settles an open submission. */
  settle(settlement: Settlement): Promise<Settled>;
  /** Settles what a query proved; `not_open` also when the submission has changed since. */
  settleByQuery(settlement: Settlement, fence: number): Promise<Settled>;
  /**
   * Settles by a person's word, or corrects a submission that was settled wrongly; the word is stored. `not_open` for
   * what is in flight, or has this state and identifier already.
   */
  resolveManually(settlement: Settlement, resolution: Resolution): Promise<Settled>;
  /**
   * Settles a submission that was settled as failed, because it was proved that the insurer acted; the reason is stored.
   * `not_open` in any other state.
   */
  correctFailed(settlement: Settlement, resolution: Resolution): Promise<Settled>;
  /** Stores who looked at a submission's match fields, and why. */
  recordLook(id: string, at: number, resolution: Resolution): Promise<void>;
  /**
   * Marks a submission's outcome as unknown; does nothing when it is not in flight any more.
   * @param answeredId - the identifier in an answer that may be another submission's
   */
  markUnknown(
    id: string,
    moment: Moment,
    nextQueryAt: number | null,
    answeredId?: string | null,
  ): Promise<void>;
  /**
   * Marks as unknown, at a moment, what is in flight and whose lease ends before a running time. Returns how many there were.
   */
  expireLeases(before: number, moment: Moment): Promise<number>;
  /**
   * Makes this process the one that reconciles for a segment, or extends that for some seconds; false while another
   * process is. It ends by itself when the process does.
   */
  lead(segment: string, owner: Uint8Array): Promise<boolean>;
  /** Whether a process of a shared store reconciles for a segment now. */
  isLed(segment: string): Promise<boolean>;
  /**
   * The submissions of a segment whose query is due at a running time, the oldest first: those of unknown outcome, and failed
   * ones that one more query may correct. With `probe` all whose outcome is unknown, the one that has waited longest for a
   * query first.
   */
  due(
    segment: string,
    running: number | "probe",
    limit: number,
    exceptAccounts: readonly string[],
  ): Promise<readonly SubmissionRecord[]>;
  /**
   * Makes every query of a segment due at a running time, or of an account to it, except those that were made just now; returns how
   * many were not due.
   */
  bringForward(segment: string, running: number, account: string | null): Promise<number>;
  /** Makes a submission's query due at a running time, unless it was queried after `unless`; false when nothing changed. */
  bringForwardOne(id: string, running: number, unless: number): Promise<boolean>;
  /** Lets a submission that waits for a person be queried again; false when it is in another state, or has no query. */
  reopen(id: string, moment: Moment): Promise<boolean>;
  /**
   * Plans the next query, by running time, or with null leaves the submission for a person.
   * @param absentRunning - the running time when queries began not to find it
   */
  postpone(
    record: Pick<SubmissionRecord, "id" | "fence">,
    moment: Moment,
    nextQueryAt: number | null,
    absentRunning?: number | null,
  ): Promise<void>;
  /** Drops what the one more query of a failed submission needed. */
  endRecheck(record: Pick<SubmissionRecord, "id" | "fence">): Promise<void>;
  /** Plans a query that the insurer did not answer again, by running time: it is not counted. */
  delay(
    record: Pick<SubmissionRecord, "id" | "fence">,
    running: number,
    nextQueryAt: number,
  ): Promise<void>;
  find(id: string): Promise<SubmissionRecord | null>;
  /** The newest first, without what is encrypted. */
  list(states: readonly SubmissionState[], limit: number): Promise<readonly SubmissionRecord[]>;
  /** The accounts of open submissions. */
  openAccounts(): Promise<readonly UsedAccount[]>;
  /** How many submissions of each segment have an unknown outcome; segments that have none are left out. */
  countUnknown(): Promise<readonly UnknownCount[]>;
  resolutions(id: string): Promise<readonly StoredResolution[]>;
  /** Returns the other submissions that may have created the item that a query has found. */
  competitors(
    submission: Pick<
      SubmissionRecord,
      "account" | "id" | "matchDigest" | "provider" | "searchDigest" | "segment" | "series"
    >,
    insurerIds: readonly string[],
  ): Promise<Competitors>;
  /** Drops answers and forgets submissions whose time is over, at most `limit` of each; returns their number. */
  forget(moment: Moment, limit: number): Promise<number>;
  /** The ids of the keys that something in the store is encrypted with. */
  encryptedWith(): Promise<readonly string[]>;
  /** A secret of the store's own, encrypted; null when there is none yet. */
  secret(name: string): Promise<StoredSecret | null>;
  /** Replaces the secret if it is absent or if the key `instead` encrypted it; otherwise changes nothing. */
  putSecret(name: string, secret: StoredSecret, instead: string | null): Promise<void>;
  /** Adds an account, or replaces what one with the same id, tenant and segment uses. */
  putAccount(account: NewAccount, authorship: Authorship): Promise<Put>;
  /** Removes an account, unless submissions that it sent have no outcome yet. */
  removeAccount(id: string, authorship: Authorship): Promise<Removed>;
  /** Who changed which account, the newest first. */
  accountChanges(limit: number): Promise<readonly AccountChange[]>;
  /** The accounts that were changed after a revision, removed ones included, the oldest change first. */
  accountsSince(revision: number, limit: number): Promise<readonly StoredAccount[]>;
  /** Replaces what another key encrypted, unless the account was encrypted again or changed since. */
  encryptAccountAgain(id: string, content: StoredSecret, instead: EncryptedState): Promise<void>;
  close(): Promise<void>;
}

/** The methods of the store that are transactions. */
export type Transactions = TransactionsOf<Omit<SubmissionStore, "close" | "isMoved" | "shared">>;

/** An account that submissions use. */
export interface UsedAccount {
  readonly segment: string;
  readonly account: string;
}

/** How many submissions of a segment have an unknown outcome. */
export interface UnknownCount {
  readonly segment: string;
  readonly count: number;
}

/**
 * The state of a store as a gateway sees it: `files_moved` while its files are not where and what they were,
 * `unavailable` while it has not been opened,
 * `restored` while submissions that it does not know are refused.
 */
export type StoreState = (typeof storeStates)[number];
export const storeStates = ["open", "unavailable", "files_moved", "restored"] as const;
