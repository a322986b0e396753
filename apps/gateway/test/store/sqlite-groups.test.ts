import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { makeStoreFolder, type StoreFolder } from "../harness/store-places.ts";
import { ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";

let folder: StoreFolder;
let store: SubmissionStore;
beforeEach(async () => {
  folder = makeStoreFolder();
  store = await openSqliteStore({ file: folder.file, mode: "serve" });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  folder.remove();
});

/**
 * Counts the commits in the write-ahead log. The last page of each commit has the size of the database in its header
 * (https://www.sqlite.org/fileformat2.html, section 4.1).
 */
function commits(): number {
  const path = `${folder.file}-wal`;
  if (!existsSync(path)) return 0;
  const log = readFileSync(path);
  const step = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + step <= log.length; at += step) {
    const isCurrent = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24));
    if (isCurrent && log.readUInt32BE(at + 4) !== 0) count++;
  }
  return count;
}

/** Counts the messages between the store and the SQLite thread. */
function watchMessages(): { readonly toThread: () => number; readonly toStore: () => number } {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  const emitted = vi.spyOn(Worker.prototype, "emit");
  return {
    toThread: () => posted.mock.calls.length,
    toStore: () => emitted.mock.calls.filter(([event]) => event === "message").length,
  };
}

it("all requests of one turn of the event loop need one message to the SQLite thread, one commit and one message back", async () => {
  const submissions = Array.from({ length: 25 }, () => sampleSubmission());
  await store.claim(sampleSubmission(), ONCE);
  const before = commits();
  const messages = watchMessages();
  const claimed = await Promise.all(submissions.map((one) => store.claim(one, ONCE)));
  expect(claimed.every((claim) => claim.claimed)).toBe(true);
  expect([messages.toThread(), commits() - before, messages.toStore()]).toEqual([1, 1, 1]);
  await Promise.all(submissions.map(({ id }) => store.settle(sampleSettlement(id))));
  expect([messages.toThread(), commits() - before, messages.toStore()]).toEqual([2, 2, 2]);
});

it("the store writes all requests that arrive during a commit together, with the next commit", async () => {
  await store.claim(sampleSubmission(), ONCE);
  const before = commits();
  const other = new DatabaseSync(folder.file);
  other.exec("BEGIN IMMEDIATE");
  const claims: Promise<unknown>[] = [];
  for (let turn = 0; turn < 10; turn++) {
    claims.push(store.claim(sampleSubmission(), ONCE));
    await setImmediate();
  }
  other.exec("ROLLBACK");
  other.close();
  await Promise.all(claims);
  // The first message may already wait for a commit when the other messages arrive, so two commits are allowed.
  expect(commits() - before).toBeLessThanOrEqual(2);
});
