import type { Accounts } from "../accounts/accounts.ts";
import { defaultAccount } from "../configuration/account.ts";
import { diskFiles } from "../configuration/files.ts";
import { createReadSettings, type Settings } from "../configuration/settings.ts";
import { unobserved } from "../events.ts";
import { createAnswerBudget } from "../insurers/exchange/answer-budget.ts";
import { openTransport } from "../insurers/insurer-access.ts";
import { connectInsurers, type Insurers } from "../insurers/insurers.ts";
import {
  defaultAccountsOf,
  type VerifiableAccount,
  type Verification,
  verifyAccounts,
} from "../operator/verification/verify-accounts.ts";
import { withAccounts } from "./account-actions.ts";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-codes.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** What the command line says about a verification. */
export interface VerifyOptions {
  readonly json?: boolean;
}

/**
 * Makes a trial call with each account, in this process, and prints what it showed. The exit code says whether all of
 * them can be used.
 * @param ids - of those to verify; all where there are none
 */
export async function verify(ids: readonly string[], options: VerifyOptions): Promise<void> {
  const settings = await createReadSettings(process.env, process.cwd())(diskFiles);
  await withAccounts(settings, async (known) => {
    const all = [...defaultAccountsOf(settings.installed), ...known.list()];
    const unknown = ids.filter((id) => all.every((one) => one.id !== id));
    if (unknown.length > 0) {
      process.stderr.write(`There is no account ${unknown.join(", ")}.\n`);
      process.exitCode = EXIT_USAGE;
      return;
    }
    const chosen =
      ids.length === 0
        ? all.filter((one) => isUsed(one, settings))
        : all.filter(({ id }) => ids.includes(id));
    const found = await verifyWith(settings, chosen, known);
    if (options.json === true) await print(safeJson(found));
    else await print(reportOf(found));
    if (found.some(({ state }) => state === "unusable")) process.exitCode = EXIT_FAILED;
  });
}

/** Whether calls use an account: where brokers have the credentials, a provider may have none of its own. */
function isUsed({ id, segment }: VerifiableAccount, settings: Settings): boolean {
  const { configuration, installed } = settings;
  if (id !== defaultAccount || configuration.accounts.claim === undefined) return true;
  const upstream = installed.find((one) => one.segment === segment)?.settings.upstream;
  const credentials = typeof upstream === "object" ? [upstream.credentials].flat() : [];
  return !credentials.every(({ type }) => type === "none");
}

/** Opens the insurers for as long as the trial calls take. */
async function verifyWith(
  settings: Settings,
  accounts: readonly VerifiableAccount[],
  known: Accounts,
): Promise<readonly Verification[]> {
  const { configuration, installed } = settings;
  const quiet = { error: () => {}, info: () => {}, warn: () => {} };
  const insurers: Insurers = await connectInsurers(configuration, installed, {
    observation: unobserved,
    logger: quiet,
    received: () => {},
    now: () => performance.now(),
    recovered: () => {},
    readAccount: known.read,
    maintainedMs: () => 0,
    answerBudget: createAnswerBudget(() => configuration.limits.answerBytes),
    openTransport,
  });
  const progress = createProgress(process.stderr);
  const opened = insurers.open(settings);
  try {
    return await verifyAccounts({
      installed,
      accounts,
      upstreams: opened.upstreams,
      progress: (done, of) => progress.update(`${done} of ${of} accounts`),
    });
  } finally {
    progress.end();
    await opened.close();
    await insurers.close();
  }
}

function reportOf(found: readonly Verification[]): string {
  const rows = found.map(({ endpoint, id, latencyMs, segment, state, tenant }) => [
    id,
    segment,
    tenant?.name ?? "-",
    endpoint ?? "-",
    state,
    String(latencyMs ?? "-"),
  ]);
  const faults = found.flatMap(({ code, detail, id, segment }) =>
    code === null ? [] : [`${id} at ${segment}: ${code}. ${detail}`],
  );
  const table = plainTable(["account", "segment", "tenant", "called", "state", "ms"], rows);
  return [table.text, ...faults].join("\n");
}
