import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreRefusedError } from "../../src/store/faults.ts";
import { isReconciled, openStore } from "../../src/store/open-store.ts";
import { errorCodeOf } from "../../src/store/sqlite/fault.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { WorkerSettings } from "../../src/store/sqlite/worker-messages.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { fillUp } from "../harness/store-filling.ts";
import { makeStoreFolder, type StoreFolder } from "../harness/store-places.ts";
import {
  keep,
  legible,
  momentAt,
  ONCE,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";

let folder: StoreFolder;
let opened: SubmissionStore[];
beforeEach(() => {
  folder = makeStoreFolder();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  folder.remove();
});

async function open(more: Partial<WorkerSettings> = {}): Promise<SubmissionStore> {
  const store = await openSqliteStore({ file: folder.file, mode: "serve", ...more });
  opened.push(store);
  return store;
}

describe("a file from which a gateway serves", () => {
  it("a second process cannot open the file from which a gateway serves, and the error's message names the remedy", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(
      new StoreRefusedError(
        `Another gateway serves from ${folder.file}, and only one process at a time can. Stop that gateway first. Several processes need PostgreSQL (DATABASE_URL).`,
      ),
    );
    await first.close();
    await keep(await open(), "in_flight");
  });

  it("only one of several gateways that start at the same time can open a store's file", async () => {
    const openings = await Promise.allSettled(Array.from({ length: 4 }, () => open()));
    expect(openings.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("commands can read and write a store's file while a gateway serves from the file", async () => {
    const gateway = await open();
    const { id } = await keep(gateway, "needs_review");
    const commands = await Promise.all([open({ mode: "beside" }), open({ mode: "beside" })]);
    for (const command of commands) expect((await command.find(id))?.state).toBe("needs_review");
    const resolution = { by: "operator", reason: "asked the insurer" };
    const settled = await Promise.all(
      commands.map((command) => command.resolveManually(sampleSettlement(id), resolution)),
    );
    expect(new Set(settled)).toEqual(new Set(["not_open", "settled"]));
    expect((await gateway.find(id))?.state).toBe("succeeded");
    await keep(gateway, "in_flight");
  });
});

it("the store's method `isReconciled` returns true only while a gateway serves from the store's file", async () => {
  const place = { data: dirname(folder.file), databaseUrl: undefined };
  const serving = await open();
  expect(await isReconciled(place, serving, "provider-d")).toBe(true);
  await serving.close();
  expect(await isReconciled(place, serving, "provider-d")).toBe(false);
  // Without the lock file, the file is like a copy of a store's file.
  rmSync(`${folder.file}.lock`);
  const copied = await open({ mode: "beside" });
  expect(await isReconciled(place, copied, "provider-d")).toBe(false);
});

it("the store is a file if DATABASE_URL is empty", async () => {
  const store = await openStore({ data: dirname(folder.file), databaseUrl: "" }, "serve");
  opened.push(store);
  expect([store.shared, existsSync(folder.file)]).toEqual([false, true]);
});

describe("a file that cannot be used", () => {
  it.each([
    [778, "SQLITE_IOERR"],
    [1_544, "SQLITE_READONLY"],
    [2_067, "SQLite result 2067"],
  ])(
    "the store reports the SQLite result code %i by the name of its primary code, or by the number if no name is known",
    (errcode, name) => {
      expect(errorCodeOf({ errcode })).toBe(name);
    },
  );

  it("the error for a store's file that is not a database names the file and the fault", async () => {
    mkdirSync(dirname(folder.file), { recursive: true });
    writeFileSync(folder.file, "This is no database, and somebody may need it. ".repeat(100));
    await expect(open()).rejects.toThrow(
      `Submissions cannot be stored in ${folder.file} (SQLITE_NOTADB). It must be a SQLite database that this user can write`,
    );
  });

  it("the error for a broken lock file of a store does not report another gateway", async () => {
    mkdirSync(dirname(folder.file), { recursive: true });
    writeFileSync(`${folder.file}.lock`, "This is no database. ".repeat(100));
    await expect(open()).rejects.toThrow(
      `Submissions cannot be stored in ${folder.file} (SQLITE_NOTADB). It must be a SQLite database that this user can write`,
    );
  });

  it("a command creates no file if there is no store", async () => {
    await expect(open({ mode: "beside" })).rejects.toThrow("There is no store of submissions in");
    expect(existsSync(dirname(folder.file))).toBe(false);
  });
});

describe("a store that is closed", () => {
  it.each([1, 600])("a closed store has all earlier writes on disk: %i claims", async (count) => {
    const store = await open();
    const submissions = Array.from({ length: count }, () => sampleSubmission());
    const claims = submissions.map((submission) => store.claim(submission, ONCE));
    await store.close();
    expect((await Promise.all(claims)).every(({ claimed }) => claimed)).toBe(true);
    const again = await open();
    expect(await again.list(["in_flight"], 1_000)).toHaveLength(count);
  });
});

describe("a disk that is full", () => {
  const full = { detail: "SQLITE_FULL", mayBeWritten: false };

  it("a store on a full disk keeps all earlier writes, and contains no part of a refused write", async () => {
    const store = await open({ maximumPages: 60 });
    const before = await keep(store, "succeeded");
    const record = legible(await store.find(before.id));
    const filling = await fillUp(store, sampleSubmission);
    expect(filling.length).toBeGreaterThan(50);
    const refused = sampleSubmission();
    await expect(store.claim(refused, ONCE)).rejects.toMatchObject(full);
    expect(await store.find(refused.id)).toBeNull();
    expect(legible(await store.find(before.id))).toEqual(record);
    expect(
      (await store.claim(sampleSubmission({ keyDigest: before.keyDigest }), ONCE)).claimed,
    ).toBe(false);
    expect(await store.list(["in_flight"], 10_000)).toHaveLength(filling.length);
  });

  it("the write of a result that fails because of a full disk changes no part of the submission", async () => {
    const store = await open({ maximumPages: 64 });
    const { id } = await keep(store, "in_flight");
    const before = legible(await store.find(id));
    await fillUp(store, sampleSubmission);
    const settlement = sampleSettlement(id, { answer: randomBytes(200_000) });
    await expect(store.settle(settlement)).rejects.toMatchObject(full);
    const resolution = { by: "operator", reason: "asked" };
    await store.markUnknown(id, momentAt(RECEIVED_AT), RECEIVED_AT);
    await expect(store.resolveManually(settlement, resolution)).rejects.toMatchObject(full);
    expect(await store.resolutions(id)).toEqual([]);
    expect(legible(await store.find(id))).toEqual({
      ...before,
      state: "outcome_unknown",
      fence: 2,
      updatedAt: RECEIVED_AT,
      unknownAt: RECEIVED_AT,
      unknownRunning: RECEIVED_AT,
      nextQueryAt: RECEIVED_AT,
    });
  });

  it("a full store accepts submissions again after old submissions were deleted, without a restart", async () => {
    const store = await open({ maximumPages: 60 });
    for (let count = 0; count < 40; count++) await keep(store, "succeeded");
    await fillUp(store, sampleSubmission);
    const submission = sampleSubmission();
    await expect(store.claim(submission, ONCE)).rejects.toMatchObject(full);
    await store.forget(momentAt(RECEIVED_AT + 30_000), 500);
    expect(await store.claim(submission, ONCE)).toEqual({ claimed: true });
    expect((await store.find(submission.id))?.state).toBe("in_flight");
  });

  it("a store on a full disk refuses only the writes that need space, not the small writes that arrive at the same time", async () => {
    const store = await open({ maximumPages: 60 });
    const sizes = [100, 400_000, 100, 500_000, 100];
    const submissions = sizes.map((size) => sampleSubmission({ matchFields: randomBytes(size) }));
    const claims = await Promise.allSettled(submissions.map((one) => store.claim(one, ONCE)));
    expect(claims.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    const kept = await store.list(["in_flight"], 10);
    const [first, , third, , fifth] = submissions;
    expect(kept.map(({ id }) => id)).toEqual([fifth?.id, third?.id, first?.id]);
  });
});
