import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { type RunningPostgres, startPostgres } from "../src/index.ts";
import { statesOf } from "../src/process-family.ts";

const opened: RunningPostgres[] = [];

async function start(settings?: Readonly<Record<string, string>>): Promise<RunningPostgres> {
  const postgres = await startPostgres(settings);
  opened.push(postgres);
  return postgres;
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  // The tests end servers while clients are connected; the failing query reports the error.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = await connect(url);
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

interface Traces {
  readonly folder: string;
  readonly processes: readonly number[];
}

/** Returns the ids of the server's processes and the path of the server's data folder. */
async function tracesOf(url: string): Promise<Traces> {
  const client = await connect(url);
  const { rows } = await client.query<Traces>(`
    SELECT current_setting('data_directory') AS folder,
      split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer || array_agg(pid) AS processes
    FROM pg_stat_activity WHERE pid <> pg_backend_pid()`);
  await client.end();
  const [traces] = rows;
  if (traces === undefined) throw new Error("The server did not tell its processes");
  return traces;
}

function livingOf(processes: readonly number[]): readonly string[] {
  return statesOf(processes).filter((state) => state !== "Z");
}

/** The code of a process that starts a server like a test, and that the test can kill. */
const owner = `
  const { startPostgres } = await import(process.argv[1]);
  process.stdout.write((await startPostgres()).url);
  setInterval(() => undefined, 1_000);
`;

afterEach(async () => {
  await Promise.all(opened.splice(0).map((postgres) => postgres.remove()));
});

describe("a PostgreSQL server for one test", () => {
  test("the test's PostgreSQL server keeps the stored rows after a stop and a start", async () => {
    const postgres = await start();
    await query(postgres.url, "CREATE TABLE kept AS SELECT 1 AS number");
    const client = await connect(postgres.url);
    await postgres.stop();
    await expect(client.query("SELECT 1")).rejects.toThrow();
    await expect(connect(postgres.url)).rejects.toThrow("ECONNREFUSED");
    await postgres.start();
    expect(await query(postgres.url, "SELECT number FROM kept")).toEqual([{ number: 1 }]);
  });

  test("the test's PostgreSQL server does not answer a query while the server is paused", async () => {
    const [paused, other] = await Promise.all([start(), start()]);
    const client = await connect(paused.url);
    const { processes } = await tracesOf(paused.url);
    paused.pause();
    expect(new Set(livingOf(processes))).toEqual(new Set(["T"]));
    const answer = client.query("SELECT 'resumed' AS from").then(({ rows }) => rows);
    const first = await Promise.race([answer, query(other.url, "SELECT 'other' AS from")]);
    expect(first).toEqual([{ from: "other" }]);
    paused.resume();
    expect(await answer).toEqual([{ from: "resumed" }]);
    await client.end();
  });

  test("the test's PostgreSQL server keeps the committed rows after SIGKILL and a start", async () => {
    const postgres = await start();
    await query(postgres.url, "CREATE TABLE kept AS SELECT 1 AS number");
    const { processes } = await tracesOf(postgres.url);
    const client = await connect(postgres.url);
    const asleep = expect(client.query("SELECT pg_sleep(3600)")).rejects.toThrow(
      /terminated|ECONNRESET/,
    );
    await postgres.kill();
    await asleep;
    expect(livingOf(processes)).toEqual([]);
    await postgres.start();
    expect(await query(postgres.url, "SELECT number FROM kept")).toEqual([{ number: 1 }]);
  });

  test.each<[string, (postgres: RunningPostgres) => unknown]>([
    ["running", () => undefined],
    ["stopped", (postgres) => postgres.stop()],
    ["paused", (postgres) => postgres.pause()],
    ["killed", (postgres) => postgres.kill()],
    ["removed", (postgres) => postgres.remove()],
  ])(
    "the removal of a PostgreSQL server leaves no process and no folder if the server is: %s",
    async (_state, bring) => {
      const postgres = await start();
      const { folder, processes } = await tracesOf(postgres.url);
      expect(existsSync(folder)).toBe(true);
      expect(livingOf(processes)).not.toEqual([]);
      await bring(postgres);
      await postgres.remove();
      expect(livingOf(processes)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
    },
  );

  test("the test's PostgreSQL server and its folder disappear if the process that started the server is killed", async () => {
    const owning = spawn(
      process.execPath,
      ["--input-type=module", "-e", owner, new URL("../src/index.ts", import.meta.url).href],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [url] = await once(owning.stdout.setEncoding("utf8"), "data");
    const { folder, processes } = await tracesOf(url);
    owning.kill("SIGKILL");
    await expect
      .poll(() => [livingOf(processes), existsSync(dirname(folder))])
      .toEqual([[], false]);
  });

  test("the test's PostgreSQL server shuts down cleanly even if the server is paused", async () => {
    const postgres = await start();
    postgres.pause();
    await postgres.stop();
    await postgres.start();
    expect(await query(postgres.url, "SELECT 1 AS number")).toEqual([{ number: 1 }]);
  });

  test("the test's PostgreSQL server creates separate databases, and each database is empty", async () => {
    const postgres = await start();
    const made = await Promise.all([postgres.createDatabase(), postgres.createDatabase()]);
    expect(new Set([postgres.url, ...made]).size).toBe(3);
    for (const url of [postgres.url, ...made])
      await query(url, "CREATE TABLE alone (number integer)");
  });

  test("the test's PostgreSQL server accepts further settings and keeps the settings for safe writes", async () => {
    const { url } = await start({ max_connections: "7" });
    const names = "'max_connections', 'fsync', 'synchronous_commit'";
    const sql = `SELECT name, setting FROM pg_settings WHERE name IN (${names}) ORDER BY name`;
    expect(await query(url, sql)).toEqual([
      { name: "fsync", setting: "on" },
      { name: "max_connections", setting: "7" },
      { name: "synchronous_commit", setting: "on" },
    ]);
  });

  test("the error of a PostgreSQL server that cannot start contains the server's log", async () => {
    await expect(startPostgres({ shared_buffers: "plenty" })).rejects.toThrow(
      /ended before it was ready:\n.*invalid value for parameter "shared_buffers": "plenty"/s,
    );
  });
});
