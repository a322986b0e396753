import type { StoredSecret } from "./record.ts";
import { bytesFromColumn } from "./rows.ts";
import { digestOf, IS_OPEN, lock, lockNumberOf, runWrite, statement } from "./sql.ts";
import type { Dialect, Row, Statement, Transaction } from "./statement.ts";

/** A stored account. */
export interface StoredAccount {
  readonly id: string;
  readonly segment: string;
  readonly issuer: string;
  readonly tenant: string;
  /** Time of the last change or of the removal, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Number that grows with every change of any account. */
  readonly revision: number;
  /** The encrypted content; null after the removal. A removed account stays stored, so that nobody can reuse the id. */
  readonly content: StoredSecret | null;
}

/** An account to add or change, with its encrypted content. */
export interface NewAccount extends StoredSecret {
  readonly id: string;
  readonly segment: string;
  readonly issuer: string;
  readonly tenant: string;
}

/** The stored form of an account's content. A transaction replaces the content only if this form is unchanged. */
export interface EncryptedState {
  readonly keyId: string;
  readonly revision: number;
}

/**
 * Result of adding or changing an account: `id_taken` if another account has the id; `tenant_taken` if another account
 * serves the tenant at the segment.
 */
export type PutResult = "added" | "changed" | "id_taken" | "tenant_taken";

/** Result of removing an account; `in_use` if some submissions of the account are still open. */
export type RemoveResult = "removed" | "not_found" | "in_use";

/** The author and the time of an account's change. */
export interface ChangeAuthor {
  /** Time of the change, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the operator, or origin of the request. */
  readonly by: string;
}

/** An operator's action on an account. */
export type AccountAction = "added" | "changed" | "removed";

/** A stored change of an account. */
export interface AccountChange extends ChangeAuthor {
  readonly account: string;
  readonly action: AccountAction;
}

/** Transactions on accounts. */
export interface AccountTransactions {
  putAccount(account: NewAccount, authorship: ChangeAuthor): Transaction<PutResult>;
  removeAccount(id: string, authorship: ChangeAuthor): Transaction<RemoveResult>;
  accountChanges(limit: number): Transaction<readonly AccountChange[]>;
  accountsSince(revision: number, limit: number): Transaction<readonly StoredAccount[]>;
  encryptAccountAgain(
    id: string,
    content: StoredSecret,
    instead: EncryptedState,
  ): Transaction<void>;
}

/** Returns the transactions on accounts. */
export function accountTransactions(): AccountTransactions {
  /** Locks the accounts' revisions, and returns the next revision. Without the lock, a reader could miss a change. */
  function* nextRevision(): Transaction<number> {
    yield lock(lockNumberOf(digestOf("accounts")));
    const [row] = yield statement(
      "SELECT COALESCE(MAX(revision), 0) AS revision FROM gateway_accounts",
    );
    return Number(row?.revision) + 1;
  }
  return {
    *putAccount(account, authorship) {
      const { at } = authorship;
      const { encrypted, id, issuer, keyId, segment, tenant } = account;
      const revision = yield* nextRevision();
      const [same] = yield statement(
        "SELECT segment, issuer, tenant, removed FROM gateway_accounts WHERE id = $1",
        id,
      );
      if (same !== undefined) {
        const isSame = same.segment === segment && same.issuer === issuer && same.tenant === tenant;
        if (!isSame || Number(same.removed) === 1) return "id_taken";
        yield statement(
          `UPDATE gateway_accounts SET key_id = $2, encrypted = $3, changed_at = $4, revision = $5
            WHERE id = $1`,
          id,
          keyId,
          encrypted,
          at,
          revision,
        );
        yield recordAction(id, "changed", authorship);
        return "changed";
      }
      const [sameTenant] = yield statement(
        `SELECT 1 FROM gateway_accounts
          WHERE segment = $1 AND issuer = $2 AND tenant = $3 AND removed = 0`,
        segment,
        issuer,
        tenant,
      );
      if (sameTenant !== undefined) return "tenant_taken";
      yield statement(
        `INSERT INTO gateway_accounts (id, segment, issuer, tenant, changed_at, revision, removed,
          key_id, encrypted) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8)`,
        id,
        segment,
        issuer,
        tenant,
        at,
        revision,
        keyId,
        encrypted,
      );
      yield recordAction(id, "added", authorship);
      return "added";
    },

    *removeAccount(id, authorship) {
      const { at } = authorship;
      const revision = yield* nextRevision();
      // The lock waits for a claim that has read the account's row. A later claim finds that the account was removed.
      const locked = yield* runWrite(
        statement(
          "UPDATE gateway_accounts SET removed = removed WHERE id = $1 AND removed = 0",
          id,
        ),
      );
      if (locked === 0) return "not_found";
      const [open] = yield statement(
        `SELECT 1 FROM gateway_submissions WHERE account = $1 AND ${IS_OPEN} LIMIT 1`,
        id,
      );
      if (open !== undefined) return "in_use";
      yield statement(
        `UPDATE gateway_accounts SET removed = 1, key_id = NULL, encrypted = NULL, changed_at = $2,
          revision = $3 WHERE id = $1`,
        id,
        at,
        revision,
      );
      yield recordAction(id, "removed", authorship);
      return "removed";
    },

    *accountChanges(limit) {
      const rows = yield statement(
        `SELECT at, by_whom, account, action FROM gateway_account_changes
          ORDER BY number DESC LIMIT $1`,
        limit,
      );
      return rows.map(changeFromRow);
    },

    *accountsSince(revision, limit) {
      const rows = yield statement(
        `SELECT id, segment, issuer, tenant, changed_at, revision, removed, key_id, encrypted
          FROM gateway_accounts WHERE revision > $1 ORDER BY revision LIMIT $2`,
        revision,
        limit,
      );
      return rows.map(accountFromRow);
    },

    *encryptAccountAgain(id, { encrypted, keyId }, instead) {
      yield statement(
        `UPDATE gateway_accounts SET key_id = $2, encrypted = $3
          WHERE id = $1 AND key_id = $4 AND revision = $5 AND removed = 0`,
        id,
        keyId,
        encrypted,
        instead.keyId,
        instead.revision,
      );
    },
  };
}

/** Records an operator's action in the transaction of the change. */
function recordAction(id: string, action: AccountAction, { at, by }: ChangeAuthor): Statement {
  return statement(
    `INSERT INTO gateway_account_changes (at, by_whom, account, action)
      VALUES ($1, $2, $3, $4)`,
    at,
    by,
    id,
    action,
  );
}

function changeFromRow(row: Row): AccountChange {
  return {
    at: Number(row.at),
    by: String(row.by_whom),
    account: String(row.account),
    // Only gateways write the values of this column.
    action: String(row.action) as AccountAction,
  };
}

/** Reports whether an account was removed, and prevents a removal of the account until the transaction ends. */
export function* isRemoved(dialect: Dialect, id: string): Transaction<boolean> {
  const [row] = yield statement(
    `SELECT removed FROM gateway_accounts WHERE id = $1 ${dialect.forShare}`,
    id,
  );
  return row !== undefined && Number(row.removed) === 1;
}

function accountFromRow(row: Row): StoredAccount {
  return {
    id: String(row.id),
    segment: String(row.segment),
    issuer: String(row.issuer),
    tenant: String(row.tenant),
    changedAt: Number(row.changed_at),
    revision: Number(row.revision),
    content:
      Number(row.removed) === 1
        ? null
        : { keyId: String(row.key_id), encrypted: bytesFromColumn(row.encrypted) },
  };
}
