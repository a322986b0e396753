import { expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { startSchedule } from "../../src/submissions/schedule.ts";
import { systemTime } from "../../src/time.ts";
import { makeStoreFolder } from "../harness/store-places.ts";
import { clockAt } from "../harness/store-samples.ts";

/** Returns how often per second the schedule for this number of insurers wakes the process while no query is due. */
async function wakeUps(insurers: number): Promise<number> {
  const folder = makeStoreFolder();
  const store = await openSqliteStore({ file: folder.file, mode: "serve" });
  let perSecond = 0;
  const wake = (milliseconds: number): (() => Promise<void>) => {
    perSecond += 1_000 / milliseconds;
    return async () => {};
  };
  const schedule = startSchedule({
    store,
    clock: clockAt(() => Date.now()),
    every: (_task, milliseconds) => wake(milliseconds),
    time: { ...systemTime, every: wake },
    stopping: new AbortController().signal,
    reconcile: async () => "answered",
    segments: Array.from({ length: insurers }, (_, index) => `insurer-${index}`),
    queriesPerSecond: () => 5,
    isMaintained: () => false,
  });
  await schedule.stop();
  await store.close();
  folder.remove();
  return perSecond;
}

it("each additional insurer wakes an idle gateway fewer than three times a second", async () => {
  expect((await wakeUps(23)) - (await wakeUps(1))).toBeLessThan(22 * 3);
});
