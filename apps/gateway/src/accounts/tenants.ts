import { Refusal } from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import { type Account, defaultAccount } from "../configuration/account.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import type { Accounts } from "./accounts.ts";

/** Finds the account that a caller's requests use. */
export interface Tenants {
  /**
   * The id of the caller's account to a provider's segment.
   * @throws Refusal FORBIDDEN when it has none
   */
  accountOf(caller: Caller, segment: string): string;
  /** Whether an account is the caller's, also where its segment is not served any more. */
  owns(caller: Caller, account: string): boolean;
  /**
   * Checks that the caller's tenant has an account to any provider.
   * @throws Refusal FORBIDDEN when it has none
   */
  admit(caller: Caller): void;
}

/**
 * Creates the search for a caller's accounts.
 * @param claim - the claim of a token that names the tenant; undefined if every caller uses the default account
 */
export function createTenants(
  claim: string | undefined,
  accounts: Pick<Accounts, "areKnown" | "find">,
): Tenants {
  if (claim === undefined)
    return {
      accountOf: () => defaultAccount,
      owns: (_, account) => account === defaultAccount,
      admit: () => {},
    };
  /** Returns the caller's first valid account. Until all accounts are known, no caller is refused for having none. */
  const first = (
    { issuer, tenant }: Caller,
    isIt: (account: Account) => boolean,
  ): string | null => {
    if (tenant === null) return null;
    const found = accounts.find(issuer, tenant).find(isIt);
    if (found === undefined && !accounts.areKnown(issuer, tenant)) throw storeUnavailableRefusal();
    return found?.id ?? null;
  };
  return {
    accountOf(caller, segment) {
      const id = first(caller, (account) => account.segment === segment);
      if (id === null) throw noAccount(caller);
      return id;
    },
    owns: (caller, account) => first(caller, ({ id }) => id === account) !== null,
    admit(caller) {
      if (first(caller, () => true) === null) throw noAccount(caller);
    },
  };
}

function noAccount({ tenant }: Caller): Refusal {
  return new Refusal("FORBIDDEN", {
    detail:
      tenant === null
        ? "The token does not name a tenant: the claim that the gateway's operator configured must be one text."
        : "The tenant that the token names has no account here. The gateway's operator adds accounts.",
    reason: tenant === null ? "no_tenant" : "unknown_tenant",
  });
}

/** An account that was removed after its request was admitted: nothing was sent. */
export function accountRemoved(): Refusal {
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail: "The account of your tenant was removed; nothing was sent.",
    outcome: "not_sent",
    retry: "never",
    reason: "no_account",
  });
}
