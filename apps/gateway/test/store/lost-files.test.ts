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
/** Where a database file has its number of pages. */
const PAGES_AT = 28;

let time: HeldTime;
let insurers: StoreInsurers;
let gateway: GatewayInProcess;
/** Three submissions: each was copied into the database before the next was sent, and the last is in the log. */
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

/** Writes the state of a database whose first page another process has copied from the log, and not yet the others. */
function beginToCopyLog(): void {
  const file = openSync(fileOf(""), "r+");
  writeSync(file, Buffer.of(0, 1, 0, 0), 0, 4, PAGES_AT);
  closeSync(file);
}

/** Copies the files as they are now, which is how a kill leaves them. */
function save(name: string): void {
  for (const suffix of FILES) copyFileSync(fileOf(suffix), savedOf(name, suffix));
}

/** Writes a copy over the files; those that are open stay the same files. */
function overwrite(name: string, suffixes: readonly string[]): void {
  for (const suffix of suffixes) copyFileSync(savedOf(name, suffix), fileOf(suffix));
}

async function startAgain(whileStopped: () => Promise<void> | void = () => {}): Promise<void> {
  const { folder } = gateway;
  await gateway.end();
  await whileStopped();
  gateway = await startInProcess(insurers.configuration, {}, { time, folder });
}

/** Starts a gateway with what a kill leaves, after something was done to it. */
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

/** A gateway answers the first submission, and refuses the last. */
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

describe("a store that a killed gateway has left", () => {
  it.each([
    { title: "nothing was done to it", change: () => {} },
    {
      title: "a power cut lost what was written to its count",
      change: () => overwrite("first", [".count"]),
    },
  ])("serves as before when $title", async ({ change }) => {
    await startAfterKill(change);
    expect(await send(gateway, sent[0])).toEqual({ ...answered, replayed: true });
    expect((await send(gateway, sent[2])).replayed).toBe(true);
    expect((await send(gateway, newSendable())).says).toBe("201");
  });

  it.each([
    { title: "log was removed", change: () => rmSync(fileOf("-wal")) },
    { title: "log was emptied", change: () => writeFileSync(fileOf("-wal"), "") },
    { title: "log was cut off", change: () => truncateSync(fileOf("-wal"), 5_000) },
    { title: "files are older ones", change: () => overwrite("second", ["", "-wal"]) },
    {
      title: "log and count were removed",
      change: () => {
        for (const suffix of [".count", "-wal"]) rmSync(fileOf(suffix));
      },
    },
  ])("refuses submissions that it does not know when its $title", async ({ change }) => {
    await startAfterKill(change);
    await expectLossNoticed();
  });

  it("ends the start when a table lacks a column", async () => {
    await startAgain(async () => {
      await rowsIn(place(), "ALTER TABLE gateway_store RENAME COLUMN id TO other");
      const run = runsInProcess({ folder: gateway.folder.path, address: "" });
      expect(await run(["serve"])).toMatchObject({ code: 78, stdout: "" });
      await rowsIn(place(), "ALTER TABLE gateway_store RENAME COLUMN other TO id");
    });
  });

  it("accepts submissions again after `accept-restore`, until the lost files come back", async () => {
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

it("serves, and is open to commands, while another process copies the log into the database", async () => {
  beginToCopyLog();
  for (const sendable of sent) expect((await send(gateway, sendable)).replayed).toBe(true);
  expect((await send(gateway, newSendable())).says).toBe("201");
  const run = runsInProcess({ folder: gateway.folder.path, address: "" });
  expect(await run(["submissions", "list"])).toMatchObject({ code: 0 });
});

describe("a store whose files are overwritten while a gateway serves from it", () => {
  it.each([
    { title: "older files", change: () => overwrite("second", ["", "-wal"]) },
    { title: "an older log", change: () => overwrite("second", ["-wal"]) },
    { title: "an empty log", change: () => writeFileSync(fileOf("-wal"), "") },
  ])(
    "a store with overwritten files refuses submissions with $title, and after a restart the unknown ones",
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

  it("is refused at the next start with an older database, until the one of its log is back", async () => {
    save("right");
    overwrite("first", [""]);
    expect((await send(gateway, sent[1])).says).toBe(STORE_UNREADABLE);
    await startAgain(async () => {
      const run = runsInProcess({ folder: gateway.folder.path, address: "" });
      const refused = await run(["serve"]);
      expect(refused).toMatchObject({ code: 78, stdout: "" });
      expect(refused.stderr).toContain("-wal may be the log of another database");
      expect(refused.stderr).toContain("Put the newest files back.");
      overwrite("right", [""]);
    });
    for (const sendable of sent) expect((await send(gateway, sendable)).replayed).toBe(true);
    expect((await send(gateway, newSendable())).says).toBe(REFUSED);
  });
});
