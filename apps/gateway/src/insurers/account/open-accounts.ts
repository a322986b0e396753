/** The parts of an account that exist while the account is open. */
export interface OpenAccount {
  /** Reports whether the account must stay open: a closed account forgets that the insurer refuses its credentials. */
  isNeeded(): boolean;
  /** Waits for running work, then closes the account. */
  close(): Promise<void>;
}

/** One use of an account; the account stays open until the use is released. */
export interface AccountUse<Open> {
  /** Null while the account is being opened. */
  readonly opened: Open | null;
  /** Waits until the account is open. */
  ready(): Promise<Open>;
  /** Ends this use of the account. */
  release(): void;
}

/** The open accounts of one insurer; each account is opened at its first use. */
export interface AccountPool<Open extends OpenAccount> {
  /** Begins a use of an account. The account stays open until the use is released. */
  hold(id: string): AccountUse<Open>;
  /** Returns all open accounts. */
  all(): readonly Open[];
  /** Closes an account after its last use; the next use opens the account again, with its newest content. */
  forget(id: string): void;
  /** Closes every account whose id `isOne` accepts, after the account's last use. */
  forgetIf(isOne: (id: string) => boolean): void;
  close(): Promise<void>;
}

/** Maximum number of open accounts, not counting those in use or needed. An account takes some kilobytes of memory. */
const MAX_OPEN_ACCOUNTS = 1_000;

interface PoolEntry<Open> extends AccountUse<Open> {
  readonly opening: Promise<Open>;
  opened: Open | null;
  uses: number;
  isForgotten: boolean;
}

/** Creates an empty pool of open accounts. Above the maximum, it closes the least recently used account. */
export function createAccountPool<Open extends OpenAccount>(
  open: (id: string) => Promise<Open>,
  mostOpen: number = MAX_OPEN_ACCOUNTS,
): AccountPool<Open> {
  /** The least recently used account comes first. */
  const entries = new Map<string, PoolEntry<Open>>();
  /** The most recently used account. It is already the last entry, so its next use need not move it. */
  let latest: PoolEntry<Open> | null = null;
  /** Settled when all accounts that the pool has closed so far have finished closing. */
  let closing: Promise<void> = Promise.resolve();

  function close({ opening }: PoolEntry<Open>): void {
    const closed = opening.then(
      (opened) => opened.close(),
      () => {},
    );
    // Only the latest promise is kept; the earlier promises need no memory after they have settled.
    closing = Promise.all([closing, closed]).then(() => {});
  }

  function entryOf(id: string): PoolEntry<Open> {
    const known = entries.get(id);
    if (known !== undefined && known === latest) return known;
    const entry = known ?? createEntry(id);
    entries.delete(id);
    entries.set(id, entry);
    latest = entry;
    return entry;
  }

  function createEntry(id: string): PoolEntry<Open> {
    const entry: PoolEntry<Open> = {
      opening: open(id),
      opened: null,
      uses: 0,
      isForgotten: false,
      async ready() {
        try {
          entry.opened ??= await entry.opening;
          return entry.opened;
        } catch (error) {
          // After a failed opening, the next use must open the account again.
          if (entries.get(id) === entry) remove(id, entry);
          throw error;
        }
      },
      release() {
        entry.uses -= 1;
        if (entry.isForgotten && entry.uses === 0) close(entry);
      },
    };
    return entry;
  }

  function remove(id: string, entry: PoolEntry<Open>): void {
    entries.delete(id);
    if (entry === latest) latest = null;
  }

  function closeUnused(): void {
    for (const [id, entry] of entries) {
      if (entries.size <= mostOpen) return;
      if (entry.uses > 0 || entry.opened?.isNeeded() === true) continue;
      remove(id, entry);
      close(entry);
    }
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    remove(id, entry);
    entry.isForgotten = true;
    if (entry.uses === 0) close(entry);
  }

  return {
    hold(id) {
      const entry = entryOf(id);
      entry.uses += 1;
      closeUnused();
      return entry;
    },
    all: () => [...entries.values()].flatMap(({ opened }) => (opened === null ? [] : [opened])),
    forget,
    forgetIf(isOne) {
      for (const id of entries.keys()) if (isOne(id)) forget(id);
    },
    async close() {
      for (const entry of entries.values()) close(entry);
      entries.clear();
      latest = null;
      await closing;
    },
  };
}
