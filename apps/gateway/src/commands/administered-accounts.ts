import { type Accounts, type ListedAccount, openAccounts } from "../accounts/accounts.ts";
import { type AccountAdministration, createAdministration } from "../accounts/administration.ts";
import { type AccountRules, readAccounts } from "../configuration/account-check.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { diskFiles } from "../configuration/files.ts";
import { loadConfiguration } from "../configuration/load.ts";
import { isProduction } from "../configuration/production.ts";
import { installProviders } from "../configuration/providers.ts";
import { secret } from "../configuration/schema/secret.ts";
import { createReadSecret, type ReadSecret } from "../configuration/secrets.ts";
import type { Settings } from "../configuration/settings.ts";
import { StoreRefusedError, StoreUnavailableError } from "../store/faults.ts";
import { openEncryption, withStore } from "./configured-store.ts";

/** Prints a warning. The command continues after the warning. */
export type Warn = (message: string) => void;

/** Lists the accounts of the configuration file and of the store. */
export async function knownAccounts(warn: Warn): Promise<readonly ListedAccount[]> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const settings = { configuration, installed: [], accounts: new Map() };
  // Faults are ignored, because the list also has accounts whose secrets the command cannot read.
  const accounts = readAccounts(configuration, rulesOf(settings), () => {});
  return withAccounts({ ...settings, accounts }, warn, async (known) => known.list());
}

type CommandSettings = Pick<Settings, "accounts" | "configuration" | "installed">;

/** Opens the list of accounts for a command. Without the store or its key, the list has only the file's accounts. */
export async function withAccounts<Result>(
  settings: CommandSettings,
  warn: Warn,
  work: (accounts: Accounts) => Promise<Result>,
): Promise<Result> {
  const accounts = openCommandAccounts(settings, warn);
  const warnOf = ({ message }: Error): void =>
    warn(`${message}\nOnly accounts of the configuration file are known.`);
  try {
    return await withStore(async (open) => {
      const encryption = await openEncryption(open).catch((error: unknown) => {
        if (!(error instanceof ConfigurationError)) throw error;
        warnOf(error);
        return null;
      });
      if (encryption !== null) await accounts.opened(open.store, encryption, false);
      return work(accounts);
    });
  } catch (error) {
    if (!(error instanceof StoreRefusedError || error instanceof StoreUnavailableError))
      throw error;
    warnOf(error);
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
  return withStore(async (open) => {
    const encryption = await openEncryption(open);
    const accounts = openCommandAccounts(settings, () => {});
    await accounts.opened(open.store, encryption, false);
    const rules = rulesOf(settings);
    const changed = (): void => {};
    const now = (): number => Date.now();
    return work(createAdministration({ accounts, encryption, rules, now, changed }));
  });
}

function openCommandAccounts(settings: CommandSettings, warn: Warn): Accounts {
  return openAccounts({
    settings: () => settings,
    rules: () => rulesOf(settings),
    changed: () => {},
    warn: (account, message) => warn(`${account}: ${message}.`),
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
 * Reads an account from JSON, and the secrets whose environment variables or files the JSON names.
 * @throws Error if the content is not JSON, or a secret cannot be read; the message contains no secret
 */
export function readGivenAccount(content: string): unknown {
  const faults: string[] = [];
  const readSecret = createReadSecret(process.env, process.cwd(), diskFiles);
  const given = withSecrets(parseAccount(content), readSecret, (message) => faults.push(message));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return given;
}

function parseAccount(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's error message could quote a secret of the account.
    throw new Error("The account is not JSON.");
  }
}

/** Replaces each place of a secret, `{ env }` or `{ file }`, with the secret's text. */
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
