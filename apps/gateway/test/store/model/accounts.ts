import type {
  AccountAction,
  AccountChange,
  AccountTransactions,
  ChangeAuthor,
  StoredAccount,
} from "../../../src/store/account-rows.ts";
import type { SubmissionStore } from "../../../src/store/store.ts";
import type { AtOnce } from "./counts.ts";

type AccountMethods = AtOnce<Pick<SubmissionStore, keyof AccountTransactions>>;

/** Model of a store's accounts. */
export interface AccountsModel {
  readonly methods: AccountMethods;
  isRemoved(id: string): boolean;
  /** Returns the ids of the keys that encrypt an account. */
  keyIds(): readonly string[];
}

/** Creates a model without accounts. */
export function createAccountsModel(hasOpen: (account: string) => boolean): AccountsModel {
  const rows = new Map<string, StoredAccount>();
  let changes: readonly AccountChange[] = [];
  let revision = 0;
  const there = (id: string): StoredAccount | undefined => {
    const row = rows.get(id);
    return row?.content === null ? undefined : row;
  };
  const put = (
    row: Omit<StoredAccount, "changedAt" | "revision">,
    action: AccountAction,
    by: ChangeAuthor,
  ): void => {
    revision += 1;
    rows.set(row.id, { ...row, changedAt: by.at, revision });
    changes = [{ ...by, account: row.id, action }, ...changes];
  };
  const methods: AccountMethods = {
    accountChanges: (limit) => changes.slice(0, limit),
    putAccount({ encrypted, keyId, ...account }, by) {
      const { id, issuer, segment, tenant } = account;
      const isOfSame = (row: StoredAccount): boolean =>
        row.segment === segment && row.issuer === issuer && row.tenant === tenant;
      const known = there(id);
      if (rows.has(id) && (known === undefined || !isOfSame(known))) return "id_taken";
      const isTaken = [...rows.values()].some((row) => row.content !== null && isOfSame(row));
      if (known === undefined && isTaken) return "tenant_taken";
      const action = known === undefined ? "added" : "changed";
      put({ ...account, content: { keyId, encrypted } }, action, by);
      return action;
    },
    removeAccount(id, by) {
      const row = there(id);
      if (row === undefined) return "not_found";
      if (hasOpen(id)) return "in_use";
      put({ ...row, content: null }, "removed", by);
      return "removed";
    },
    accountsSince: (since, limit) =>
      [...rows.values()]
        .filter((row) => row.revision > since)
        .toSorted((one, other) => one.revision - other.revision)
        .slice(0, limit),
    encryptAccountAgain(id, content, instead) {
      const row = there(id);
      if (row?.content?.keyId === instead.keyId && row.revision === instead.revision)
        rows.set(id, { ...row, content });
    },
  };
  return {
    methods,
    isRemoved: (id) => rows.get(id)?.content === null,
    keyIds: () => [...rows.values()].flatMap(({ content }) => content?.keyId ?? []),
  };
}
