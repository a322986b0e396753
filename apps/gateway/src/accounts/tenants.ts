import { Refusal } from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import { type Account, defaultAccount } from "../configuration/account.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import type { Accounts } from "./accounts.ts";

/** Finds the account that the requests of a caller use. */
export interface Tenants {
  /**
   * Returns the id of the caller's account at a provider.
   * @throws Refusal FORBIDDEN if the caller has no account at this provider
   */
  accountOf(caller: Caller, segment: string): string;
  /** Reports whether an account belongs to the caller, even if the account's provider is no longer served. */
  owns(caller: Caller, account: string): boolean;
  /**
   * Checks that the caller's tenant has an account at any provider.
   * @throws Refusal FORBIDDEN if the tenant has no account
   */
  admit(caller: Caller): void;
}

/**
 * Creates the functions that find a caller's accounts.
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
  /**
   * Returns the id of the first account of the caller's tenant that passes the check; null if no account passes.
   * @throws Refusal STORE_UNAVAILABLE if the tenant may have further accounts in the store
   */
  const findId = (
    { issuer, tenant }: Caller,
    isWanted: (account: Account) => boolean,
  ): string | null => {
    if (tenant === null) return null;
    const found = accounts.find(issuer, tenant).find(isWanted);
    if (found === undefined && !accounts.areKnown(issuer, tenant)) throw storeUnavailableRefusal();
    return found?.id ?? null;
  };
  return {
    accountOf(caller, segment) {
      const id = findId(caller, (account) => account.segment === segment);
      if (id === null) throw noAccountRefusal(caller);
      return id;
    },
    owns: (caller, account) => findId(caller, ({ id }) => id === account) !== null,
    admit(caller) {
      if (findId(caller, () => true) === null) throw noAccountRefusal(caller);
    },
  };
}

function noAccountRefusal({ tenant }: Caller): Refusal {
  return new Refusal("FORBIDDEN", {
    detail:
      tenant === null
        ? "The token does not name a tenant: the claim that the gateway's operator configured must be one text."
        : "The tenant that the token names has no account here. The gateway's operator adds accounts.",
    reason: tenant === null ? "no_tenant" : "unknown_tenant",
  });
}

/** Returns the refusal for an account that was removed after its request was admitted: nothing was sent. */
export function accountRemovedRefusal(): Refusal {
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail: "The account of your tenant was removed; nothing was sent.",
    outcome: "not_sent",
    retry: "never",
    reason: "no_account",
  });
}
