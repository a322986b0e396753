import { Client } from "pg";
import { onTestFinished } from "vitest";
import { executeTransaction } from "../../src/store/postgres/execute-transaction.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { queryAt } from "../harness/store-places.ts";
import { type PostgresProxy, startPostgresProxy } from "../harness/store-proxy.ts";

// Several processes that use one PostgreSQL database. After the test, each function closes what it has opened.

/** Opens a process's store. */
export async function openAt(url: string, more: object = {}): Promise<SubmissionStore> {
  const store = await openPostgresStore({ url, mode: "serve", ...more });
  onTestFinished(() => store.close());
  return store;
}

/** Opens a process's store through a proxy. */
export async function openThroughProxy(
  url: string,
  more: object = {},
): Promise<{ readonly store: SubmissionStore; readonly proxy: PostgresProxy }> {
  const proxy = await startPostgresProxy(url);
  onTestFinished(() => proxy.close());
  return { proxy, store: await openAt(proxy.url, more) };
}

/** Opens a database connection as another process would. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

/** Runs a transaction of another process without a commit. Returns the result, and a function that commits. */
export async function runUncommitted<Result>(
  url: string,
  transaction: Transaction<Result>,
): Promise<{ readonly result: Result; readonly commit: () => Promise<unknown> }> {
  const client = await connectTo(url);
  const result = await executeTransaction(client, transaction);
  return { result, commit: () => client.query("COMMIT") };
}

/** Returns the connections that wait for a lock. */
export function waitingAt(url: string): Promise<readonly unknown[]> {
  return queryAt(
    url,
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
}
