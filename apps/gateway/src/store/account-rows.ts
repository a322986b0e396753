import type { StoredSecret } from "./record.ts";
import { asBytes, numberOrNull } from "./rows.ts";
import { change, digestOf, lock, numberOf, OPEN, statement } from "./sql.ts";
import type { Dialect, Row, Statement, Transaction } from "./statement.ts";

/** What is known of an account without its encryption key: it is no secret. */
export interface StoredTerms {
  /** How much it may do on a day, over the quotas of all accounts. */
  readonly requestsPerDay: number | null;
  readonly submissionsPerDay: number | null;
  /** When the first of its credentials ends, in milliseconds since 1970; null when none says so. */
  readonly credentialsEndAt: number | null;
  /** When the first of its client certificates ends, in milliseconds since 1970. */
  readonly certificateEndsAt: number | null;
}

/** An account as it is listed: without what it uses. */
export interface StoredAccount extends StoredTerms {
  readonly id: string;
  readonly segment: string;
  readonly issuer: string;
  readonly tenant: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  /** When its credentials or settings were set last, or when it was removed. */
  readonly changedAt: number;
  /** Grows with every change of any account. */
  readonly revision: number;
  /** An account that was removed is known on, so that its id is never another tenant's. */
  readonly removed: boolean;
}

/** An account that is added, with what it uses, encrypted. */
export interface NewAccount extends StoredSecret, StoredTerms {
  readonly id: string;
  readonly segment: string;
  readonly issuer: string;
  readonly tenant: string;
}

/** How adding ended: the id, or the tenant's place at the provider, may be taken. */
export type Added = "added" | "id_taken" | "tenant_taken";

/** How removing ended; `in_use`: submissions that it sent have no outcome yet. */
export type Removed = "removed" | "not_found" | "in_use";

/** What an account uses from now on, encrypted. */
export interface RotatedContent
  extends StoredSecret,
    Pick<StoredTerms, "certificateEndsAt" | "credentialsEndAt"> {
  /** Null for those that it has. */
  readonly quotas: Pick<StoredTerms, "requestsPerDay" | "submissionsPerDay"> | null;
}

/** What an account uses, encrypted. */
export interface StoredContent extends StoredSecret {
  readonly id: string;
  readonly segment: string;
}

/** Who changes an account, and when. */
export interface Authorship {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The operator's name, or where the request came from. */
  readonly by: string;
}

/** What an operator did to an account. */
export type AccountAction = "added" | "rotated" | "removed";

/** One change of an account, as it is kept. */
export interface AccountChange extends Authorship {
  readonly account: string;
  readonly action: AccountAction;
}

/** The transactions on accounts. */
export interface AccountTransactions {
  addAccount(account: NewAccount, authorship: Authorship): Transaction<Added>;
  /** False when there is no such account. */
  rotateAccount(id: string, content: RotatedContent, authorship: Authorship): Transaction<boolean>;
  removeAccount(id: string, authorship: Authorship): Transaction<Removed>;
  accountChanges(limit: number): Transaction<readonly AccountChange[]>;
  accountsSince(revision: number, limit: number): Transaction<readonly StoredAccount[]>;
  accountContent(id: string): Transaction<StoredContent | null>;
  accountsNotEncryptedWith(keyId: string, limit: number): Transaction<readonly StoredContent[]>;
  encryptAccountAgain(id: string, content: StoredSecret, instead: string): Transaction<void>;
}

/** Makes the transactions on accounts. */
export function accountTransactions(): AccountTransactions {
  /** Changes come one after another, so that a process that has read up to a revision has missed none before it. */
  function* nextRevision(): Transaction<number> {
    yield lock(numberOf(digestOf("accounts")));
    const [row] = yield statement(
      "SELECT COALESCE(MAX(revision), 0) AS revision FROM gateway_accounts",
    );
    return Number(row?.revision) + 1;
  }
  return {
    *addAccount(account, authorship) {
      const { at } = authorship;
      const { encrypted, id, issuer, keyId, segment, tenant } = account;
      const revision = yield* nextRevision();
      const [sameId] = yield statement("SELECT 1 FROM gateway_accounts WHERE id = $1", id);
      if (sameId !== undefined) return "id_taken";
      const [sameTenant] = yield statement(
        `SELECT 1 FROM gateway_accounts
          WHERE segment = $1 AND issuer = $2 AND tenant = $3 AND removed = 0`,
        segment,
        issuer,
        tenant,
      );
      if (sameTenant !== undefined) return "tenant_taken";
      yield statement(
        `INSERT INTO gateway_accounts (id, segment, issuer, tenant, added_at, changed_at, revision,
          removed, key_id, encrypted, requests_per_day, submissions_per_day, credentials_end_at,
          certificate_ends_at) VALUES ($1, $2, $3, $4, $5, $5, $6, 0, $7, $8, $9, $10, $11, $12)`,
        id,
        segment,
        issuer,
        tenant,
        at,
        revision,
        keyId,
        encrypted,
        account.requestsPerDay,
        account.submissionsPerDay,
        account.credentialsEndAt,
        account.certificateEndsAt,
      );
      yield recordOf(id, "added", authorship);
      return "added";
    },

    *rotateAccount(id, content, authorship) {
      const { at } = authorship;
      const { certificateEndsAt, credentialsEndAt, encrypted, keyId, quotas } = content;
      const revision = yield* nextRevision();
      const rotated = yield* change(
        statement(
          `UPDATE gateway_accounts SET key_id = $2, encrypted = $3, changed_at = $4, revision = $5,
            credentials_end_at = $6, certificate_ends_at = $7 WHERE id = $1 AND removed = 0`,
          id,
          keyId,
          encrypted,
          at,
          revision,
          credentialsEndAt,
          certificateEndsAt,
        ),
      );
      if (rotated > 0 && quotas !== null)
        yield statement(
          "UPDATE gateway_accounts SET requests_per_day = $2, submissions_per_day = $3 WHERE id = $1",
          id,
          quotas.requestsPerDay,
          quotas.submissionsPerDay,
        );
      if (rotated > 0) yield recordOf(id, "rotated", authorship);
      return rotated > 0;
    },

    *removeAccount(id, authorship) {
      const { at } = authorship;
      const revision = yield* nextRevision();
      // Waits for a claim that has read the row; a later claim finds that it was removed.
      const locked = yield* change(
        statement(
          "UPDATE gateway_accounts SET removed = removed WHERE id = $1 AND removed = 0",
          id,
        ),
      );
      if (locked === 0) return "not_found";
      const [open] = yield statement(
        `SELECT 1 FROM gateway_submissions WHERE account = $1 AND ${OPEN} LIMIT 1`,
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
      yield recordOf(id, "removed", authorship);
      return "removed";
    },

    *accountChanges(limit) {
      const rows = yield statement(
        `SELECT at, by_whom, account, action FROM gateway_account_changes
          ORDER BY number DESC LIMIT $1`,
        limit,
      );
      return rows.map(asChange);
    },

    *accountsSince(revision, limit) {
      const rows = yield statement(
        `SELECT id, segment, issuer, tenant, added_at, changed_at, revision, removed, requests_per_day,
          submissions_per_day, credentials_end_at, certificate_ends_at
          FROM gateway_accounts WHERE revision > $1 ORDER BY revision LIMIT $2`,
        revision,
        limit,
      );
      return rows.map(asAccount);
    },

    *accountContent(id) {
      const [row] = yield statement(
        "SELECT id, segment, key_id, encrypted FROM gateway_accounts WHERE id = $1 AND removed = 0",
        id,
      );
      return row === undefined ? null : asContent(row);
    },

    *accountsNotEncryptedWith(keyId, limit) {
      const rows = yield statement(
        `SELECT id, segment, key_id, encrypted FROM gateway_accounts
          WHERE removed = 0 AND key_id <> $1 ORDER BY number LIMIT $2`,
        keyId,
        limit,
      );
      return rows.map(asContent);
    },

    *encryptAccountAgain(id, { encrypted, keyId }, instead) {
      yield statement(
        `UPDATE gateway_accounts SET key_id = $2, encrypted = $3
          WHERE id = $1 AND key_id = $4 AND removed = 0`,
        id,
        keyId,
        encrypted,
        instead,
      );
    },
  };
}

/** Records who did what; it is written with the change itself. */
function recordOf(id: string, action: AccountAction, { at, by }: Authorship): Statement {
  return statement(
    `INSERT INTO gateway_account_changes (at, by_whom, account, action)
      VALUES ($1, $2, $3, $4)`,
    at,
    by,
    id,
    action,
  );
}

function asChange(row: Row): AccountChange {
  return {
    at: Number(row.at),
    by: String(row.by_whom),
    account: String(row.account),
    // Only this gateway writes them.
    action: String(row.action) as AccountAction,
  };
}

/** Whether an account was removed; one that is kept elsewhere was not. It cannot be removed until the transaction ends. */
export function* isRemoved(dialect: Dialect, id: string): Transaction<boolean> {
  const [row] = yield statement(
    `SELECT removed FROM gateway_accounts WHERE id = $1 ${dialect.forShare}`,
    id,
  );
  return row !== undefined && Number(row.removed) === 1;
}

function asAccount(row: Row): StoredAccount {
  return {
    id: String(row.id),
    segment: String(row.segment),
    issuer: String(row.issuer),
    tenant: String(row.tenant),
    addedAt: Number(row.added_at),
    changedAt: Number(row.changed_at),
    revision: Number(row.revision),
    removed: Number(row.removed) === 1,
    requestsPerDay: numberOrNull(row.requests_per_day),
    submissionsPerDay: numberOrNull(row.submissions_per_day),
    credentialsEndAt: numberOrNull(row.credentials_end_at),
    certificateEndsAt: numberOrNull(row.certificate_ends_at),
  };
}

function asContent(row: Row): StoredContent {
  return {
    id: String(row.id),
    segment: String(row.segment),
    keyId: String(row.key_id),
    encrypted: asBytes(row.encrypted),
  };
}
