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
import { openAlone } from "../src/store/alone.ts";
import { openStore, type StorePlace } from "../src/store/open-store.ts";
import { statement } from "../src/store/sql.ts";
import type { Transaction } from "../src/store/statement.ts";
import { StoreRefusedError, StoreUnavailableError } from "../src/store/store.ts";
import { queryAt } from "./harness/store-places.ts";
import { runIn } from "./harness/transfer-between.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "alone-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const kinds = ["a file", "PostgreSQL"] as const;

/** A place where no gateway has served from yet. */
async function emptyPlace(kind: (typeof kinds)[number]): Promise<StorePlace> {
  const databaseUrl = kind === "a file" ? undefined : await server.createDatabase();
  return { data: join(folder, "data"), databaseUrl };
}

/** A place with the tables of a gateway. */
async function madePlace(kind: (typeof kinds)[number]): Promise<StorePlace> {
  const place = await emptyPlace(kind);
  await (await openAlone(place, "import")).close();
  return place;
}

const nothing = new StoreRefusedError(
  "No gateway has stored submissions here yet. Give this command the gateway's own folder, GATEWAY_DATA and DATABASE_URL; or start the gateway once.",
);

/** Writes a secret, then fails or gives how many there are. */
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

describe.each(kinds)("a store in %s that a process has alone", (kind) => {
  it("is made to import into, and not to export from", async () => {
    const place = await emptyPlace(kind);
    await expect(openAlone(place, "export")).rejects.toThrow(nothing);
    if (kind === "a file") expect(existsSync(place.data)).toBe(false);
    await (await openAlone(place, "import")).close();
    await (await openAlone(place, "export")).close();
  });

  it("is nobody else's until it is closed, also after it was refused", async () => {
    const place = await madePlace(kind);
    const alone = await openAlone(place, "export");
    const taken = openAlone(place, "import");
    await expect(taken).rejects.toThrow(StoreRefusedError);
    await expect(taken).rejects.toThrow(
      kind === "a file"
        ? `A gateway serves from ${join(folder, "data", "submissions.sqlite")}, or another export or import works on it. Stop the gateway first.`
        : "A gateway serves from this database, or another export or import works on it. Stop every gateway of it first.",
    );
    const serving = openStore(place, "serve");
    await expect(serving).rejects.toThrow(StoreRefusedError);
    await expect(serving).rejects.toThrow(
      kind === "a file"
        ? /^Another gateway serves from .*submissions\.sqlite\. Stop it,/
        : "An export or import is working on this database. Start the gateway when it has ended.",
    );
    await (await openStore(place, "beside")).close();
    await alone.close();
    const store = await openStore(place, "serve");
    await expect(openAlone(place, "export")).rejects.toThrow(StoreRefusedError);
    await store.close();
    await runIn(place, "INSERT INTO gateway_schema (version) VALUES (2)");
    for (let time = 0; time < 2; time++)
      await expect(openAlone(place, "import")).rejects.toThrow(
        "The store has schema version 2, and this gateway knows 1: it was written by a newer gateway. Run that one.",
      );
    await runIn(place, "DELETE FROM gateway_schema WHERE version = 2");
    await (await openAlone(place, "export")).close();
  });

  it("has on disk what a transaction wrote, and nothing of one that failed", async () => {
    const place = await madePlace(kind);
    const alone = await openAlone(place, "export");
    const refused = new StoreRefusedError("not so");
    await expect(alone.run(putSecret("one", refused))).rejects.toBe(refused);
    const fault = new TypeError("not so");
    await expect(alone.run(putSecret("one", fault))).rejects.toBe(fault);
    expect(await alone.run(putSecret("one", null))).toBe(1);
    const again = alone.run(putSecret("one", null));
    await expect(again).rejects.toEqual(
      new StoreUnavailableError(kind === "a file" ? "SQLite result 1555" : "23505", true),
    );
    expect(await alone.run(putSecret("two", null))).toBe(2);
    await alone.close();
    await expect(
      runIn(
        place,
        "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ('two', 'k', 'x')",
      ),
    ).rejects.toThrow();
  });

  it("has a name without a password", async () => {
    const place = await madePlace(kind);
    const alone = await openAlone(place, "export");
    const { host, pathname } = new URL(place.databaseUrl ?? "file:///");
    expect(alone.name).toBe(
      kind === "a file" ? join(folder, "data", "submissions.sqlite") : `${host}${pathname}`,
    );
    await alone.close();
  });

  it("has one version, and takes an id or a key once", async () => {
    const place = await madePlace(kind);
    await runIn(
      place,
      "INSERT INTO gateway_secrets (name, key_id, encrypted) SELECT 'v' || version, 'k', 'x' FROM gateway_schema",
    );
    await expect(
      runIn(place, "INSERT INTO gateway_secrets (name, key_id, encrypted) VALUES ('v1', 'k', 'x')"),
    ).rejects.toThrow();
    const insert = (id: string, key: string): Promise<void> =>
      runIn(
        place,
        `INSERT INTO gateway_submissions (id, key_digest, caller, content_digest, provider, segment, endpoint, creates, state,
          fence, received_at, received_running, updated_at, lease_until, connection, day, closed, queries, series)
          VALUES ('${id}', ${key}, 'b', 'c', 'd', 'e', 'f', 1, 'failed', 1, 1, 1, 1, 1, 'g', '2026-11-22', 0, 0, 'h')`,
      );
    await insert("a", "'k'");
    await insert("b", "NULL");
    await insert("c", "NULL");
    await expect(insert("a", "'l'")).rejects.toThrow();
    await expect(insert("d", "'k'")).rejects.toThrow();
    await insert("d", "'l'");
  });
});

describe("a database", () => {
  it("of a gateway that is about to end is waited for", async () => {
    const place = await madePlace("PostgreSQL");
    const url = place.databaseUrl ?? "";
    const gateway = new Client(url);
    await gateway.connect();
    await gateway.query("SELECT pg_advisory_lock_shared(7302611936)");
    const opening = openAlone(place, "export");
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'insurance-gateway export or import' AND query LIKE '%pg_try_advisory_lock%'";
    await expect.poll(() => queryAt(url, waiting)).toHaveLength(1);
    await gateway.end();
    await (await opening).close();
    await expect.poll(() => queryAt(url, waiting)).toEqual([]);
  });

  it("that ends the connection is unavailable; the process goes on", async () => {
    const place = await madePlace("PostgreSQL");
    const alone = await openAlone(place, "export");
    const its =
      "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()";
    await queryAt(place.databaseUrl ?? "", `SELECT pg_terminate_backend(pid) ${its}`);
    await expect.poll(() => queryAt(place.databaseUrl ?? "", `SELECT 1 ${its}`)).toEqual([]);
    await expect(alone.run(putSecret("one", null))).rejects.toEqual(
      new StoreUnavailableError("connection lost", true),
    );
    await alone.close();
  });

  it("that cannot be reached is unavailable, by its code alone", async () => {
    const databaseUrl = "postgres://user:secret@127.0.0.1:1/none";
    await expect(openAlone({ data: folder, databaseUrl }, "export")).rejects.toEqual(
      new StoreUnavailableError("ECONNREFUSED", true),
    );
  });

  it("that takes a connection and never answers is unavailable after five seconds", async () => {
    const silent = createServer();
    onTestFinished(() => void silent.close());
    const taken = once(silent, "connection");
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = Object(silent.address());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const databaseUrl = `postgres://user@127.0.0.1:${port}/none`;
    const opening = openAlone({ data: folder, databaseUrl }, "export");
    const unavailable = expect(opening).rejects.toEqual(new StoreUnavailableError("timeout", true));
    const [socket] = await taken;
    onTestFinished(() => void socket.destroy());
    vi.advanceTimersByTime(5_000);
    await unavailable;
  });

  it("without submissions is refused beside a file that has some, unless it is a new store", async () => {
    const [file, database] = [await madePlace("a file"), await emptyPlace("PostgreSQL")];
    const both = { ...file, databaseUrl: database.databaseUrl };
    await (await openStore(both, "serve")).close();
    const submission = `INSERT INTO gateway_submissions (id, caller, content_digest, provider, segment, endpoint, creates, state,
      fence, received_at, received_running, updated_at, lease_until, connection, day, closed, queries, series)
      VALUES ('a', 'b', 'c', 'd', 'e', 'f', 1, 'failed', 1, 1, 1, 1, 1, 'g', '2026-11-22', 0, 0, 'h')`;
    await runIn(file, submission);
    await expect(openStore(both, "serve")).rejects.toThrow(
      new StoreRefusedError(
        [
          `The database of DATABASE_URL has no submissions, and ${join(folder, "data", "submissions.sqlite")} has some: a gateway on the empty database would send them again. Either`,
          "  move them: without DATABASE_URL `insurance-gateway submissions export FILE`, then with it `insurance-gateway submissions import FILE`;",
          "  or forget them: `insurance-gateway serve --new-store`.",
        ].join("\n"),
      ),
    );
    await (await openStore(both, "beside")).close();
    await (await openStore(both, "serve", true)).close();
    await runIn(both, submission);
    await (await openStore(both, "serve")).close();
  });
});
