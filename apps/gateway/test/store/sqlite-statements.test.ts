import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { StoreRefusedError } from "../../src/store/faults.ts";
import { openSchemaToServe } from "../../src/store/migrations.ts";
import { statement } from "../../src/store/sql.ts";
import { sqliteConnectionOf } from "../../src/store/sqlite/connection.ts";
import { sqlite } from "../../src/store/sqlite/sqlite-dialect.ts";
import type { Row, Transaction } from "../../src/store/statement.ts";
import { transactionsOf } from "../../src/store/transactions.ts";
import { momentAt, ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";

const transactions = transactionsOf(sqlite);

/** Explains each statement of a transaction, in a store with the account `c`. Returns a text for each statement. */
function explain(
  operation: Transaction<unknown>,
  command: "EXPLAIN" | "EXPLAIN QUERY PLAN",
  textOf: (row: Row) => string,
): readonly string[] {
  const database = new DatabaseSync(":memory:");
  const connection = sqliteConnectionOf(database, null);
  connection.run(openSchemaToServe(sqlite, { name: "memory", mustExist: false }));
  database.exec(
    `INSERT INTO gateway_accounts (id, segment, issuer, tenant, changed_at, revision, removed)
      VALUES ('c', 's', 'i', 't', 0, 1, 0)`,
  );
  try {
    return connection.run(explained(operation, command, textOf));
  } finally {
    connection.close();
  }
}

/** Runs a transaction, and returns SQLite's explanation of each statement. */
function* explained(
  operation: Transaction<unknown>,
  command: "EXPLAIN" | "EXPLAIN QUERY PLAN",
  textOf: (row: Row) => string,
): Transaction<readonly string[]> {
  const texts: string[] = [];
  for (let step = operation.next(); step.done !== true; ) {
    if ("sql" in step.value) {
      const { sql, values } = step.value;
      const rows = yield statement(`${command} ${sql}`, ...values);
      texts.push(rows.map(textOf).join("; "));
    }
    step = operation.next(yield step.value);
  }
  return texts;
}

it("the SQLite store executes one statement for a submission's claim and one statement for the submission's result", () => {
  const submission = sampleSubmission();
  function* inTurn(): Transaction<void> {
    yield* transactions.claim(submission, ONCE);
    yield* transactions.settle(sampleSettlement(submission.id));
  }
  const programs = explain(inTurn(), "EXPLAIN", ({ opcode }) => String(opcode));
  expect(programs).toHaveLength(2);
  for (const program of programs) expect(program).toContain("IdxInsert");
});

describe("statements about open submissions", () => {
  it.each<[string, string, Transaction<unknown>]>([
    ["leases that have ended", "open", transactions.expireLeases(0, momentAt(0))],
    ["the number of unknown outcomes", "open", transactions.countUnknown()],
    ["accounts with open submissions", "open", transactions.openAccounts()],
    ["the removal of an account", "open", transactions.removeAccount("c", { at: 0, by: "M" })],
    ["due queries", "queries", transactions.due("s", 0, 1, [])],
    ["queries to bring forward", "queries", transactions.bringForward("s", 0, null)],
    [
      "queries of one account to bring forward",
      "(?:queries|open)",
      transactions.bringForward("s", 0, "c"),
    ],
    [
      "similar submissions",
      "(?:match|unnamed)",
      transactions.similarSubmissions(sampleSubmission(), []),
    ],
  ])("SQLite uses an index to find the open submissions: %s", (_, index, operation) => {
    const plans = explain(operation, "EXPLAIN QUERY PLAN", ({ detail }) => String(detail)).filter(
      (plan) => plan.includes("gateway_submissions"),
    );
    expect(plans).not.toEqual([]);
    const search = new RegExp(
      `SEARCH gateway_submissions .*INDEX gateway_submissions_${index} \\(`,
    );
    for (const plan of plans) expect(plan).toMatch(search);
  });
});

it("a failed transaction of the SQLite store changes nothing, and the next transaction succeeds", () => {
  const connection = sqliteConnectionOf(new DatabaseSync(":memory:"), null);
  const run = (sql: string): number =>
    connection.run(
      (function* () {
        return (yield statement(sql)).length;
      })(),
    );
  connection.transaction(() => run("CREATE TABLE numbers (number INTEGER)"));
  const failing = (): void =>
    connection.transaction(() => {
      run("INSERT INTO numbers VALUES (1)");
      throw new StoreRefusedError("It cannot be imported");
    });
  expect(failing).toThrow("It cannot be imported");
  connection.transaction(() => run("INSERT INTO numbers VALUES (2)"));
  expect(connection.transaction(() => run("SELECT number FROM numbers"))).toBe(1);
  connection.close();
});
