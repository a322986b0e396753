import { ConfigurationError } from "../configuration/configuration-error.ts";
import { diskFiles } from "../configuration/files.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import { isProduction } from "../configuration/production.ts";
import { createReadSecret } from "../configuration/secrets.ts";
import type { Settings } from "../configuration/settings.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { Encryption } from "../store/encryption.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import { type AccountSource, configuredAccounts } from "./account-source.ts";
import { type AccountAdministration, createAdministration } from "./administration.ts";
import { everyId, storedAccounts } from "./stored-accounts.ts";
import { createTenants, type Tenants } from "./tenants.ts";

/** The accounts of a gateway. */
export interface Accounts {
  readonly source: AccountSource;
  readonly tenants: Tenants;
  /** How they are changed over HTTP; null where they are in the file. */
  readonly administered: AdministeredAccounts | null;
}

/** Accounts that are changed over HTTP. */
export interface AdministeredAccounts {
  /** The bearer token that a request must have now; null where the routes are not served. */
  readonly token: () => string | null;
  /** Null while the store cannot be reached. */
  readonly administration: () => AccountAdministration | null;
}

/** What accounts are opened with. */
export interface AccountsParts {
  /** The settings that count now. */
  readonly settings: () => Settings;
  readonly environment: Environment;
  /** The issuers whose tokens are accepted now. */
  readonly issuers: () => readonly string[];
  readonly encryption: Encryption;
  readonly time: Pick<Time, "now">;
  /** Called for an account of the store with other credentials or settings, and for one that was removed. */
  readonly changed: (segment: string, id: string) => void;
  readonly logger: Logger;
}

/**
 * Refuses an account of the file whose id is, or was, that of one in the store: submissions name who sent them by it.
 * @throws ConfigurationError
 */
async function refuseInBoth(
  { accounts, source }: Configuration,
  store: SubmissionStore,
): Promise<void> {
  const known = await everyId(store);
  const faults = accounts.list.flatMap(({ id }, index) =>
    known.has(id)
      ? [
          `accounts.list[${index}].id: "${id}" is, or was, the id of an account in the store; give this one another id`,
        ]
      : [],
  );
  if (faults.length > 0) throw new ConfigurationError(source, faults);
}

/** Opens the accounts of a configuration, in its file or in the store. */
export function openAccounts(parts: AccountsParts): Accounts {
  const { changed, encryption, environment, issuers, logger, settings, time } = parts;
  const { accounts, folder } = settings().configuration;
  const { claim, keptIn } = accounts;
  if (keptIn === "file") {
    const source: AccountSource = {
      ...configuredAccounts(settings),
      opened: (store) => refuseInBoth(settings().configuration, store),
    };
    return { source, tenants: createTenants(claim, source.find), administered: null };
  }
  const readSecret = createReadSecret(environment, folder, diskFiles);
  const installed = (): Settings["installed"] => settings().installed;
  const source = storedAccounts({ installed, encryption, readSecret, changed });
  const administration = (): AccountAdministration | null => {
    const store = source.store();
    if (store === null) return null;
    return createAdministration({
      store,
      encryption,
      installed: installed(),
      issuers: issuers(),
      readSecret,
      now: () => time.now(),
      isProduction: isProduction(environment),
      changed: ({ action, by, account }) =>
        logger.info({ action, by, account }, "an account was changed"),
    });
  };
  return {
    source,
    tenants: createTenants(claim, source.find),
    administered: { token: () => settings().accountsToken, administration },
  };
}
