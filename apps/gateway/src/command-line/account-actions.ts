import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import {
  type AccountAdministration,
  createAdministration,
  type ListedAccount,
} from "../accounts/administration.ts";
import { DEVELOPMENT_ISSUER } from "../callers/development-issuer.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { diskFiles } from "../configuration/files.ts";
import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import { isProduction } from "../configuration/production.ts";
import { installProviders } from "../configuration/providers.ts";
import { secret } from "../configuration/schema/secret.ts";
import { createReadSecret, type ReadSecret } from "../configuration/secrets.ts";
import { openSubmissionKeys } from "../configuration/submissions.ts";
import { checkStoreSecret, createEncryption } from "../store/encryption.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";
import { instant, withStore } from "./submissions.ts";

/** What the command line says about the list. */
export interface ListAccountsOptions {
  readonly json?: boolean;
}

/** Lists the accounts of the configuration file, or of the store. */
export async function listAccounts({ json }: ListAccountsOptions): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const { keptIn, list } = configuration.accounts;
  const items: readonly Partial<ListedAccount>[] =
    keptIn === "file"
      ? list.map(({ id, segment, tenant }) => ({ id, segment, tenant }))
      : await administered((administration) => administration.list());
  if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("There are no accounts.");
  else await print(tableOf(items));
}

/** Adds an account to the store. */
export async function addAccount(file: string | undefined): Promise<void> {
  const given = await readGiven(file);
  const { id } = await administered((administration) => administration.add(given, author()));
  await print(`${id} is added.`);
}

/** Replaces what an account of the store uses. */
export async function rotateAccount(id: string, file: string | undefined): Promise<void> {
  const given = await readGiven(file);
  await administered((administration) => administration.rotate(id, given, author()));
  await print(`${id} has new credentials and settings.`);
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

/** Opens the administration of the configured store for a command. */
async function administered<Result>(
  work: (administration: AccountAdministration) => Promise<Result>,
): Promise<Result> {
  const configuration = loadConfiguration(process.env, process.cwd());
  refuseFile(configuration);
  const installed = await installProviders(configuration, process.env);
  const keys = await openSubmissionKeys(configuration, process.env, "beside");
  const encryption = createEncryption(keys);
  return withStore(async ({ store }) => {
    await checkStoreSecret(store, encryption, configuration.source);
    const issuers = configuration.issuers.map(({ issuer }) => issuer);
    return work(
      createAdministration({
        store,
        encryption,
        installed,
        issuers: issuers.length === 0 ? [DEVELOPMENT_ISSUER] : issuers,
        readSecret: createReadSecret(process.env, configuration.folder, diskFiles),
        now: () => Date.now(),
        isProduction: isProduction(process.env),
        changed: () => {},
      }),
    );
  });
}

function refuseFile({ accounts, source }: Configuration): void {
  if (accounts.keptIn === "file")
    throw new ConfigurationError(source, [
      'accounts.keptIn: is "file": change accounts.list there, or keep them in the "store"',
    ]);
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

function tableOf(items: readonly Partial<ListedAccount>[]): string {
  const rows = items.map(({ changedAt, expiresAt, id, segment, tenant }) => [
    id ?? "-",
    segment ?? "-",
    tenant?.name ?? "-",
    tenant?.issuer ?? "-",
    changedAt ?? "-",
    expiresAt ?? "-",
  ]);
  return plainTable(["id", "segment", "tenant", "issuer", "changed", "expires"], rows).text;
}
