import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import {
  administerAccounts,
  knownAccounts,
  type ListedAccount,
  readGivenAccount,
} from "@insurance-gateway/gateway/store";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";
import { instant } from "./submissions.ts";

/** The options of the command that lists. */
export interface ListAccountsOptions {
  readonly json?: boolean;
}

/** Lists the accounts of the configuration file and of the store. */
export async function listAccounts({ json }: ListAccountsOptions): Promise<void> {
  const items = await knownAccounts((message) => process.stderr.write(`${message}\n`));
  if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("There are no accounts.");
  else await print(tableOf(items));
}

/** Adds an account to the store, or changes it. */
export async function setAccount(file: string | undefined): Promise<void> {
  const given = await readGiven(file);
  const { account, action } = await administerAccounts((accounts) => accounts.put(given, author()));
  await print(`${account} is ${action}.`);
}

/** Removes an account of the store. */
export async function removeAccount(id: string): Promise<void> {
  await administerAccounts((administration) => administration.remove(id, author()));
  await print(`${id} is removed.`);
}

/** Lists who changed which account of the store, the newest first. */
export async function listChanges({ json }: ListAccountsOptions): Promise<void> {
  const changes = await administerAccounts((administration) =>
    administration.changes(MOST_CHANGES),
  );
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

/** Reads an account from a file or from standard input, with the secrets that it names. */
async function readGiven(file: string | undefined): Promise<unknown> {
  return readGivenAccount(
    file === undefined ? await text(process.stdin) : readFileSync(file, "utf8"),
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
