import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { FILES_MOVED, StoreRefusedError } from "../faults.ts";
import type { Transaction } from "../statement.ts";
import type { Transactions } from "../store.ts";
import { transactionsOf } from "../transactions.ts";
import { openSqliteConnection, type SqliteConnection } from "./connection.ts";
import { errorCodeOf, openingFault } from "./fault.ts";
import { sqlite } from "./sqlite-dialect.ts";
import type {
  OperationReply,
  WorkerMessage,
  WorkerReply,
  WorkerRequest,
  WorkerSettings,
} from "./worker-messages.ts";

// The worker thread of the SQLite store owns the connection, so that no flush to disk blocks the gateway's event loop.

function serveOperations(port: MessagePort): void {
  const connection = open(port);
  if (connection === null) return;
  const waiting: WorkerRequest[] = [];
  const flush = (): void => {
    if (waiting.length > 0)
      port.postMessage(runGroup(connection, waiting.splice(0)) satisfies WorkerReply);
  };
  port.on("message", (message: WorkerMessage) => {
    if (message === "close") {
      flush();
      connection.close();
      port.close();
      return;
    }
    // All requests that arrive before the flush share one transaction.
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(...message);
  });
}

function open(port: MessagePort): SqliteConnection | null {
  // The store passes the settings when the store starts the thread.
  const settings = workerData as WorkerSettings;
  try {
    const connection = openSqliteConnection(settings);
    port.postMessage({ opened: connection.id } satisfies WorkerReply);
    return connection;
  } catch (error) {
    port.postMessage(openingFailure(settings.file, error) satisfies WorkerReply);
    port.close();
    return null;
  }
}

function openingFailure(file: string, error: unknown): WorkerReply {
  if (error instanceof StoreRefusedError) return { refused: error.message };
  const { detail, passes } = openingFault(error, file);
  if (passes) return { unopened: detail };
  return {
    refused: `Submissions cannot be stored in ${file} (${detail}). It must be a SQLite database that this user can write, like the files beside it whose names begin with submissions.sqlite, in a folder that this user can write.`,
  };
}

/**
 * Runs all operations in one transaction. If the transaction fails, runs each operation separately, so that only faulty
 * operations fail.
 */
function runGroup(
  connection: SqliteConnection,
  group: readonly WorkerRequest[],
): readonly OperationReply[] {
  const run = ({ name, number, parameters }: WorkerRequest): OperationReply => ({
    number,
    result: connection.run(beginOperation(name, parameters)),
  });
  const fail = (unavailable: string, mayBeWritten = false): readonly OperationReply[] =>
    group.map(({ number }) => ({ number, unavailable, mayBeWritten }));
  if (!connection.isWhole()) return fail(FILES_MOVED);
  try {
    const replies = connection.transaction(() => group.map(run));
    return connection.isWhole() ? replies : fail(FILES_MOVED, true);
  } catch (error) {
    const unavailable = errorCodeOf(error);
    // Another process is writing. A separate transaction for each operation would wait for the other process again.
    if (group.length === 1 || unavailable === "SQLITE_BUSY") return fail(unavailable);
    return group.flatMap((request) => runGroup(connection, [request]));
  }
}

const operations: Transactions = transactionsOf(sqlite);

function beginOperation(name: string, parameters: readonly unknown[]): Transaction<unknown> {
  // The typed store sends only names of operations, with their parameters.
  const begin = operations[name as keyof Transactions] as (
    ...given: readonly unknown[]
  ) => Transaction<unknown>;
  return begin(...parameters);
}

if (parentPort !== null) serveOperations(parentPort);
