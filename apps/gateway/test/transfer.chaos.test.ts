import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runCommand, startGatewayProcess } from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApplicationsInsurer } from "./harness/applications.ts";
import type { Sendable } from "./harness/store-calls.ts";
import { queryAt } from "./harness/store-places.ts";
import {
  fillFile,
  killWhen,
  makeTransferFolder,
  newSendables,
  type TransferFolder,
} from "./harness/transfer-places.ts";

let server: RunningPostgres;
let insurer: FaultInjectingInsurer;
beforeAll(async () => {
  server = await startPostgres();
  insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
});
afterAll(async () => {
  await server.remove();
  await insurer.close();
});

let folder: TransferFolder;
let database: { readonly DATABASE_URL: string };
const inFile = {};
beforeEach(async () => {
  folder = makeTransferFolder(insurer.baseUrl);
  database = { DATABASE_URL: await server.createDatabase() };
});
afterEach(() => folder.remove());

function path(name: string): string {
  return join(folder.path, name);
}

/** Has the folder's file hold a submission, and as many copies of it as are asked for; gives the submission. */
async function fill(copies = 0): Promise<readonly Sendable[]> {
  const sendables = newSendables(1);
  const [reply] = await folder.sendAll(inFile, sendables);
  expect(reply?.status).toBe(201);
  if (copies > 0) fillFile(folder.file, copies);
  return sendables;
}

/** Has a gateway make the schema and a secret of its own in an empty database. */
async function startOnce(place: Readonly<Record<string, string>>): Promise<void> {
  const gateway = await startGatewayProcess(folder.path, place, ["--new-store"]);
  await gateway.stop();
}

async function expectReplayed(place: object, sendables: readonly Sendable[]): Promise<void> {
  const posted = insurer.arrivals().length;
  const replies = await folder.sendAll({ ...place }, sendables);
  expect(replies.map(({ replayed, status }) => [status, replayed])).toEqual(
    sendables.map(() => [201, true]),
  );
  expect(insurer.arrivals().length).toBe(posted);
}

describe("submissions export and import", () => {
  it("move submissions to PostgreSQL and back, where the same keys are answered as before", async () => {
    const first = await fill();
    const [resolved] = JSON.parse(
      (await folder.submissions(inFile, "list", "--state", "succeeded", "--json")).stdout,
    );
    const id: string = resolved.submissionId;
    await folder.submissions(inFile, "show", id, "--reveal", "--by=x", "--why=y");
    await folder.submissions(inFile, "settle", id, "--as=failed", "--by=x", "--why=y");
    const word = ["--as=succeeded", "--insurer-id=D-000001", "--by=x", "--why=y"];
    await folder.submissions(inFile, "settle", id, ...word);
    const before = (await folder.submissions(inFile, "show", id)).stdout;
    const exported = await folder.submissions(inFile, "export", "one");
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(exported.stdout).toContain("Exported 1 submission and 2 resolutions to one.");
    expect(statSync(path("one")).mode & 0o777).toBe(0o600);
    const imported = await folder.submissions(database, "import", "one");
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect((await folder.submissions(database, "show", id)).stdout).toBe(before);

    const [reply] = await folder.sendAll(database, first);
    expect(reply).toMatchObject({ status: 502, replayed: true });
    const second = newSendables(1);
    expect((await folder.sendAll(database, second))[0]?.status).toBe(201);
    expect(await folder.submissions(database, "export", "two")).toMatchObject({ code: 0 });
    rmSync(folder.file);
    expect(await folder.submissions(inFile, "import", "two")).toMatchObject({ code: 0 });
    await expectReplayed(inFile, second);
    expect((await folder.submissions(inFile, "show", id)).stdout).toBe(before);
  });

  it("are refused beside a gateway that serves, on either side", async () => {
    await fill();
    await folder.submissions(inFile, "export", "one");
    for (const place of [inFile, database]) {
      const gateway = await startGatewayProcess(folder.path, place, ["--new-store"]);
      const commands = [
        ["export", "two"],
        ["import", "one"],
      ];
      for (const command of commands) {
        const refused = await folder.submissions(place, ...command);
        expect(refused.code).toBe(78);
        expect(refused.stderr).toContain("A gateway serves from");
      }
      await gateway.stop();
    }
  });

  it("refuse a file that is truncated, changed, reordered or of another key, and write nothing", async () => {
    await fill(1_200);
    await folder.submissions(inFile, "export", "whole");
    const whole = readFileSync(path("whole"));
    const [header, ...chunks] = partsOf(whole);
    const [first, second, third, ...rest] = chunks;
    expect(rest).not.toEqual([]);
    const changed = Buffer.from(whole);
    const inThird = joined(header, first, second, third).length - 10;
    changed[inThird] = (changed[inThird] ?? 0) ^ 1;
    const files: readonly (readonly [string, Buffer])[] = [
      ["is truncated", whole.subarray(0, -1)],
      ["is truncated: its end", Buffer.concat([header, ...chunks.slice(0, -1)])],
      ["was changed: part 2", changed],
      ["was changed: part 1", joined(header, first, third, second, ...rest)],
      ["was changed: part 2", joined(header, first, second, ...rest)],
      [`was changed: part ${chunks.length}`, Buffer.concat([whole, whole.subarray(0, 1)])],
      ["is no export", Buffer.from("something else")],
    ];
    for (const [fault, bytes] of files) {
      writeFileSync(path("bad"), bytes);
      const { code, stderr } = await folder.submissions(database, "import", "bad");
      expect([fault, code, stderr]).toEqual([fault, 1, expect.stringContaining(fault)]);
    }
    const key = readFileSync(path("data/submissions.key"));
    writeFileSync(path("data/submissions.key"), Buffer.alloc(32, 1).toString("base64"));
    const wrong = await folder.submissions(database, "import", "whole");
    expect(wrong.stderr).toContain("cannot be decrypted: the key of submissions.keys");
    rmSync(path("data/submissions.key"));
    const missing = await folder.submissions(database, "import", "whole");
    expect(missing).toMatchObject({ code: 78 });
    expect(missing.stderr).toContain("submissions.keys");
    writeFileSync(path("data/submissions.key"), key);
    const tables = await queryAt(
      database.DATABASE_URL,
      "SELECT to_regclass('gateway_schema') AS t",
    );
    expect(tables).toEqual([{ t: null }]);
  });

  it("refuse another store version and a store of another secret, with what to do", async () => {
    await fill();
    await folder.submissions(inFile, "export", "one");
    const text = readFileSync(path("one")).toString("latin1");
    writeFileSync(path("newer"), text.replace('"storeVersion":1', '"storeVersion":9'), "latin1");
    const newer = await folder.submissions(database, "import", "newer");
    expect(newer).toMatchObject({ code: 78 });
    expect(newer.stderr).toContain("newer has store version 9, and this gateway has 1: import it");
    await startOnce(database);
    // Its secret is another one, and it has no submissions that were recognised with it.
    expect(await folder.submissions(database, "import", "one")).toMatchObject({ code: 0 });
    const other = { DATABASE_URL: await server.createDatabase() };
    await startOnce(other);
    await queryAt(
      other.DATABASE_URL,
      `INSERT INTO gateway_submissions (id, caller, content_digest, provider, segment, endpoint, creates, state, fence,
        received_at, received_running, updated_at, lease_until, connection, day, closed, queries)
        VALUES ('a', 'b', 'c', 'd', 'e', 'f', 1, 'failed', 1, 1, 1, 1, 1, 'g', '2026-11-22', 0, 0)`,
    );
    const foreign = await folder.submissions(other, "import", "one");
    expect(foreign).toMatchObject({ code: 78 });
    expect(foreign.stderr).toContain("digests were made with another secret");
  });

  it("continue an export that was interrupted, unless the store has changed since", async () => {
    await fill(1_200);
    await folder.submissions(inFile, "export", "whole");
    copyFileSync(path("whole"), path("again.partial"));
    const [header, ...chunks] = partsOf(readFileSync(path("whole")));
    truncateSync(path("again.partial"), joined(header, ...chunks.slice(0, 3)).length + 100);
    const again = await folder.submissions(inFile, "export", "again");
    expect(again).toMatchObject({
      code: 0,
      stderr: "again.partial is continued after 1000 rows.\n",
    });
    expect(await folder.submissions(database, "import", "again")).toMatchObject({ code: 0 });
    expect(await countIn(database.DATABASE_URL)).toEqual([{ count: "1201" }]);

    copyFileSync(path("whole"), path("third.partial"));
    fillFile(folder.file, 1);
    const third = await folder.submissions(inFile, "export", "third");
    expect(third.stderr).toContain("cannot be continued, because the store or its key has changed");
    expect(third.stdout).toContain("Exported 1202 submissions");
    const there = await folder.submissions(inFile, "export", "third");
    expect(there).toMatchObject({
      code: 1,
      stderr: "third exists already: name another file.\n",
    });
  });

  it("continue an import that was killed; no gateway serves from the part that is there", async () => {
    const sendables = await fill(1_200);
    await folder.submissions(inFile, "export", "whole");
    await startOnce(database);
    const { DATABASE_URL: url } = database;
    const blocker = new Client(url);
    await blocker.connect();
    // The second page waits for the transaction that is about to write one of its keys.
    await blocker.query("BEGIN");
    const source = new DatabaseSync(folder.file, { readOnly: true });
    const row = source.prepare("SELECT id FROM gateway_submissions WHERE number = 700").get();
    source.close();
    await blocker.query(
      `INSERT INTO gateway_submissions (id, caller, content_digest, provider, segment, endpoint, creates, state, fence,
        received_at, received_running, updated_at, lease_until, connection, day, closed, queries)
        VALUES ($1, 'b', 'c', 'd', 'e', 'f', 1, 'failed', 1, 1, 1, 1, 1, 'g', '2026-11-22', 0, 0)`,
      [row?.id],
    );
    const killed = await killWhen(
      folder,
      { place: database, parameters: ["import", "whole"] },
      async () => {
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        await expect.poll(() => queryAt(url, waiting), { timeout: 20_000 }).toHaveLength(1);
      },
    );
    expect(killed.signal).toBe("SIGKILL");
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect(await countIn(url)).toEqual([{ count: "500" }]);
    for (const command of [["serve"], ["serve", "--new-store"], ["submissions", "list"]]) {
      const refused = await runCommand(folder.path, command, database);
      expect(refused.code).toBe(78);
      expect(refused.stderr).toContain("An import into this store was interrupted");
    }
    const again = await folder.submissions(database, "import", "whole");
    expect(again).toMatchObject({
      code: 0,
      stderr: "An import of this file was interrupted; it is continued.\n",
    });
    expect(await countIn(url)).toEqual([{ count: "1201" }]);
    expect(await folder.submissions(database, "import", "whole")).toMatchObject({ code: 0 });
    expect(await countIn(url)).toEqual([{ count: "1201" }]);
    await expectReplayed(database, sendables);
    await queryAt(url, "UPDATE gateway_submissions SET fence = fence + 1");
    const changed = await folder.submissions(database, "import", "whole");
    expect(changed).toMatchObject({ code: 78 });
    expect(changed.stderr).toContain("in another state: a gateway has served from it since");
  });

  it("have usage and availability, of which a second import changes nothing", async () => {
    await fill();
    const columns =
      "day, connection, segment, endpoint, kind, calls, failed_calls, succeeded, failed, not_sent";
    const usage = `SELECT ${columns} FROM gateway_usage ORDER BY endpoint`;
    const availability =
      "SELECT day, segment, attempts, failures, held_back FROM gateway_availability";
    const store = new DatabaseSync(folder.file, { readOnly: true });
    const legible = (rows: readonly unknown[]): unknown =>
      rows.map((row) =>
        Object.entries(Object(row)).map(([name, value]) => `${name} ${String(value)}`),
      );
    const expected = [usage, availability].map((sql) => legible(store.prepare(sql).all()));
    store.close();
    expect(JSON.stringify(expected)).toContain("calls 1");
    await folder.submissions(inFile, "export", "counted");
    for (let time = 0; time < 2; time += 1) {
      const imported = await folder.submissions(database, "import", "counted");
      expect(imported).toMatchObject({ code: 0 });
      const { DATABASE_URL: url } = database;
      const found = [await queryAt(url, usage), await queryAt(url, availability)];
      expect(found.map(legible)).toEqual(expected);
    }
  });
});

describe("serve", () => {
  it("refuses an empty PostgreSQL beside a file that has submissions, unless it is to forget them", async () => {
    await fill();
    for (const command of [["serve"], []]) {
      const refused = await runCommand(folder.path, command, database);
      expect(refused).toMatchObject({ code: 78, stdout: "" });
      for (const remedy of [folder.file, "submissions export", "submissions import", "--new-store"])
        expect(refused.stderr).toContain(remedy);
    }
    const tables = await queryAt(
      database.DATABASE_URL,
      "SELECT to_regclass('gateway_schema') AS t",
    );
    expect(tables).toEqual([{ t: null }]);
    await startOnce(database);
    // It is still empty.
    expect(await runCommand(folder.path, [], database)).toMatchObject({ code: 78 });
  });
});

describe("submissions reconcile without a gateway", () => {
  it("changes nothing, and says what to do", async () => {
    await fill(1);
    await folder.submissions(inFile, "export", "one");
    await folder.submissions(database, "import", "one");
    for (const place of [inFile, database]) {
      const [row] = JSON.parse((await folder.submissions(place, "list", "--json")).stdout);
      const tried = await folder.submissions(place, "reconcile", row.submissionId);
      expect(tried.code).toBe(69);
      expect(tried.stdout).toContain(
        "is still needs_review: no gateway reconciles provider-d, so nothing was changed. Start a gateway",
      );
      const { stdout } = await folder.submissions(place, "show", row.submissionId);
      expect(JSON.parse(stdout)).toMatchObject({ state: "needs_review", queries: 7 });
    }
  });
});

function countIn(url: string): Promise<readonly unknown[]> {
  return queryAt(url, "SELECT COUNT(*) AS count FROM gateway_submissions");
}

/** The header and the chunks of a file. */
function partsOf(file: Buffer): readonly [Buffer, ...Buffer[]] {
  let offset = file.indexOf("\n") + 1;
  const header = file.subarray(0, offset);
  const chunks: Buffer[] = [];
  while (offset < file.length) {
    const end = offset + 5 + file.readUInt32BE(offset + 1);
    chunks.push(file.subarray(offset, end));
    offset = end;
  }
  return [header, ...chunks];
}

function joined(...parts: readonly (Buffer | undefined)[]): Buffer {
  return Buffer.concat(parts.filter((part) => part !== undefined));
}
