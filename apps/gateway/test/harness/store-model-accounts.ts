import type {
  AccountAction,
  AccountChange,
  AccountTransactions,
  Authorship,
  NewAccount,
  StoredAccount,
} from "../../src/store/account-rows.ts";
import type { StoredSecret } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";

type AccountMethods = {
  readonly [Name in keyof AccountTransactions]: (
    ...parameters: Parameters<SubmissionStore[Name]>
  ) => Awaited<ReturnType<SubmissionStore[Name]>>;
};

/** The accounts of a store's model. */
export interface AccountsModel {
  readonly methods: AccountMethods;
  isRemoved(id: string): boolean;
  /** The keys that some account is encrypted with. */
  keyIds(): readonly string[];
}

interface Row extends StoredAccount {
  readonly secret: StoredSecret | null;
}

/** Makes one without accounts. */
export function createAccountsModel(hasOpen: (account: string) => boolean): AccountsModel {
  /** In the order in which they were added. */
  let rows: readonly Row[] = [];
  const find = (id: string): Row | undefined => rows.find((row) => row.id === id && !row.removed);
  const nextRevision = (): number => Math.max(0, ...rows.map(({ revision }) => revision)) + 1;
  const change = (id: string, changed: Partial<Row>): void => {
    rows = rows.map((row) => (row.id === id ? { ...row, ...changed } : row));
  };
  const encryptedOf = ({ id, secret, segment }: Row): readonly EncryptedRow[] =>
    secret === null ? [] : [{ id, segment, ...secret }];
  let changes: readonly AccountChange[] = [];
  const record = (account: string, action: AccountAction, by: Authorship): void => {
    changes = [{ ...by, account, action }, ...changes];
  };
  const methods: AccountMethods = {
    accountChanges: (limit) => changes.slice(0, limit),
    addAccount({ encrypted, keyId, ...account }: NewAccount, authorship) {
      const { at } = authorship;
      const { id, issuer, segment, tenant } = account;
      if (rows.some((row) => row.id === id)) return "id_taken";
      const isTaken = (row: Row): boolean =>
        !row.removed && row.segment === segment && row.issuer === issuer && row.tenant === tenant;
      if (rows.some(isTaken)) return "tenant_taken";
      const times = { addedAt: at, changedAt: at, revision: nextRevision() };
      rows = [...rows, { ...account, ...times, removed: false, secret: { encrypted, keyId } }];
      record(id, "added", authorship);
      return "added";
    },
    rotateAccount(id, { encrypted, keyId, quotas, ...ends }, authorship) {
      const { at } = authorship;
      if (find(id) === undefined) return false;
      const terms = { ...ends, ...quotas };
      const secret = { encrypted, keyId };
      change(id, { ...terms, secret, changedAt: at, revision: nextRevision() });
      record(id, "rotated", authorship);
      return true;
    },
    removeAccount(id, authorship) {
      const { at } = authorship;
      if (find(id) === undefined) return "not_found";
      if (hasOpen(id)) return "in_use";
      change(id, { removed: true, secret: null, changedAt: at, revision: nextRevision() });
      record(id, "removed", authorship);
      return "removed";
    },
    accountsSince: (revision, limit) =>
      rows
        .filter((row) => row.revision > revision)
        .toSorted((one, other) => one.revision - other.revision)
        .slice(0, limit)
        .map(({ secret: _secret, ...row }) => row),
    accountContent: (id) => [find(id) ?? []].flat().flatMap(encryptedOf)[0] ?? null,
    accountsNotEncryptedWith: (keyId, limit) =>
      rows
        .flatMap(encryptedOf)
        .filter((row) => row.keyId !== keyId)
        .slice(0, limit),
    encryptAccountAgain(id, secret, instead) {
      if (find(id)?.secret?.keyId === instead) change(id, { secret });
    },
  };
  return {
    methods,
    isRemoved: (id) => rows.some((row) => row.id === id && row.removed),
    keyIds: () => rows.flatMap(({ secret }) => (secret === null ? [] : [secret.keyId])),
  };
}

interface EncryptedRow extends StoredSecret {
  readonly id: string;
  readonly segment: string;
}
