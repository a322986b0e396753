import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createRecorder } from "../../src/submissions/recorder.ts";
import { startSubmissionTasks, watchStore } from "../../src/submissions/submission-tasks.ts";
import {
  clockAt,
  momentAt,
  ONCE,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";

/** Opens a store in a file that is removed after the test. */
async function openStore(): Promise<SubmissionStore> {
  const folder = makeGatewayFolder();
  const store = await openSqliteStore({
    file: join(folder.path, "submissions.sqlite"),
    mode: "serve",
  });
  onTestFinished(async () => {
    await store.close();
    folder.remove();
  });
  return store;
}

it("a new write of a submission waits until the gateway has repeated the earlier failed write", async () => {
  const store = await openStore();
  const submission = sampleSubmission();
  await store.claim(submission, ONCE);
  const { id } = submission;

  let isAvailable = false;
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const unavailable = new StoreUnavailableError("SQLITE_FULL", false);
  const recorder = createRecorder(
    {
      ...store,
      async markUnknown(...parameters) {
        if (!isAvailable) throw unavailable;
        begun.resolve();
        await released.promise;
        await store.markUnknown(...parameters);
      },
      async settle(settlement) {
        if (!isAvailable) throw unavailable;
        return store.settle(settlement);
      },
    },
    createLogger({ write: () => {} }),
    clockAt(() => Date.now()),
  );
  await recorder.markUnknown(id, momentAt(submission.receivedAt + 1), submission.receivedAt + 2);
  isAvailable = true;
  const repeated = recorder.retry();
  await begun.promise;
  isAvailable = false;
  expect(await recorder.settle(sampleSettlement(id), submission)).toBe("later");
  isAvailable = true;
  released.resolve();
  await repeated;
  expect(await store.find(id)).toMatchObject({ state: "outcome_unknown" });
  await recorder.retry();
  expect(await store.find(id)).toMatchObject({ state: "succeeded" });
});

it("the deletion of expired submissions proceeds in portions, and ends after the current portion if the gateway stops", async () => {
  const store = await openStore();
  const logger = createLogger({ write: () => {} });
  const stopping = new AbortController();
  let left = 0;
  const forgetting: SubmissionStore = {
    ...store,
    async forget(_, limit) {
      const portion = Math.min(left, limit);
      left -= portion;
      return portion;
    },
  };
  const tasks = new Map<string, () => Promise<void>>();
  const parts = {
    store: forgetting,
    recorder: createRecorder(
      store,
      logger,
      clockAt(() => Date.now()),
    ),
    logger,
  };
  startSubmissionTasks(
    {
      ...parts,
      clock: clockAt(() => Date.now()),
      watch: watchStore(store, logger),
      stopping: stopping.signal,
    },
    (task, _, work) => {
      tasks.set(task, work);
      return async () => {};
    },
  );
  left = 1_200;
  await tasks.get("forgetting")?.();
  expect(left).toBe(0);
  left = 1_200;
  stopping.abort();
  await tasks.get("forgetting")?.();
  expect(left).toBe(700);
});
