import { StoreRefusedError } from "./faults.ts";
import { runningTimeTables } from "./running-time.ts";
import { lock } from "./sql.ts";
import type { Dialect, Transaction } from "./statement.ts";
import {
  identityTable,
  newIdentity,
  readIdentity,
  refuseMarked,
  type StoreIdentity,
  writeIdentity,
} from "./store-identity.ts";

/** All versions of the schema, oldest first. A released version is never changed; none has been released yet. */
const migrations: readonly ((dialect: Dialect) => readonly string[])[] = [
  ({ bytes, integer, numbering }) => [
    `CREATE TABLE gateway_submissions (
      number ${numbering},
      id ${bytes} NOT NULL UNIQUE,
      caller ${bytes} NOT NULL,
      key_digest ${bytes} UNIQUE,
      has_chosen_key ${integer} NOT NULL,
      content_digest ${bytes} NOT NULL,
      match_digest ${bytes},
      search_digest ${bytes},
      series TEXT NOT NULL,
      provider TEXT NOT NULL,
      segment TEXT NOT NULL,
      account TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      creates ${integer} NOT NULL,
      state TEXT NOT NULL,
      fence ${integer} NOT NULL,
      received_at ${integer} NOT NULL,
      received_running ${integer} NOT NULL,
      day TEXT NOT NULL,
      updated_at ${integer} NOT NULL,
      lease_until ${integer} NOT NULL,
      unknown_at ${integer},
      unknown_running ${integer},
      settled_running ${integer},
      absent_running ${integer},
      insurer_id TEXT,
      answered_id TEXT,
      closed ${integer} NOT NULL,
      key_id TEXT,
      match_fields ${bytes},
      answer ${bytes},
      answer_until ${integer},
      forget_at ${integer},
      queries ${integer} NOT NULL,
      queried_at ${integer},
      next_query_at ${integer}
    )`,
    `CREATE INDEX gateway_submissions_content ON gateway_submissions (content_digest, caller)`,
    // The column `state` is first, because the gateway searches ended leases of submissions in flight every second.
    // With the other columns, counts and the list of accounts do not read the table. Each submission enters and leaves
    // this index: a second and a third index would take 7 % more processor time of SQLite's thread.
    `CREATE INDEX gateway_submissions_open ON gateway_submissions (state, segment, account)
      WHERE (state = 'in_flight' OR state = 'outcome_unknown' OR state = 'needs_review')`,
    `CREATE INDEX gateway_submissions_queries ON gateway_submissions (segment, next_query_at)
      WHERE next_query_at IS NOT NULL`,
    `CREATE INDEX gateway_submissions_match ON gateway_submissions (match_digest)
      WHERE (state = 'in_flight' OR state = 'outcome_unknown' OR state = 'needs_review')`,
    `CREATE INDEX gateway_submissions_unnamed ON gateway_submissions (match_digest)
      WHERE state = 'succeeded' AND insurer_id IS NULL AND creates = 1`,
    `CREATE INDEX gateway_submissions_answers ON gateway_submissions (answer_until)
      WHERE answer IS NOT NULL`,
    `CREATE INDEX gateway_submissions_forget ON gateway_submissions (forget_at)
      WHERE forget_at IS NOT NULL`,
    `CREATE INDEX gateway_submissions_insurer_ids ON gateway_submissions (insurer_id)
      WHERE insurer_id IS NOT NULL`,
    `CREATE INDEX gateway_submissions_days
      ON gateway_submissions (day, account, segment)`,
    `CREATE INDEX gateway_submissions_keys ON gateway_submissions (key_id)
      WHERE key_id IS NOT NULL`,
    // The later keys of submissions. A submission's first key is in the column `key_digest` of gateway_submissions.
    `CREATE TABLE gateway_keys (
      number ${numbering},
      key_digest ${bytes} NOT NULL UNIQUE,
      submission ${bytes} NOT NULL
    )`,
    `CREATE INDEX gateway_keys_submission ON gateway_keys (submission)`,
    `CREATE TABLE gateway_resolutions (
      number ${numbering},
      submission ${bytes} NOT NULL,
      at ${integer} NOT NULL,
      by_whom TEXT NOT NULL,
      reason TEXT NOT NULL,
      from_state TEXT NOT NULL,
      to_state TEXT NOT NULL
    )`,
    `CREATE INDEX gateway_resolutions_submission ON gateway_resolutions (submission)`,
    `CREATE TABLE gateway_reconcilers (
      segment TEXT PRIMARY KEY,
      owner ${bytes} NOT NULL,
      until ${integer} NOT NULL
    )`,
    `CREATE TABLE gateway_accounts (
      number ${numbering},
      id TEXT NOT NULL UNIQUE,
      segment TEXT NOT NULL,
      issuer TEXT NOT NULL,
      tenant TEXT NOT NULL,
      changed_at ${integer} NOT NULL,
      revision ${integer} NOT NULL,
      removed ${integer} NOT NULL,
      key_id TEXT,
      encrypted ${bytes}
    )`,
    `CREATE UNIQUE INDEX gateway_accounts_tenants ON gateway_accounts (segment, issuer, tenant)
      WHERE removed = 0`,
    `CREATE INDEX gateway_accounts_revisions ON gateway_accounts (revision)`,
    `CREATE TABLE gateway_account_changes (
      number ${numbering},
      at ${integer} NOT NULL,
      by_whom TEXT NOT NULL,
      account TEXT NOT NULL,
      action TEXT NOT NULL
    )`,
    `CREATE TABLE gateway_secrets (
      name TEXT PRIMARY KEY,
      key_id TEXT NOT NULL,
      encrypted ${bytes} NOT NULL
    )`,
    `CREATE TABLE gateway_usage (
      number ${numbering},
      day TEXT NOT NULL,
      account TEXT NOT NULL,
      segment TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      kind TEXT NOT NULL,
      calls ${integer} NOT NULL,
      failed_calls ${integer} NOT NULL,
      succeeded ${integer} NOT NULL,
      failed ${integer} NOT NULL,
      not_sent ${integer} NOT NULL,
      UNIQUE (day, account, segment, endpoint)
    )`,
    `CREATE TABLE gateway_availability (
      number ${numbering},
      day TEXT NOT NULL,
      segment TEXT NOT NULL,
      attempts ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      held_back ${integer} NOT NULL,
      UNIQUE (day, segment)
    )`,
    ...runningTimeTables({ integer }),
    identityTable({ integer }),
  ],
];

/** Number of the database lock for creating tables. Processes that start at the same time wait for each other. */
const MIGRATION_LOCK_NUMBER = 7_302_611_935n;

/**
 * Creates the tables of a new store.
 * @throws StoreRefusedError if the database already has a store
 */
export function* createSchema(
  dialect: Dialect,
  name: string,
  identity: StoreIdentity,
): Transaction<void> {
  if ((yield* schemaVersion(dialect)) !== null)
    throw new StoreRefusedError(
      (yield* readIdentity(dialect))?.madeFor === "sandboxes"
        ? `${name} has the submissions of simulated insurers. Remove it first: the files whose names begin with submissions.sqlite, or the database.`
        : `${name} has a store already; nothing was changed.`,
    );
  yield { sql: `CREATE TABLE gateway_schema (version ${dialect.integer} NOT NULL)`, values: [] };
  yield* upgrade(dialect, 0);
  yield* writeIdentity(identity);
}

/** Parameters with which a gateway opens a store. */
export interface ServeParameters {
  /** Name of the store, for messages. */
  readonly name: string;
  /** True if the gateway has a real insurer and therefore requires a store that was created for real insurers. */
  readonly mustExist: boolean;
}

/**
 * Opens a store for a gateway, and upgrades the schema. A gateway without a real insurer creates a missing store.
 * @throws StoreRefusedError if the store is missing, was written by a newer gateway, is an incomplete copy, or was
 * copied elsewhere
 */
export function* openSchemaToServe(
  dialect: Dialect,
  { mustExist, name }: ServeParameters,
): Transaction<StoreIdentity> {
  yield lock(MIGRATION_LOCK_NUMBER);
  const version = yield* schemaVersion(dialect);
  refuseNewer(version);
  if (version === null && !mustExist) yield* createSchema(dialect, name, newIdentity("sandboxes"));
  else if (version !== null) yield* upgrade(dialect, version);
  const identity = version === null && mustExist ? null : yield* readIdentity(dialect);
  if (identity === null) throw new StoreRefusedError(noStoreToServeMessage(name));
  if (mustExist && identity.madeFor === "sandboxes")
    throw new StoreRefusedError(
      `${name} has the submissions of simulated insurers, and a gateway with a real insurer would mix them with its own. Remove it (the files whose names begin with submissions.sqlite, or the database), then run \`insurance-gateway store create\`.`,
    );
  refuseMarked(identity);
  return identity;
}

/** Returns the message of a gateway with a real insurer that finds no store. */
export function noStoreToServeMessage(name: string): string {
  return [
    `There is no store of submissions in ${name}. A gateway with a real insurer does not create one: with a new store in place of a lost one, it would send known submissions again.`,
    "A new installation: run `insurance-gateway store create` once.",
    "Otherwise this is not the right volume or database: bring the right one back, or restore a backup with `insurance-gateway store restore FILE`.",
  ].join("\n");
}

/**
 * Checks that the store exists, and that the store's schema has the version of this gateway.
 * @throws StoreRefusedError if the store does not exist or has another version
 */
export function* expectVersion(dialect: Dialect, name: string): Transaction<void> {
  const version = yield* schemaVersion(dialect);
  refuseNewer(version);
  if (version === null) throw new StoreRefusedError(noStoreMessage(name));
  if (version < migrations.length)
    throw new StoreRefusedError(
      `The store has schema version ${version}, and this gateway needs ${migrations.length}: start the gateway once, it brings the store up to date.`,
    );
}

/** Returns the message of a command that finds no store. */
export function noStoreMessage(name: string): string {
  return `There is no store of submissions in ${name}. Run the command with the configuration and the environment of the gateway, DATABASE_URL included.`;
}

/**
 * Checks that a command can use a store while a gateway serves, and returns the store's identity.
 * @throws StoreRefusedError if the command cannot use the store
 */
export function* openSchemaForCommand(dialect: Dialect, name: string): Transaction<StoreIdentity> {
  yield* expectVersion(dialect, name);
  const identity = yield* readIdentity(dialect);
  if (identity === null) throw new StoreRefusedError(noStoreMessage(name));
  refuseMarked(identity);
  return identity;
}

function* upgrade(dialect: Dialect, from: number): Transaction<void> {
  for (const [index, statements] of migrations.entries()) {
    if (index < from) continue;
    for (const sql of statements(dialect)) yield { sql, values: [] };
    yield { sql: "INSERT INTO gateway_schema (version) VALUES ($1)", values: [index + 1] };
  }
}

/** Returns the version of the schema; null if there is no store. */
function* schemaVersion(dialect: Dialect): Transaction<number | null> {
  const [found] = yield dialect.findTable("gateway_schema");
  if (found === undefined) return null;
  const [row] = yield {
    sql: "SELECT COALESCE(MAX(version), 0) AS version FROM gateway_schema",
    values: [],
  };
  return Number(row?.version ?? 0);
}

function refuseNewer(version: number | null): void {
  if (version !== null && version > migrations.length)
    throw new StoreRefusedError(
      `The store has schema version ${version}, and this gateway supports only ${migrations.length}: a newer gateway wrote the store. Run the newer gateway.`,
    );
}
