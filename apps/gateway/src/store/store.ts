import type {
  Competitors,
  NewSubmission,
  Resolution,
  Settlement,
  StoredResolution,
  SubmissionRecord,
  SubmissionState,
} from "./record.ts";

/** What a claim came to: it is the caller's, or another submission stands in its way. */
export type Claimed =
  | { readonly claimed: true }
  | { readonly claimed: false; readonly existing: SubmissionRecord };

/**
 * Where submissions are kept. Every method resolves when what it did is on disk, and rejects with
 * StoreUnavailableError when it cannot be known to be.
 */
export interface SubmissionStore {
  /** Whether other processes may be carrying out submissions of this store. */
  readonly shared: boolean;
  /** Keeps a new submission as in flight, unless its key, or without a key an open submission of the same content, is there. */
  claim(submission: NewSubmission): Promise<Claimed>;
  /** Takes back a claim that nothing was sent for, whether or not it came to be written. */
  withdraw(id: string): Promise<void>;
  /** Settles an open submission; false when it is not open any more. */
  settle(settlement: Settlement): Promise<boolean>;
  /**
   * Settles what a lookup proved; false when the submission has changed hands since, or the insurerId belongs to
   * another one of its segment.
   */
  settleByQuery(settlement: Settlement, fence: number, segment: string): Promise<boolean>;
  /** Settles by a person's word, which is kept; false when it is not waiting for one. */
  settleManually(settlement: Settlement, resolution: Resolution): Promise<boolean>;
  /** Says that a submission's outcome is unknown; nothing happens when it is not in flight any more. */
  markUnknown(id: string, at: number, nextQueryAt: number | null): Promise<void>;
  /** Marks as unknown what was in flight past its lease, and gives how many there were. */
  expireLeases(before: number, at: number): Promise<number>;
  /** Takes submissions of a provider's segment whose lookup is due, and hides them from others until then. */
  takeDue(
    segment: string,
    at: number,
    hiddenUntil: number,
    limit: number,
  ): Promise<readonly SubmissionRecord[]>;
  /** Plans the next lookup, or with null leaves the submission for a person. */
  postpone(id: string, fence: number, at: number, nextQueryAt: number | null): Promise<void>;
  find(id: string): Promise<SubmissionRecord | null>;
  /** The newest first, without what is encrypted. */
  list(states: readonly SubmissionState[], limit: number): Promise<readonly SubmissionRecord[]>;
  /** How many submissions of each segment nobody knows the outcome of; segments that have none are left out. */
  countUnknown(): Promise<readonly UnknownCount[]>;
  resolutions(id: string): Promise<readonly StoredResolution[]>;
  /** What else could be what a lookup has found for a submission. */
  competitors(
    submission: Pick<SubmissionRecord, "id" | "matchDigest" | "provider">,
    insurerIds: readonly string[],
  ): Promise<Competitors>;
  /** Drops answers and forgets submissions whose time is over, so many of each at most; gives how many there were. */
  forget(at: number, limit: number): Promise<number>;
  /** The ids of the keys that something in the store is encrypted with. */
  encryptedWith(): Promise<readonly string[]>;
  /** A secret of the store's own, encrypted; null when there is none yet. */
  secret(name: string): Promise<StoredSecret | null>;
  /** Puts a encrypted secret in the place of the one encrypted with another key, or of none; keeps what is there otherwise. */
  putSecret(name: string, secret: StoredSecret, instead: string | null): Promise<void>;
  close(): Promise<void>;
}

/** How many submissions of a segment have an outcome that nobody knows. */
export interface UnknownCount {
  readonly segment: string;
  readonly count: number;
}

/** A encrypted secret, and the id of the key that encrypted it. */
export interface StoredSecret {
  readonly keyId: string;
  readonly encrypted: Uint8Array;
}

/** The store cannot be reached, is full, or does not answer in time. It holds no value that was to be written. */
export class StoreUnavailableError extends Error {
  /** The lower layer's code, such as ECONNREFUSED or SQLITE_FULL. */
  readonly detail: string;
  /** Whether it may have been written all the same; otherwise it is certain that it was not. */
  readonly mayBeWritten: boolean;

  constructor(detail: string, mayBeWritten: boolean) {
    super(`The store is not available (${detail})`);
    this.detail = detail;
    this.mayBeWritten = mayBeWritten;
  }
}

/** A store that must not be used: another process has it, or a newer gateway wrote it. */
export class StoreRefusedError extends Error {}
