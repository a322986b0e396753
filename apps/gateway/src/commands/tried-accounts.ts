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
import { type Warn, withAccounts } from "./administered-accounts.ts";

/** Called with the number of finished trial calls and the number of all trial calls. */
export type TrialProgress = (done: number, of: number) => void;

/** The results of the trial calls; or the given ids that no account has, in which case no call was made. */
export type TrialResults =
  | { readonly found: readonly Verification[] }
  | { readonly unknown: readonly string[] };

/**
 * Makes a trial call to the insurer with each account. The calls do not use a running gateway.
 * @param ids - the ids of the accounts to try; empty for all accounts
 */
export async function tryAccounts(
  ids: readonly string[],
  { progress, warn }: { readonly progress: TrialProgress; readonly warn: Warn },
): Promise<TrialResults> {
  const settings = await createReadSettings(process.env, process.cwd())(diskFiles);
  return withAccounts<TrialResults>(settings, warn, async (known) => {
    const all = [...defaultAccountsOf(settings.installed), ...known.list()];
    const unknown = ids.filter((id) => all.every((one) => one.id !== id));
    if (unknown.length > 0) return { unknown };
    const chosen =
      ids.length === 0
        ? all.filter((one) => isUsedAccount(one, settings))
        : all.filter(({ id }) => ids.includes(id));
    return { found: await verifyWith(settings, chosen, known, progress) };
  });
}

/** Reports whether calls use an account. If brokers have accounts, the default account may have no credentials. */
function isUsedAccount({ id, segment }: VerifiableAccount, settings: Settings): boolean {
  const { configuration, installed } = settings;
  if (id !== defaultAccount || configuration.accounts.claim === undefined) return true;
  const upstream = installed.find((one) => one.segment === segment)?.settings.upstream;
  const credentials = typeof upstream === "object" ? [upstream.credentials].flat() : [];
  return !credentials.every(({ type }) => type === "none");
}

/** Opens the connections to insurers, makes the trial calls, and closes the connections. */
async function verifyWith(
  settings: Settings,
  accounts: readonly VerifiableAccount[],
  known: Accounts,
  progress: TrialProgress,
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
  const opened = insurers.open(settings);
  try {
    return await verifyAccounts({
      installed,
      accounts,
      upstreams: opened.upstreams,
      progress,
    });
  } finally {
    await opened.close();
    await insurers.close();
  }
}
