import type { Account, ReadAccount, Tenant } from "../configuration/account.ts";
import {
  type AccountRules,
  type CheckAccount,
  createAccountCheck,
} from "../configuration/account-check.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { type Expiry, expiriesOfAccount } from "../configuration/expiries.ts";
import type { AccountConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import type { Settings } from "../configuration/settings.ts";
import type { Message } from "../operator/logging/messages.ts";
import type { EncryptedState, StoredAccount } from "../store/account-rows.ts";
import type { Encryption } from "../store/encryption.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { StoredSecret } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import { decryptContent, encryptContent, type StoredContent } from "./account-encryption.ts";

/** The accounts of a gateway, from the configuration file and from the store, in one list in memory. */
export interface Accounts {
  /** Returns a tenant's accounts whose content can be read. */
  find(issuer: string, name: string): readonly Account[];
  /** Returns false if the store may contain accounts of the tenant that the gateway could not read. */
  areKnown(issuer: string, name: string): boolean;
  /** Reads the credentials and settings of an account. */
  readonly read: ReadAccount;
  /** Returns an account's own quotas, which override the quotas of all accounts. */
  quotasOf(id: string): QuotasConfiguration;
  /** Returns the expiry dates of accounts in the store. `Settings.expiries` has the dates of accounts in the file. */
  expiries(): readonly Expiry[];
  has(id: string): boolean;
  /** Returns the accounts without credentials and settings, sorted by id. */
  list(): readonly ListedAccount[];
  /**
   * Reads the accounts of the opened store, before the gateway answers a request.
   * @param encryption - encrypts and decrypts the accounts' credentials and settings
   * @param reencrypts - true if accounts with an older encryption key are encrypted with the newest key
   * @throws ConfigurationError if an account in the file has the id or the tenant of an account in the store
   */
  opened(store: SubmissionStore, encryption: Encryption, reencrypts: boolean): Promise<void>;
  /** Reads the accounts of the store that were added, changed or removed since the last refresh. */
  refresh(): Promise<void>;
  /**
   * Returns the store that contains the accounts.
   * @throws StoreUnavailableError until the gateway has read the store for the first time
   */
  store(): SubmissionStore;
}

/** An account in the operator's list, without credentials and settings. */
export interface ListedAccount extends Account {
  readonly keptIn: "file" | "store";
  /** The account's own quotas, which override the quotas of all accounts. */
  readonly quotas: QuotasConfiguration;
  /**
   * The first expiry of the account's credentials and client certificates, in the format of RFC 3339; null if no expiry
   * is known.
   */
  readonly expiresAt: string | null;
  /** The time of the last change, in the format of RFC 3339; null for an account in the file. */
  readonly changedAt: string | null;
}

/** Arguments of `openAccounts`. */
export interface AccountsParts {
  /** Returns the current settings. */
  readonly settings: () => Pick<Settings, "accounts" | "configuration">;
  /** Returns the current rules for accounts. */
  readonly rules: () => AccountRules;
  /** Called after an account of the store got other credentials or settings, or was removed. */
  readonly changed: (segment: string, id: string) => void;
  /** Called if an account of the store cannot be used, with the account's id and the reason. */
  readonly warn: (account: string, message: Message) => void;
}

/** The store after it was opened, with the encryption of its accounts. */
interface OpenedAccountStore {
  readonly store: SubmissionStore;
  readonly encryption: Encryption;
}

/** Decrypts and checks an account's row of the store. */
interface RowReader {
  readonly check: CheckAccount;
  readonly encryption: Encryption;
}

/** An account of the list in memory, with the data that callers of the list do not receive. */
interface AccountEntry extends Account {
  /** The index in `accounts.list` of the configuration file; null for an account of the store. */
  readonly place: number | null;
  /** Null if no key of this process decrypts the content. */
  readonly content: StoredContent | null;
  /** The state of the encrypted content in the store; null for an account of the file. */
  readonly stored: EncryptedState | null;
  readonly expiries: readonly Expiry[];
  readonly changedAt: number | null;
}

/**
 * Number of accounts that one query reads. A query for thousands of accounts needs memory that the process keeps.
 */
const ROWS_PER_BATCH = 100;

/**
 * Opens the list of accounts. At first the list contains the accounts of the configuration file. The store's accounts
 * are added when the store is open. The ids and tenants of the file's accounts stay the same as at the gateway's start.
 */
export function openAccounts(parts: AccountsParts): Accounts {
  const { changed, rules, settings, warn } = parts;
  const entries = new Map<string, AccountEntry>();
  const tenants = new Map<string, readonly AccountEntry[]>();
  /** The reason for each account of the store that conflicts with an account of the file, by id. */
  const conflicts = new Map<string, string>();
  let open: OpenedAccountStore | null = null;
  let revision = 0;

  const ofTenant = ({ issuer, name }: Tenant): readonly AccountEntry[] =>
    tenants.get(tenantKey(issuer, name)) ?? [];

  function remove(entry: AccountEntry): void {
    const { issuer, name } = entry.tenant;
    const left = ofTenant(entry.tenant).filter((one) => one !== entry);
    if (left.length === 0) tenants.delete(tenantKey(issuer, name));
    else tenants.set(tenantKey(issuer, name), left);
    entries.delete(entry.id);
  }

  function add(entry: AccountEntry): void {
    const { issuer, name } = entry.tenant;
    tenants.set(tenantKey(issuer, name), [...ofTenant(entry.tenant), entry]);
    entries.set(entry.id, entry);
  }

  /**
   * Creates an entry of the list of accounts from a row of the store. If the row cannot be decrypted, `content` is
   * null.
   */
  function entryOf(
    row: StoredAccount,
    stored: StoredSecret,
    { check, encryption }: RowReader,
  ): AccountEntry {
    const { changedAt, id, issuer, revision, segment, tenant: name } = row;
    const tenant = { issuer, name };
    const content = decryptContent(encryption, id, stored);
    if (content === null)
      warn(
        id,
        "an account in the store cannot be decrypted with submissions.keys, and is not used",
      );
    const read = content === null ? undefined : check({ ...content, segment, tenant }, () => {});
    const expiries = expiriesOfAccount(segment, content?.credentials, read);
    const { keyId } = stored;
    return {
      id,
      segment,
      tenant,
      place: null,
      content,
      stored: { keyId, revision },
      expiries,
      changedAt,
    };
  }

  /**
   * Returns the reason why an account of the store cannot be in the list: an account of the file has the same id or the
   * same tenant.
   */
  function conflictOf({ content, id, issuer, segment, tenant }: StoredAccount): string | null {
    const sameId = entries.get(id);
    if (typeof sameId?.place === "number")
      return `accounts.list[${sameId.place}].id: "${id}" is, or was, the id of an account in the store; choose another id`;
    const same = ofTenant({ issuer, name: tenant }).find((one) => one.segment === segment);
    if (content === null || typeof same?.place !== "number") return null;
    return `accounts.list[${same.place}].tenant: already has an account at this provider in the store, "${id}"`;
  }

  function replaceEntry(row: StoredAccount, reading: RowReader): void {
    const before = entries.get(row.id);
    if (before !== undefined) remove(before);
    if (row.content !== null) add(entryOf(row, row.content, reading));
    if (before !== undefined) changed(row.segment, row.id);
  }

  function noteConflict(account: string, conflict: string): void {
    conflicts.set(account, conflict);
    warn(
      account,
      "an account in the store has the id or the tenant of one in the file, and is not used",
    );
  }

  async function readFrom({ encryption, store }: OpenedAccountStore): Promise<void> {
    const reading = { check: createAccountCheck(rules()), encryption };
    for (;;) {
      const rows = await store.accountsSince(revision, ROWS_PER_BATCH);
      // A later call of this function may have read newer rows already.
      for (const row of rows.filter((one) => one.revision > revision)) {
        const conflict = conflictOf(row);
        conflicts.delete(row.id);
        if (conflict === null) replaceEntry(row, reading);
        else noteConflict(row.id, conflict);
        revision = row.revision;
      }
      if (rows.length < ROWS_PER_BATCH) return;
    }
  }

  for (const [place, { id, segment, tenant }] of settings().configuration.accounts.list.entries())
    add({ id, segment, tenant, place, content: {}, stored: null, expiries: [], changedAt: null });

  const configured = ({ place }: AccountEntry): AccountConfiguration | undefined =>
    settings().configuration.accounts.list[place ?? -1];
  const quotasIn = (entry: AccountEntry): QuotasConfiguration =>
    (configured(entry) ?? entry.content)?.quotas ?? {};

  return {
    store() {
      if (open === null) throw new StoreUnavailableError("not open", false);
      return open.store;
    },
    find: (issuer, name) => ofTenant({ issuer, name }).filter(({ content }) => content !== null),
    areKnown: (issuer, name) =>
      open !== null && ofTenant({ issuer, name }).every(({ content }) => content !== null),
    async read(segment, id) {
      const entry = entries.get(id);
      if (entry?.segment !== segment) return null;
      if (entry.place !== null) return settings().accounts.get(id) ?? null;
      if (entry.content === null) throw storeUnavailableRefusal();
      if (rules().installed.every((provider) => provider.segment !== segment)) return null;
      return createAccountCheck(rules())({ ...entry, ...entry.content }, () => {});
    },
    quotasOf(id) {
      const entry = entries.get(id);
      return entry === undefined ? {} : quotasIn(entry);
    },
    expiries: () => [...entries.values()].flatMap(({ expiries }) => expiries),
    has: (id) => entries.has(id),
    list: () =>
      [...entries.values()]
        .map((entry) => {
          const { changedAt, id, place, segment, tenant } = entry;
          const expiries =
            place === null
              ? entry.expiries
              : expiriesOfAccount(
                  segment,
                  configured(entry)?.credentials,
                  settings().accounts.get(id),
                );
          return {
            id,
            segment,
            tenant,
            keptIn: place === null ? ("store" as const) : ("file" as const),
            quotas: quotasIn(entry),
            expiresAt:
              expiries.length === 0 ? null : formatTime(Math.min(...expiries.map(({ at }) => at))),
            changedAt: changedAt === null ? null : formatTime(changedAt),
          };
        })
        .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    async opened(store, encryption, reencrypts) {
      const opening = { store, encryption };
      await readFrom(opening);
      if (conflicts.size > 0)
        throw new ConfigurationError(settings().configuration.source, [...conflicts.values()]);
      open = opening;
      for (const { content, id, stored } of reencrypts ? entries.values() : [])
        if (content !== null && stored !== null && stored.keyId !== encryption.keyId)
          await store.encryptAccountAgain(id, encryptContent(encryption, id, content), stored);
    },
    async refresh() {
      if (open !== null) await readFrom(open);
    },
  };
}

function tenantKey(issuer: string, name: string): string {
  return JSON.stringify([issuer, name]);
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
