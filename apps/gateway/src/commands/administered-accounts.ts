import { type Accounts, type ListedAccount, openAccounts } from "../accounts/accounts.ts";
import { type AccountAdministration, createAdministration } from "../accounts/administration.ts";
import type { AccountRules } from "../configuration/account-check.ts";
import { diskFiles } from "../configuration/files.ts";
import { loadConfiguration } from "../configuration/load.ts";
import { isProduction } from "../configuration/production.ts";
import { installProviders } from "../configuration/providers.ts";
import { secret } from "../configuration/schema/secret.ts";
import { createReadSecret, type ReadSecret } from "../configuration/secrets.ts";
import type { Settings } from "../configuration/settings.ts";
import { openSubmissionKeys } from "../configuration/submission-store.ts";
import { checkStoreSecret, createEncryption, type Encryption } from "../store/encryption.ts";
import { StoreRefusedError } from "../store/faults.ts";
import { withStore } from "./configured-store.ts";

/** Gets what a person should know, although the command goes on. */
export type Warn = (message: string) => void;

/** Lists the accounts of the configuration file and of the store. */
export async function knownAccounts(warn: Warn): Promise<readonly ListedAccount[]> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const settings = { configuration, installed: [], accounts: new Map() };
  return withAccounts(settings, warn, async (accounts) => accounts.list());
}

type CommandSettings = Pick<Settings, "accounts" | "configuration" | "installed">;

/** Opens the list of accounts for a command. Without a store, it has those of the file. */
export async function withAccounts<Result>(
  settings: CommandSettings,
  warn: Warn,
  work: (accounts: Accounts) => Promise<Result>,
): Promise<Result> {
  const encryption = await openEncryption(settings);
  const accounts = openFor(settings, encryption);
  try {
    return await withStore(async ({ store }) => {
      await checkStoreSecret(store, encryption, settings.configuration.source);
      await accounts.opened(store, false);
      return work(accounts);
    });
  } catch (error) {
    if (!(error instanceof StoreRefusedError)) throw error;
    warn(`${error.message} Only accounts of the configuration file are known.`);
    return work(accounts);
  }
}

/** Opens the administration of the accounts in the configured store for a command. */
export async function administerAccounts<Result>(
  work: (administration: AccountAdministration) => Promise<Result>,
): Promise<Result> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const installed = await installProviders(configuration, process.env);
  const settings = { configuration, installed, accounts: new Map() };
  const encryption = await openEncryption(settings);
  return withStore(async ({ store }) => {
    await checkStoreSecret(store, encryption, configuration.source);
    const accounts = openFor(settings, encryption);
    await accounts.opened(store, false);
    const rules = rulesOf(settings);
    const changed = (): void => {};
    const now = (): number => Date.now();
    return work(createAdministration({ accounts, encryption, rules, now, changed }));
  });
}

async function openEncryption({ configuration }: CommandSettings): Promise<Encryption> {
  return createEncryption(await openSubmissionKeys(configuration, process.env, "beside"));
}

function openFor(settings: CommandSettings, encryption: Encryption): Accounts {
  return openAccounts({
    settings: () => settings,
    rules: () => rulesOf(settings),
    encryption,
    changed: () => {},
    logger: { warn: () => {} },
  });
}

function rulesOf({ configuration, installed }: CommandSettings): AccountRules {
  return {
    installed,
    issuers: configuration.issuers.map(({ issuer }) => issuer),
    isProduction: isProduction(process.env),
    readSecret: createReadSecret(process.env, configuration.folder, diskFiles),
  };
}

/**
 * Reads an account from JSON, with the secrets that it names.
 * @throws Error when it is not JSON, or a secret cannot be read; the message has no secret
 */
export function readGivenAccount(content: string): unknown {
  const faults: string[] = [];
  const readSecret = createReadSecret(process.env, process.cwd(), diskFiles);
  const given = withSecrets(parse(content), readSecret, (message) => faults.push(message));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return given;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's message would quote a secret.
    throw new Error("The account is not JSON.");
  }
}

/** Replaces the name of each secret with its text. */
function withSecrets(
  value: unknown,
  readSecret: ReadSecret,
  fault: (message: string) => void,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withSecrets(one, readSecret, fault));
  const named = secret.safeParse(value);
  if (named.success) return readSecret(named.data, fault);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withSecrets(one, readSecret, fault)]),
  );
}
