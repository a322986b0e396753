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

/** The accounts of a gateway: those of the configuration file and those of the store, in one list in memory. */
export interface Accounts {
  /** The accounts of a tenant that can be used. */
  find(issuer: string, name: string): readonly Account[];
  /** Whether all accounts of a tenant could be read from the store: if not, it may have more than are found. */
  areKnown(issuer: string, name: string): boolean;
  /** Reads what an account uses. */
  readonly read: ReadAccount;
  /** An account's own quotas, which override those of all accounts. */
  quotasOf(id: string): QuotasConfiguration;
  /** When credentials and certificates of accounts in the store end; those of the file are in the settings. */
  expiries(): readonly Expiry[];
  has(id: string): boolean;
  /** By id, without credentials and settings. */
  list(): readonly ListedAccount[];
  /**
   * Takes the store as soon as it is open, before anything is served from it.
   * @param encryption - with the keys of the store's accounts
   * @param reencrypts - whether accounts that an older key encrypted are encrypted with the current one
   * @throws ConfigurationError when an account in the file has the id or the tenant of one in the store
   */
  opened(store: SubmissionStore, encryption: Encryption, reencrypts: boolean): Promise<void>;
  /** Reads the accounts of the store that were added, changed or removed since the last time. */
  refresh(): Promise<void>;
  /**
   * The store.
   * @throws StoreUnavailableError until it could be read once
   */
  store(): SubmissionStore;
}

/** An account as the operator reads it. */
export interface ListedAccount extends Account {
  readonly keptIn: "file" | "store";
  /** Its own quotas, which override those of all accounts. */
  readonly quotas: QuotasConfiguration;
  /** When the first of its credentials and client certificates ends, an instant of RFC 3339; null when no end is known. */
  readonly expiresAt: string | null;
  /** When it was added or changed last, an instant of RFC 3339; null for one in the file. */
  readonly changedAt: string | null;
}

/** The parts that accounts are opened with. */
export interface AccountsParts {
  /** The settings that count now. */
  readonly settings: () => Pick<Settings, "accounts" | "configuration">;
  /** The rules that count now. */
  readonly rules: () => AccountRules;
  /** Called for an account of the store with other credentials or settings, and for one that was removed. */
  readonly changed: (segment: string, id: string) => void;
  /** Called for an account of the store that is not used, with the reason. */
  readonly warn: (account: string, message: Message) => void;
}

/** The settings of an account in the store, with its secrets. */
export type StoredContent = Pick<AccountConfiguration, "credentials" | "quotas" | "settings">;

/** The store of accounts, and how they are encrypted in it. */
interface Opened {
  readonly store: SubmissionStore;
  readonly encryption: Encryption;
}

/** The parts that read rows of the store. */
interface Reading {
  readonly check: CheckAccount;
  readonly encryption: Encryption;
}

/** An account of the list. */
interface Entry extends Account {
  /** Its place in the file's list; null for one of the store. */
  readonly place: number | null;
  /** Null where none of the keys of this process decrypts it. */
  readonly content: StoredContent | null;
  /** How the store has the content; null for an account of the file. */
  readonly stored: EncryptedState | null;
  readonly expiries: readonly Expiry[];
  readonly changedAt: number | null;
}

/** How many accounts are read at once: thousands would take memory that the process keeps. */
const AT_ONCE = 100;

/**
 * Opens the list with the accounts of the file; those of the store follow when it is open. The ids and tenants of the
 * file's accounts stay as they were at the start.
 */
export function openAccounts(parts: AccountsParts): Accounts {
  const { changed, rules, settings, warn } = parts;
  const entries = new Map<string, Entry>();
  const tenants = new Map<string, readonly Entry[]>();
  /** By the id of an account in the store: why it cannot be in the list. They count until they are resolved. */
  const conflicts = new Map<string, string>();
  let open: Opened | null = null;
  let revision = 0;

  const ofTenant = ({ issuer, name }: Tenant): readonly Entry[] =>
    tenants.get(keyOf(issuer, name)) ?? [];

  function remove(entry: Entry): void {
    const { issuer, name } = entry.tenant;
    const left = ofTenant(entry.tenant).filter((one) => one !== entry);
    if (left.length === 0) tenants.delete(keyOf(issuer, name));
    else tenants.set(keyOf(issuer, name), left);
    entries.delete(entry.id);
  }

  function add(entry: Entry): void {
    const { issuer, name } = entry.tenant;
    tenants.set(keyOf(issuer, name), [...ofTenant(entry.tenant), entry]);
    entries.set(entry.id, entry);
  }

  /** Reads an account of the store. One that cannot be decrypted stays in the list, without its content. */
  function entryOf(
    row: StoredAccount,
    stored: StoredSecret,
    { check, encryption }: Reading,
  ): Entry {
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

  /** Says why an account of the store cannot be in the list: one of the file has its id or its tenant. */
  function conflictOf({ content, id, issuer, segment, tenant }: StoredAccount): string | null {
    const sameId = entries.get(id);
    if (typeof sameId?.place === "number")
      return `accounts.list[${sameId.place}].id: "${id}" is, or was, the id of an account in the store; give this one another id`;
    const same = ofTenant({ issuer, name: tenant }).find((one) => one.segment === segment);
    if (content === null || typeof same?.place !== "number") return null;
    return `accounts.list[${same.place}].tenant: has an account to this provider in the store, "${id}"`;
  }

  function take(row: StoredAccount, reading: Reading): void {
    const before = entries.get(row.id);
    if (before !== undefined) remove(before);
    if (row.content !== null) add(entryOf(row, row.content, reading));
    if (before !== undefined) changed(row.segment, row.id);
  }

  function refuse(account: string, conflict: string): void {
    conflicts.set(account, conflict);
    warn(
      account,
      "an account in the store has the id or the tenant of one in the file, and is not used",
    );
  }

  async function readFrom({ encryption, store }: Opened): Promise<void> {
    const reading = { check: createAccountCheck(rules()), encryption };
    for (;;) {
      const rows = await store.accountsSince(revision, AT_ONCE);
      // Another reading, which has begun meanwhile, may have been faster.
      for (const row of rows.filter((one) => one.revision > revision)) {
        const conflict = conflictOf(row);
        conflicts.delete(row.id);
        if (conflict === null) take(row, reading);
        else refuse(row.id, conflict);
        revision = row.revision;
      }
      if (rows.length < AT_ONCE) return;
    }
  }

  for (const [place, { id, segment, tenant }] of settings().configuration.accounts.list.entries())
    add({ id, segment, tenant, place, content: {}, stored: null, expiries: [], changedAt: null });

  const configured = ({ place }: Entry): AccountConfiguration | undefined =>
    settings().configuration.accounts.list[place ?? -1];
  const quotasIn = (entry: Entry): QuotasConfiguration =>
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
              expiries.length === 0 ? null : instant(Math.min(...expiries.map(({ at }) => at))),
            changedAt: changedAt === null ? null : instant(changedAt),
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

function keyOf(issuer: string, name: string): string {
  return JSON.stringify([issuer, name]);
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** Encrypts what an account uses and may do, bound to its id. */
export function encryptContent(
  encryption: Encryption,
  id: string,
  { credentials, quotas, settings }: StoredContent,
): StoredSecret {
  const text = JSON.stringify({ credentials, quotas, settings });
  return {
    keyId: encryption.keyId,
    encrypted: encryption.encrypt(Buffer.from(text), placeOf(id)),
  };
}

/** Decrypts a row; null if the key is another one, or the row was changed. */
function decryptContent(
  encryption: Encryption,
  id: string,
  stored: StoredSecret,
): StoredContent | null {
  try {
    const bytes = encryption.decrypt(stored.encrypted, stored.keyId, placeOf(id));
    // This gateway checked and encrypted the content, above.
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as StoredContent;
  } catch {
    return null;
  }
}

function placeOf(id: string): string {
  return `account ${id}`;
}
