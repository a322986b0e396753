import type { ReadAccount } from "../configuration/account.ts";
import type { Expiry } from "../configuration/expiries.ts";
import type { AccountConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import type { Settings } from "../configuration/settings.ts";
import type { SubmissionStore } from "../store/store.ts";
import { createAccountIndex, type FindAccounts } from "./tenants.ts";

/** Where the accounts of a gateway are, and how they are read. */
export interface AccountSource {
  readonly find: FindAccounts;
  readonly read: ReadAccount;
  /** An account's own quotas, which override those of all accounts. */
  quotasOf(id: string): QuotasConfiguration;
  /** When credentials and certificates of accounts in the store end; those of the file are in the settings. */
  expiries(): readonly Expiry[];
  /** Whether there is an account with this id. */
  has(id: string): boolean;
  /** Takes the store as soon as it is open, before anything is served from it. */
  opened(store: SubmissionStore): Promise<void>;
  /** Reads the accounts that were added, changed or removed since the last time. */
  refresh(): Promise<void>;
}

/** The accounts of a configuration file. Their ids and tenants stay as they were at the start. */
export function configuredAccounts(
  current: () => Pick<Settings, "configuration" | "accounts">,
): AccountSource {
  const index = createAccountIndex();
  const { list } = current().configuration.accounts;
  const places = new Map(list.map(({ id }, place) => [id, place]));
  for (const account of list) index.add(account);
  const configured = (id: string): AccountConfiguration | undefined =>
    current().configuration.accounts.list[places.get(id) ?? -1];
  return {
    find: index.find,
    has: (id) => places.has(id),
    quotasOf: (id) => configured(id)?.quotas ?? {},
    expiries: () => [],
    async read(segment, id) {
      if (configured(id)?.segment !== segment) return null;
      return current().accounts.get(id) ?? null;
    },
    opened: async () => {},
    refresh: async () => {},
  };
}
