import { type AccountRules, createAccountCheck } from "../configuration/account-check.ts";
import { faultsOf } from "../configuration/load.ts";
import { givenAccount } from "../configuration/schema/accounts-schema.ts";
import type { AccountChange } from "../store/account-rows.ts";
import type { Encryption } from "../store/encryption.ts";
import { encryptContent } from "./account-encryption.ts";
import type { Accounts, ListedAccount } from "./accounts.ts";

/** The operator's functions to list and change accounts of the store. These functions never return a secret. */
export type AccountAdministration = ReturnType<typeof createAdministration>;

/**
 * The reason for a refused change: the account is invalid, does not exist, or conflicts with another account or a
 * submission.
 */
export type AccountFault = "invalid" | "not_found" | "conflict";

/** A refused change of an account. The error contains no value from the request. */
export class AccountError extends Error {
  readonly fault: AccountFault;
  readonly details: readonly string[];

  constructor(fault: AccountFault, details: readonly string[]) {
    super(details.join("\n"));
    this.fault = fault;
    this.details = details;
  }
}

/** Arguments of `createAdministration`. */
export interface AdministrationParts {
  readonly accounts: Pick<Accounts, "list" | "refresh" | "store">;
  readonly encryption: Encryption;
  readonly rules: AccountRules;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Called after the store contains the change of an account. */
  readonly changed: (change: AccountChange) => void;
}

/**
 * Creates the administration of a store's accounts.
 * @throws StoreUnavailableError until the gateway has read the store for the first time
 */
export function createAdministration(parts: AdministrationParts) {
  const { accounts, changed, encryption, now, rules } = parts;
  const store = accounts.store();
  const done = (change: AccountChange): AccountChange => {
    changed(change);
    return change;
  };
  const inFile = (): readonly ListedAccount[] =>
    accounts.list().filter(({ keptIn }) => keptIn === "file");
  const refuseIdOfFile = (id: string): void => {
    if (inFile().some((one) => one.id === id))
      throw new AccountError("conflict", [`${id}: must be changed in the configuration file`]);
  };
  return {
    /** Returns the current accounts of the file and of the store. */
    async list(): Promise<readonly ListedAccount[]> {
      await accounts.refresh();
      return accounts.list();
    },
    /** Returns the changes of accounts with their authors, latest first. */
    changes: (limit: number): Promise<readonly AccountChange[]> => store.accountChanges(limit),
    /**
     * Adds an account to the store, or replaces the credentials, settings and quotas of the account with the given id.
     * @param given - `{ id, tenant: { issuer, name }, segment, credentials, settings, quotas }`; secrets are texts
     * @param by - the author: the operator's name, or the address of the request
     * @throws AccountError
     */
    async put(given: unknown, by: string): Promise<AccountChange> {
      const parsed = givenAccount.safeParse(given);
      if (!parsed.success) throw new AccountError("invalid", parsed.error.issues.flatMap(faultsOf));
      const account = parsed.data;
      const faults: string[] = [];
      createAccountCheck(rules)(account, (path, message) => faults.push(`${path}: ${message}`));
      if (faults.length > 0) throw new AccountError("invalid", faults);
      const { id, segment, tenant } = account;
      refuseIdOfFile(id);
      const { issuer, name } = tenant;
      const isOfSame = (other: ListedAccount): boolean =>
        other.segment === segment && other.tenant.issuer === issuer && other.tenant.name === name;
      const content = encryptContent(encryption, id, account);
      const at = now();
      const action = inFile().some(isOfSame)
        ? "tenant_taken"
        : await store.putAccount({ id, segment, issuer, tenant: name, ...content }, { at, by });
      if (action === "id_taken")
        throw new AccountError("conflict", [
          "id: must not be the id of another current or earlier account",
        ]);
      if (action === "tenant_taken")
        throw new AccountError("conflict", ["tenant: already has an account at this provider"]);
      return done({ at, by, account: id, action });
    },
    /**
     * Removes an account from the store. The removed account's id can never be used again.
     * @throws AccountError
     */
    async remove(id: string, by: string): Promise<AccountChange> {
      refuseIdOfFile(id);
      const at = now();
      const removed = await store.removeAccount(id, { at, by });
      if (removed === "not_found")
        throw new AccountError("not_found", [`${id}: there is no such account`]);
      if (removed === "in_use")
        throw new AccountError("conflict", [
          `${id}: has submissions with an unknown outcome; only its credentials can query them`,
        ]);
      return done({ at, by, account: id, action: "removed" });
    },
  };
}
