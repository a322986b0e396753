import type { AccountContent } from "../configuration/account.ts";
import type { Expiry } from "../configuration/expiries.ts";
import type { AccountConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import { type AccountProvider, createReadContent } from "../configuration/file-accounts.ts";
import { secret } from "../configuration/schema/secret.ts";
import type { ReadSecret, SecretFault } from "../configuration/secrets.ts";
import type { StoredAccount, StoredTerms } from "../store/account-rows.ts";
import type { Encryption } from "../store/encryption.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { StoredSecret } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { storeUnavailable } from "../store/unavailable.ts";
import type { AccountSource } from "./account-source.ts";
import { createAccountIndex } from "./tenants.ts";

/** What an account in the store uses, with its secrets. */
export type GivenContent = Pick<AccountConfiguration, "credentials" | "settings">;

/** Encrypts what an account uses, bound to its id. */
export function encryptContent(
  encryption: Encryption,
  id: string,
  { credentials, settings }: GivenContent,
): StoredSecret {
  const text = JSON.stringify({ credentials, settings });
  return {
    keyId: encryption.keyId,
    encrypted: encryption.encrypt(Buffer.from(text), placeOf(id)),
  };
}

function decryptContent(encryption: Encryption, id: string, stored: StoredSecret): GivenContent {
  const bytes = encryption.decrypt(stored.encrypted, stored.keyId, placeOf(id));
  // What can be decrypted was checked and encrypted by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as GivenContent;
}

function placeOf(id: string): string {
  return `account ${id}`;
}

/** Reports everything that is wrong with what an account is to use. */
export function checkContent(
  content: GivenContent,
  provider: AccountProvider,
  readSecret: ReadSecret,
  fault: SecretFault,
): AccountContent {
  // Somebody who may add accounts must not read the gateway's environment or files.
  for (const [name, value] of Object.entries(content.settings ?? {}))
    if (secret.safeParse(value).success)
      fault(`settings.${name}`, "must be the value itself: it is encrypted in the store");
  return createReadContent(readSecret)(content, provider, fault);
}

/** How many accounts are read or encrypted at once: thousands would take memory that the process keeps. */
const AT_ONCE = 100;

/** Reads the accounts that changed after a revision, removed ones included, the oldest change first. */
async function* changedSince(
  store: SubmissionStore,
  revision: number,
): AsyncGenerator<StoredAccount> {
  for (let last = revision; ; ) {
    const rows = await store.accountsSince(last, AT_ONCE);
    yield* rows;
    last = rows.at(-1)?.revision ?? last;
    if (rows.length < AT_ONCE) return;
  }
}

/** Lists the accounts of a store. */
export async function listAccounts(store: SubmissionStore): Promise<readonly StoredAccount[]> {
  // One that changes meanwhile is read twice; the last reading counts.
  const found = new Map<string, StoredAccount>();
  for await (const row of changedSince(store, 0))
    if (row.removed) found.delete(row.id);
    else found.set(row.id, row);
  return [...found.values()];
}

/** The ids of all accounts that are, or were, in a store. */
export async function everyId(store: SubmissionStore): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of changedSince(store, 0)) ids.add(id);
  return ids;
}

/** The part of a stored account that is kept in memory. */
type KnownTerms = StoredTerms & Pick<StoredAccount, "segment">;

function termsOf({
  certificateEndsAt,
  credentialsEndAt,
  requestsPerDay,
  segment,
  submissionsPerDay,
}: KnownTerms): KnownTerms {
  return { certificateEndsAt, credentialsEndAt, requestsPerDay, segment, submissionsPerDay };
}

function hasTerms({ segment: _segment, ...terms }: KnownTerms): boolean {
  return Object.values(terms).some((term) => term !== null);
}

/** When the credentials and certificates of an account in the store end. */
export function endsOf({
  certificateEndsAt,
  credentialsEndAt,
  segment,
}: Pick<KnownTerms, "certificateEndsAt" | "credentialsEndAt" | "segment">): readonly Expiry[] {
  const end = (what: Expiry["what"], at: number | null): readonly Expiry[] =>
    at === null ? [] : [{ what, segment, at }];
  return [...end("credentials", credentialsEndAt), ...end("client_certificate", certificateEndsAt)];
}

/** The quotas of its own that an account in the store has. */
export function storedQuotas({
  requestsPerDay,
  submissionsPerDay,
}: Pick<KnownTerms, "requestsPerDay" | "submissionsPerDay">): QuotasConfiguration {
  return {
    ...(requestsPerDay === null ? {} : { requestsPerDay }),
    ...(submissionsPerDay === null ? {} : { submissionsPerDay }),
  };
}

/** What the accounts of a store are read with. */
export interface StoredAccountsParts {
  /** The providers with the settings that count now. */
  readonly installed: () => readonly AccountProvider[];
  readonly encryption: Encryption;
  /** Reads the secrets of the providers' own settings, which accounts share. */
  readonly readSecret: ReadSecret;
  /** Called for an account with other credentials or settings, and for one that was removed. */
  readonly changed: (segment: string, id: string) => void;
}

/** The accounts of a store, which can be changed while the gateway serves. */
export interface StoredAccounts extends AccountSource {
  /** The store, once it could be reached. */
  store(): SubmissionStore | null;
  /** Takes a store to read from, and leaves it as it is. */
  attach(store: SubmissionStore): Promise<void>;
}

/**
 * The accounts of the store: which tenant has which is in memory, and is read again when something has changed; what
 * one uses is read when it is first used. Until the store can be reached, every call is refused.
 */
export function storedAccounts({
  changed,
  encryption,
  installed,
  readSecret,
}: StoredAccountsParts): StoredAccounts {
  const index = createAccountIndex();
  const known = new Map<string, KnownTerms>();
  /** Most accounts of a segment have no terms: these share one object, which saves memory for thousands. */
  const withoutTerms = new Map<string, KnownTerms>();
  let store: SubmissionStore | null = null;
  let revision = 0;

  function take(row: StoredAccount): void {
    const { id, segment } = row;
    const account = { id, segment, tenant: { issuer: row.issuer, name: row.tenant } };
    const isKnown = known.has(id);
    if (row.removed) {
      known.delete(id);
      if (isKnown) index.remove(account);
    } else {
      const terms = termsOf(row);
      const own = hasTerms(terms) ? terms : (withoutTerms.get(segment) ?? terms);
      if (!hasTerms(own)) withoutTerms.set(segment, own);
      known.set(id, own);
      if (!isKnown) index.add(account);
    }
    if (isKnown) changed(segment, id);
    revision = row.revision;
  }

  async function readFrom(from: SubmissionStore): Promise<void> {
    for await (const row of changedSince(from, revision)) take(row);
  }

  async function refresh(): Promise<void> {
    if (store !== null) await readFrom(store);
  }

  async function attach(openedStore: SubmissionStore): Promise<void> {
    // Until all were read once, nobody is told that a tenant has no account.
    await readFrom(openedStore);
    store = openedStore;
  }

  return {
    find(issuer, name) {
      if (store === null) throw storeUnavailable();
      return index.find(issuer, name);
    },
    has: (id) => known.has(id),
    quotasOf(id) {
      const row = known.get(id);
      return row === undefined ? {} : storedQuotas(row);
    },
    expiries: () => [...known.values()].flatMap(endsOf),
    async read(segment, id) {
      const provider = installed().find((one) => one.segment === segment);
      if (store === null || provider === undefined) return null;
      try {
        const stored = await store.accountContent(id);
        if (stored?.segment !== segment) return null;
        const content = decryptContent(encryption, id, stored);
        return createReadContent(readSecret)(content, provider, () => {});
      } catch (error) {
        throw error instanceof StoreUnavailableError ? storeUnavailable() : error;
      }
    },
    async opened(openedStore) {
      await encryptAgain(openedStore, encryption);
      await attach(openedStore);
    },
    attach,
    refresh,
    store: () => store,
  };
}

/** Encrypts with the first key what another one encrypted, so that the other can be dropped. */
async function encryptAgain(store: SubmissionStore, encryption: Encryption): Promise<void> {
  for (;;) {
    const old = await store.accountsNotEncryptedWith(encryption.keyId, AT_ONCE);
    for (const stored of old) {
      const content = decryptContent(encryption, stored.id, stored);
      await store.encryptAccountAgain(
        stored.id,
        encryptContent(encryption, stored.id, content),
        stored.keyId,
      );
    }
    if (old.length < AT_ONCE) return;
  }
}
