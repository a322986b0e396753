import type { AccountCall, OpenedAccount, Step, UpstreamCall } from "../call.ts";
import type { InsurerGeneration, OpenInsurerAccount } from "./open-account.ts";
import type { OpenAccounts } from "./open-accounts.ts";

/** The parts of the step that chooses the account. */
export interface UseAccountParts {
  readonly accounts: OpenAccounts<OpenInsurerAccount>;
  /** The settings of the calls. */
  readonly generation: InsurerGeneration;
}

/** Opens the account of a call, and keeps it open until the call ends. */
export function useAccount({
  accounts,
  generation,
}: UseAccountParts): Step<UpstreamCall, AccountCall> {
  return (next) => async (endpoint, call) => {
    const account = accounts.hold(call.account);
    try {
      // Most calls find it open, so that they wait for nothing.
      const open = account.opened ?? (await account.ready());
      const opened: OpenedAccount = open.with(generation);
      return await next(endpoint, { ...call, opened });
    } finally {
      account.release();
    }
  };
}
