import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
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
import { openSubmissionKeys } from "../configuration/submissions.ts";
import { checkStoreSecret, createEncryption, type Encryption } from "../store/encryption.ts";
import { StoreRefusedError } from "../store/faults.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";
import { instant, withStore } from "./submissions.ts";

/** What the command line says about a list. */
export interface ListAccountsOptions {
  readonly json?: boolean;
}

/** Lists the accounts of the configuration file and of the store. */
export async function listAccounts({ json }: ListAccountsOptions): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const settings = { configuration, installed: [], accounts: new Map() };
  const items = await withAccounts(settings, async (accounts) => accounts.list());
  if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("There are no accounts.");
  else await print(tableOf(items));
}

/** Adds an account to the store, or changes it. */
export async function setAccount(file: string | undefined): Promise<void> {
  const given = await readGiven(file);
  const { account, action } = await administered((accounts) => accounts.put(given, author()));
  await print(`${account} is ${action}.`);
}

/** Removes an account of the store. */
export async function removeAccount(id: string): Promise<void> {
  await administered((administration) => administration.remove(id, author()));
  await print(`${id} is removed.`);
}

/** Lists who changed which account of the store, the newest first. */
export async function listChanges({ json }: ListAccountsOptions): Promise<void> {
  const changes = await administered((administration) => administration.changes(MOST_CHANGES));
  const items = changes.map(({ at, ...change }) => ({ at: instant(at), ...change }));
  if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("No account was changed.");
  else
    await print(
      plainTable(
        ["at", "by", "action", "account"],
        items.map(({ action, at, by, account }) => [at, by, action, account]),
      ).text,
    );
}

const MOST_CHANGES = 1_000;

/** The user of the operating system who runs the command. */
function author(): string {
  return userInfo().username;
}

type CommandSettings = Pick<Settings, "accounts" | "configuration" | "installed">;

/** Opens the list of accounts for a command. Without a store, it has those of the file. */
export async function withAccounts<Result>(
  settings: CommandSettings,
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
    process.stderr.write(`${error.message} Only accounts of the configuration file are known.\n`);
    return work(accounts);
  }
}

/** Opens the administration of the configured store for a command. */
async function administered<Result>(
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

/** Reads JSON from a file or from standard input, with the secrets that it names. */
async function readGiven(file: string | undefined): Promise<unknown> {
  const content = file === undefined ? await text(process.stdin) : readFileSync(file, "utf8");
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

function tableOf(items: readonly ListedAccount[]): string {
  const rows = items.map(({ changedAt, expiresAt, id, keptIn, segment, tenant }) => [
    id,
    segment,
    tenant.name,
    tenant.issuer,
    keptIn,
    changedAt ?? "-",
    expiresAt ?? "-",
  ]);
  return plainTable(["id", "segment", "tenant", "issuer", "kept in", "changed", "expires"], rows)
    .text;
}
