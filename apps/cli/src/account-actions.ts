import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import {
  administerAccounts,
  knownAccounts,
  readGivenAccount,
  tryAccounts,
  type Verification,
} from "@insurance-gateway/gateway/store";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-codes.ts";
import { type Columns, formatTable, printList } from "./output/list.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { safeJson } from "./output/safe-text.ts";
import { formatInstant } from "./submissions.ts";

interface JsonOption {
  readonly json?: boolean;
}

/** Lists the accounts of the configuration file and of the store. */
export async function listAccounts({ json }: JsonOption): Promise<void> {
  await printList(await knownAccounts(printWarning), {
    json,
    none: "There are no accounts.",
    columns: {
      id: ({ id }) => id,
      segment: ({ segment }) => segment,
      tenant: ({ tenant }) => tenant.name,
      issuer: ({ tenant }) => tenant.issuer,
      "kept in": ({ keptIn }) => keptIn,
      changed: ({ changedAt }) => changedAt,
      expires: ({ expiresAt }) => expiresAt,
    },
  });
}

/** Adds an account to the store, or replaces the account with the same ID. */
export async function setAccount(file: string | undefined): Promise<void> {
  const given = await readAccount(file);
  const { account, action } = await administerAccounts((accounts) =>
    accounts.put(given, currentUser()),
  );
  await print(`${account} is ${action}.`);
}

/** Removes an account from the store. */
export async function removeAccount(id: string): Promise<void> {
  await administerAccounts((administration) => administration.remove(id, currentUser()));
  await print(`${id} is removed.`);
}

/** Lists the changes of the store's accounts, newest first, each with the user who made the change. */
export async function listChanges({ json }: JsonOption): Promise<void> {
  const changes = await administerAccounts((administration) =>
    administration.changes(MAX_LISTED_CHANGES),
  );
  const items = changes.map(({ at, ...change }) => ({ at: formatInstant(at), ...change }));
  await printList(items, {
    json,
    none: "No account was changed.",
    columns: {
      at: ({ at }) => at,
      by: ({ by }) => by,
      action: ({ action }) => action,
      account: ({ account }) => account,
    },
  });
}

const MAX_LISTED_CHANGES = 1_000;

/** Returns the operating system's user who runs the command. */
function currentUser(): string {
  return userInfo().username;
}

/** Reads an account from a file or from standard input, and the secrets that the account names. */
async function readAccount(file: string | undefined): Promise<unknown> {
  return readGivenAccount(
    file === undefined ? await text(process.stdin) : readFileSync(file, "utf8"),
  );
}

/**
 * Makes a trial call with each account, without a running gateway, and prints the results. The exit code is 1 if an
 * account is unusable.
 * @param ids - the ids of the accounts to verify; empty for all accounts that calls use
 */
export async function verifyAccounts(ids: readonly string[], { json }: JsonOption): Promise<void> {
  const shown = createProgress(process.stderr);
  const trials = await tryAccounts(ids, {
    progress: (done, of) => shown.update(`${done} of ${of} accounts`),
    warn: printWarning,
  }).finally(() => shown.end());
  if ("unknown" in trials) {
    printWarning(`There is no account ${trials.unknown.join(", ")}.`);
    process.exitCode = EXIT_USAGE;
    return;
  }
  const { found } = trials;
  if (json === true) await print(safeJson(found));
  else
    await print(
      [formatTable(found, verificationColumns), ...found.flatMap(verificationFaultLines)].join(
        "\n",
      ),
    );
  if (found.some(({ state }) => state === "unusable")) process.exitCode = EXIT_FAILED;
}

const verificationColumns: Columns<Verification> = {
  account: ({ id }) => id,
  segment: ({ segment }) => segment,
  tenant: ({ tenant }) => tenant?.name ?? null,
  called: ({ endpoint }) => endpoint,
  state: ({ state }) => state,
  ms: ({ latencyMs }) => latencyMs,
};

function verificationFaultLines({ code, detail, id, segment }: Verification): readonly string[] {
  return code === null ? [] : [`${id} at ${segment}: ${code}. ${detail}`];
}

function printWarning(message: string): void {
  process.stderr.write(`${message}\n`);
}
