import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import { runsInProcess } from "../harness/command-line.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { rowsIn } from "../harness/random-tables.ts";
import {
  newSendable,
  type Reply,
  type Sendable,
  STORE_UNREADABLE,
  send,
} from "../harness/store-calls.ts";
import {
  type StoreInsurers,
  startStoreInsurers,
  submissionsAt,
} from "../harness/store-insurers.ts";

const REFUSED = "503 STORE_UNAVAILABLE unknown after_check";
const FILES = ["", "-wal", ".count"];
/** Position of the number of pages in the header of a database file, in bytes. */
const PAGES_AT = 28;

let time: HeldTime;
let insurers: StoreInsurers;
let gateway: GatewayInProcess;
/** Three submissions. The first two are in the database file, and the last is still only in the write-ahead log. */
let sent: readonly [first: Sendable, second: Sendable, last: Sendable];
let answered: Reply;
beforeEach(async () => {
  time = holdTime();
  insurers = await startStoreInsurers();
  gateway = await startInProcess(insurers.configuration, {}, { time });
  sent = [newSendable(), newSendable(), newSendable()];
  answered = await send(gateway, sent[0]);
  await copyLogIntoDatabase();
  save("first");
  await send(gateway, sent[1]);
  await copyLogIntoDatabase();
  save("second");
  expect((await send(gateway, sent[2])).says).toBe("201");
});
afterEach(async () => {
  await gateway.stop();
  await insurers.close();
});

const fileOf = (suffix: string): string =>
  join(gateway.folder.path, "data", `submissions.sqlite${suffix}`);
const savedOf = (name: string, suffix: string): string =>
  join(gateway.folder.path, `${name}${suffix}`);

const place = (): StorePlace => ({
  data: join(gateway.folder.path, "data"),
  databaseUrl: undefined,
});

async function copyLogIntoDatabase(): Promise<void> {
  await rowsIn(place(), "PRAGMA wal_checkpoint(TRUNCATE)");
}

/**
 * Changes the database file as if another process had copied only the first page of the log: the header states 65,536
 * pages.
 */
function beginToCopyLog(): void {
  const file = openSync(fileOf(""), "r+");
  writeSync(file, Buffer.of(0, 1, 0, 0), 0, 4, PAGES_AT);
  closeSync(file);
}

/** Copies the store's current files, as a kill of the gateway would leave them. */
function save(name: string): void {
  for (const suffix of FILES) copyFileSync(fileOf(suffix), savedOf(name, suffix));
}

/** Overwrites the store's files with a saved copy. A process that has a file open sees the file's new content. */
function overwrite(name: string, suffixes: readonly string[]): void {
  for (const suffix of suffixes) copyFileSync(savedOf(name, suffix), fileOf(suffix));
}

async function startAgain(whileStopped: () => Promise<void> | void = () => {}): Promise<void> {
  const { folder } = gateway;
  await gateway.end();
  await whileStopped();
  gateway = await startInProcess(insurers.configuration, {}, { time, folder });
}

/** Starts a gateway with the files that a kill leaves, after `change` has changed these files. */
async function startAfterKill(change: () => void): Promise<void> {
  save("killed");
  await startAgain(() => {
    const data = join(gateway.folder.path, "data");
    for (const name of readdirSync(data))
      if (name.startsWith("submissions.sqlite")) rmSync(join(data, name));
    overwrite("killed", FILES);
    change();
  });
}

/** Expects that the gateway answers the first submission again, and refuses the last submission and a new one. */
async function expectLossNoticed(): Promise<void> {
  expect(await send(gateway, sent[0])).toEqual({ ...answered, replayed: true });
  expect((await send(gateway, sent[2])).says).toBe(REFUSED);
  expect((await send(gateway, newSendable())).says).toBe(REFUSED);
  await time.tick();
  expect(gateway.log.join("")).toContain(
    "the store was restored or has lost files; submissions that are not in the store are refused until the command `submissions accept-restore`",
  );
  expect(submissionsAt(insurers)).toHaveLength(3);
}

describe("a store after its gateway was killed", () => {
  it.each([
    { title: "the files are unchanged", change: () => {} },
    {
      title: "a power cut lost the last change of the count file",
      change: () => overwrite("first", [".count"]),
    },
  ])("the gateway accepts all submissions after a kill if $title", async ({ change }) => {
    await startAfterKill(change);
    expect(await send(gateway, sent[0])).toEqual({ ...answered, replayed: true });
    expect((await send(gateway, sent[2])).replayed).toBe(true);
    expect((await send(gateway, newSendable())).says).toBe("201");
  });

  it.each([
    { title: "SQLite's log was removed", change: () => rmSync(fileOf("-wal")) },
    { title: "SQLite's log was emptied", change: () => writeFileSync(fileOf("-wal"), "") },
    { title: "SQLite's log was cut off", change: () => truncateSync(fileOf("-wal"), 5_000) },
    {
      title: "the files were replaced by older files",
      change: () => overwrite("second", ["", "-wal"]),
    },
    {
      title: "SQLite's log and the count file were removed",
      change: () => {
        for (const suffix of [".count", "-wal"]) rmSync(fileOf(suffix));
      },
    },
  ])(
    "the gateway refuses submissions that are missing from the store after a kill if $title",
    async ({ change }) => {
      await startAfterKill(change);
      await expectLossNoticed();
    },
  );

  it("the command `serve` fails if a table lacks a column", async () => {
    await startAgain(async () => {
      await rowsIn(place(), "ALTER TABLE gateway_store RENAME COLUMN id TO other");
      const run = runsInProcess({ folder: gateway.folder.path, address: "" });
      expect(await run(["serve"])).toMatchObject({ code: 78, stdout: "" });
      await rowsIn(place(), "ALTER TABLE gateway_store RENAME COLUMN other TO id");
    });
  });

  it("the gateway refuses a submission that was accepted after `accept-restore` when the earlier, lost files return", async () => {
    await startAgain(() => {
      copyFileSync(fileOf(""), savedOf("whole", ""));
      overwrite("second", [""]);
    });
    expect((await send(gateway, sent[2])).says).toBe(REFUSED);
    const run = runsInProcess({ folder: gateway.folder.path, address: "" });
    expect((await run(["submissions", "accept-restore"])).code).toBe(0);
    await startAgain();
    const later = newSendable();
    expect((await send(gateway, later)).says).toBe("201");
    await startAgain(() => overwrite("whole", [""]));
    expect((await send(gateway, later)).says).toBe(REFUSED);
  });
});

it("the gateway serves, and commands work, while another process copies SQLite's log into the database", async () => {
  beginToCopyLog();
  for (const sendable of sent) expect((await send(gateway, sendable)).replayed).toBe(true);
  expect((await send(gateway, newSendable())).says).toBe("201");
  const run = runsInProcess({ folder: gateway.folder.path, address: "" });
  expect(await run(["submissions", "list"])).toMatchObject({ code: 0 });
});

describe("a store whose files are overwritten while a gateway serves from it", () => {
  it.each([
    { title: "older files", change: () => overwrite("second", ["", "-wal"]) },
    { title: "an older SQLite log", change: () => overwrite("second", ["-wal"]) },
    { title: "an empty SQLite log", change: () => writeFileSync(fileOf("-wal"), "") },
  ])(
    "the gateway refuses all submissions after $title overwrites the store's files, and after a restart only unknown submissions",
    async ({ change }) => {
      change();
      const refused = await send(gateway, sent[2]);
      expect(refused.says).toBe(STORE_UNREADABLE);
      expect(refused.text).toContain("were removed, replaced or overwritten");
      expect(refused.text).toContain("if they were overwritten, to restart the gateway");
      await startAgain();
      await expectLossNoticed();
    },
  );

  it("the gateway refuses to start with an older database and a newer SQLite log, and starts when the right database is back", async () => {
    save("right");
    overwrite("first", [""]);
    expect((await send(gateway, sent[1])).says).toBe(STORE_UNREADABLE);
    await startAgain(async () => {
      const run = runsInProcess({ folder: gateway.folder.path, address: "" });
      const refused = await run(["serve"]);
      expect(refused).toMatchObject({ code: 78, stdout: "" });
      expect(refused.stderr).toContain("-wal may be the log of another database");
      expect(refused.stderr).toContain(
        "If you have the newest files of this database, put them back.",
      );
      overwrite("right", [""]);
    });
    for (const sendable of sent) expect((await send(gateway, sendable)).replayed).toBe(true);
    expect((await send(gateway, newSendable())).says).toBe(REFUSED);
  });
});
