import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { Client } from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from "vitest";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import { makeStore, openExclusive } from "../../src/store/exclusive-store.ts";
import { StoreRefusedError, StoreUnavailableError } from "../../src/store/faults.ts";
import { openStore, sqliteFile } from "../../src/store/open-store.ts";
import { statement } from "../../src/store/sql.ts";
import type { Transaction } from "../../src/store/statement.ts";
import { holdTimers } from "../harness/held-timers.ts";
import { fillTables, rowsIn } from "../harness/random-tables.ts";
import { queryAt } from "../harness/store-places.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "exclusive-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const kinds = ["a file", "PostgreSQL"] as const;

/** Returns an empty folder or database, in which no gateway has created a store. */
async function emptyPlace(kind: (typeof kinds)[number]): Promise<StorePlace> {
  const databaseUrl = kind === "a file" ? undefined : await server.createDatabase();
  return { data: join(folder, "data"), databaseUrl };
}

/** Returns a folder or database with the tables that a gateway creates. */
async function madePlace(kind: (typeof kinds)[number]): Promise<StorePlace> {
  const place = await emptyPlace(kind);
  await makeStore(place);
  return place;
}

/** Writes a secret, and then fails or returns the number of secrets. */
function* putSecret(name: string, failing: Error | null): Transaction<number> {
  yield statement(
    "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ($1, 'k', $2)",
    name,
    Buffer.of(1),
  );
  if (failing !== null) throw failing;
  const rows = yield statement("SELECT name FROM gateway_secrets");
  return rows.length;
}

describe.each(kinds)("an exclusively opened store in %s", (kind) => {
  it("only the command `store create` creates a store for real insurers, and only in a place that has no store", async () => {
    const place = await emptyPlace(kind);
    await expect(openExclusive(place, "existing")).rejects.toThrow(
      "There is no store of submissions",
    );
    await expect(openStore(place, "serve", true)).rejects.toThrow(
      "`insurance-gateway store create`",
    );
    if (kind === "a file") expect(existsSync(place.data)).toBe(false);
    await makeStore(place);
    await expect(makeStore(place)).rejects.toThrow("has a store already; nothing was changed.");
    await (await openStore(place, "serve", true)).close();
  });

  it("a gateway with a real insurer refuses a store that has the submissions of simulated insurers", async () => {
    const place = await emptyPlace(kind);
    await (await openStore(place, "serve")).close();
    for (const use of [() => openStore(place, "serve", true), () => makeStore(place)])
      await expect(use()).rejects.toThrow("has the submissions of simulated insurers");
    await (await openStore(place, "serve")).close();
  });

  it("no gateway and no second command can open a store while a command has the store open exclusively", async () => {
    const place = await madePlace(kind);
    const exclusive = await openExclusive(place, "existing");
    const taken = openExclusive(place, "existing");
    await expect(taken).rejects.toThrow(StoreRefusedError);
    await expect(taken).rejects.toThrow(
      kind === "a file"
        ? `A gateway serves from ${join(folder, "data", "submissions.sqlite")}, or another command works on it. Stop the gateway first.`
        : "A gateway serves from this database, or another command works on it. Stop every gateway of it first.",
    );
    const serving = openStore(place, "serve");
    await expect(serving).rejects.toThrow(StoreRefusedError);
    await expect(serving).rejects.toThrow(
      kind === "a file"
        ? /^Another gateway serves from .*submissions\.sqlite, and only one process/
        : "A copy of this database is being made or restored. Start the gateway when that has ended.",
    );
    await (await openStore(place, "beside")).close();
    await exclusive.close();
    const store = await openStore(place, "serve");
    await expect(openExclusive(place, "existing")).rejects.toThrow(StoreRefusedError);
    await store.close();
    await rowsIn(place, "INSERT INTO gateway_schema (version) VALUES (2)");
    for (let time = 0; time < 2; time++)
      await expect(openExclusive(place, "existing")).rejects.toThrow(
        "The store has schema version 2, and this gateway supports only 1: a newer gateway wrote the store. Run the newer gateway.",
      );
    await rowsIn(place, "DELETE FROM gateway_schema WHERE version = 2");
    await (await openExclusive(place, "existing")).close();
  });

  it("the store keeps the writes of a committed transaction, and no writes of a failed transaction", async () => {
    const place = await madePlace(kind);
    const exclusive = await openExclusive(place, "existing");
    const refused = new StoreRefusedError("not so");
    await expect(exclusive.run(putSecret("one", refused))).rejects.toBe(refused);
    const fault = new TypeError("not so");
    await expect(exclusive.run(putSecret("one", fault))).rejects.toBe(fault);
    expect(await exclusive.run(putSecret("one", null))).toBe(1);
    const again = exclusive.run(putSecret("one", null));
    await expect(again).rejects.toEqual(
      new StoreUnavailableError(kind === "a file" ? "SQLite result 1555" : "23505", true),
    );
    expect(await exclusive.run(putSecret("two", null))).toBe(2);
    await exclusive.close();
    await expect(
      rowsIn(
        place,
        "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ('two', 'k', 'x')",
      ),
    ).rejects.toThrow();
  });

  it("the name of a store in messages contains no password", async () => {
    const place = await madePlace(kind);
    const exclusive = await openExclusive(place, "existing");
    const { host, pathname } = new URL(place.databaseUrl ?? "file:///");
    expect(exclusive.name).toBe(
      kind === "a file"
        ? join(folder, "data", "submissions.sqlite")
        : `the database ${host}${pathname}`,
    );
    await exclusive.close();
  });

  it("the store's tables refuse a second row with the same version, id or key", async () => {
    const place = await madePlace(kind);
    await rowsIn(
      place,
      "INSERT INTO gateway_secrets (name, key_id, encrypted) SELECT 'v' || version, 'k', 'x' FROM gateway_schema",
    );
    await expect(
      rowsIn(
        place,
        "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ('v1', 'k', 'x')",
      ),
    ).rejects.toThrow();
    const insert = (id: string, key: string): Promise<unknown> =>
      rowsIn(
        place,
        `INSERT INTO gateway_submissions (id, key_digest, caller, content_digest, provider, segment, endpoint, creates, state,
          fence, received_at, received_running, updated_at, lease_until, account, day, closed, queries, series, has_chosen_key)
          VALUES ('${id}', ${key}, 'b', 'c', 'd', 'e', 'f', 1, 'failed', 1, 1, 1, 1, 1, 'g', '2026-11-22', 0, 0, 'h', 0)`,
      );
    await insert("a", "'k'");
    await insert("b", "NULL");
    await insert("c", "NULL");
    await expect(insert("a", "'l'")).rejects.toThrow();
    await expect(insert("d", "'k'")).rejects.toThrow();
    await insert("d", "'l'");
  });
});

describe("a PostgreSQL store", () => {
  it("a command that opens a database exclusively waits for a gateway that is about to end", async () => {
    const place = await madePlace("PostgreSQL");
    const url = place.databaseUrl ?? "";
    const gateway = new Client(url);
    await gateway.connect();
    await gateway.query("SELECT pg_advisory_lock_shared(7302611936)");
    const opening = openExclusive(place, "existing");
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'insurance-gateway store' AND query LIKE '%pg_try_advisory_lock%'";
    await expect.poll(() => queryAt(url, waiting)).toHaveLength(1);
    await gateway.end();
    await (await opening).close();
    await expect.poll(() => queryAt(url, waiting)).toEqual([]);
  });

  it("the store is unavailable if the database ends the connection, and the process continues", async () => {
    const place = await madePlace("PostgreSQL");
    const exclusive = await openExclusive(place, "existing");
    const its =
      "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()";
    await queryAt(place.databaseUrl ?? "", `SELECT pg_terminate_backend(pid) ${its}`);
    await expect.poll(() => queryAt(place.databaseUrl ?? "", `SELECT 1 ${its}`)).toEqual([]);
    await expect(exclusive.run(putSecret("one", null))).rejects.toEqual(
      new StoreUnavailableError("connection lost", true),
    );
    await exclusive.close();
  });

  it("the store is unavailable if the database cannot be reached, and the store's error contains only a code", async () => {
    const databaseUrl = "postgres://user:secret@127.0.0.1:1/none";
    await expect(openExclusive({ data: folder, databaseUrl }, "existing")).rejects.toEqual(
      new StoreUnavailableError("ECONNREFUSED", true),
    );
  });

  it("the store is unavailable after five seconds if the database accepts a connection but does not answer", async () => {
    const silent = createServer();
    onTestFinished(() => void silent.close());
    const taken = once(silent, "connection");
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = Object(silent.address());
    holdTimers(["setTimeout", "clearTimeout"]);
    const databaseUrl = `postgres://user@127.0.0.1:${port}/none`;
    const opening = openExclusive({ data: folder, databaseUrl }, "existing");
    const unavailable = expect(opening).rejects.toEqual(new StoreUnavailableError("timeout", true));
    const [socket] = await taken;
    onTestFinished(() => void socket.destroy());
    vi.advanceTimersByTime(5_000);
    await unavailable;
  });

  it("a command refuses to create a store in a database while the SQLite file has submissions that were not copied", async () => {
    const [file, database] = [await madePlace("a file"), await emptyPlace("PostgreSQL")];
    fillTables(sqliteFile(file), 1);
    const both = { ...file, databaseUrl: database.databaseUrl };
    await expect(makeStore(both)).rejects.toThrow(
      `${sqliteFile(file)} has submissions that the database of DATABASE_URL lacks`,
    );
    await rowsIn(file, "UPDATE gateway_store SET mark = 'copied'");
    await makeStore(both);
  });
});
