import type { Caller } from "../callers/caller.ts";
import { type Account, defaultAccount } from "../configuration/account.ts";
import { Refusal } from "../problems/refusal.ts";

/** Finds the account that a caller's requests use. */
export interface Tenants {
  /** The id of the caller's account to a provider's segment; null when it has none. */
  find(caller: Caller, segment: string): string | null;
  /**
   * The same.
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

/** Finds the accounts of a tenant. */
export type FindAccounts = (issuer: string, name: string) => readonly TenantAccount[];

/** One account of a known tenant. */
export type TenantAccount = Pick<Account, "id" | "segment">;

/**
 * Creates the search for a caller's accounts.
 * @param claim - the claim of a token that names the tenant; undefined where every caller uses the default account
 */
export function createTenants(claim: string | undefined, findAccounts: FindAccounts): Tenants {
  if (claim === undefined)
    return {
      find: () => defaultAccount,
      accountOf: () => defaultAccount,
      owns: (_, account) => account === defaultAccount,
      admit: () => {},
    };
  const accountsOf = ({ issuer, tenant }: Caller): readonly TenantAccount[] =>
    tenant === null ? [] : findAccounts(issuer, tenant);
  const find: Tenants["find"] = (caller, segment) =>
    accountsOf(caller).find((account) => account.segment === segment)?.id ?? null;
  return {
    find,
    accountOf(caller, segment) {
      const id = find(caller, segment);
      if (id === null) throw noAccount(caller);
      return id;
    },
    owns: (caller, account) => accountsOf(caller).some(({ id }) => id === account),
    admit(caller) {
      if (accountsOf(caller).length === 0) throw noAccount(caller);
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

/** Accounts by tenant, in memory: 10,000 of them take a few megabytes. */
export interface AccountIndex {
  readonly find: FindAccounts;
  add(account: Account): void;
  remove(account: Account): void;
}

/** Creates an empty index. It copies what it needs and stores the text of each segment once. */
export function createAccountIndex(): AccountIndex {
  const issuers = new Map<string, Map<string, readonly TenantAccount[]>>();
  const segments = new Map<string, string>();
  const find: FindAccounts = (issuer, name) => issuers.get(issuer)?.get(name) ?? [];
  return {
    find,
    add({ id, segment: given, tenant: { issuer, name } }) {
      const segment = segments.get(given) ?? given;
      segments.set(segment, segment);
      const names = issuers.get(issuer) ?? new Map<string, readonly TenantAccount[]>();
      issuers.set(issuer, names);
      names.set(name, [...(names.get(name) ?? []), { id, segment }]);
    },
    remove({ id, tenant: { issuer, name } }) {
      const left = find(issuer, name).filter((one) => one.id !== id);
      if (left.length === 0) issuers.get(issuer)?.delete(name);
      else issuers.get(issuer)?.set(name, left);
    },
  };
}
