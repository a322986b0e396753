import { beforeEach, describe, expect, it } from "vitest";
import {
  keep,
  momentAt,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../../harness/store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const MOST = 10_000;

/** Tests of the running time of a store. */
export function describeRunningTime(current: () => StoreUnderTest): void {
  describe("the running time", () => {
    /** Moves the time of the last count back, counts the running time again, and returns the added running time. */
    async function countedAfter(milliseconds: number): Promise<number> {
      const { execute, store } = current();
      const { at, running } = await store.readRunningTime(Date.now());
      await execute(`UPDATE gateway_running_time SET counted_at = ${at - milliseconds}`);
      const counted = await store.countRunningTime(Date.now(), MOST);
      return counted.running - running;
    }
    beforeEach(async () => void (await current().store.countRunningTime(Date.now(), MOST)));

    it("the running time grows by the time since the last count of the running time", async () => {
      const counted = await countedAfter(4_000);
      expect(counted).toBeGreaterThanOrEqual(4_000);
      expect(counted).toBeLessThan(MOST);
    });

    it.each([
      ["a stop of three weeks, or a clock that jumps ahead", 21 * 86_400_000, MOST],
      ["a clock that is set back", -21 * 86_400_000, 0],
    ])("the running time grows by at most ten seconds because of %s", async (_, ago, counted) => {
      expect(await countedAfter(ago)).toBe(counted);
      expect(await countedAfter(0), "and continues from there").toBeLessThan(MOST);
    });

    it("all processes that share a store have the same running time, and no new record has an earlier time than the stored time", async () => {
      const { execute, other, store } = current();
      const before = await store.readRunningTime(Date.now());
      await execute("UPDATE gateway_running_time SET passed = passed + 3600000");
      expect((await other.readRunningTime(Date.now())).running).toBe(before.running + 3_600_000);
      // A process on a machine that has just slept has a running time that is an hour behind the store's.
      const submission = sampleSubmission({ receivedRunning: before.running });
      await keep(store, "in_flight", submission);
      await store.markUnknown(submission.id, before, 0);
      expect(await store.find(submission.id)).toMatchObject({
        receivedRunning: before.running + 3_600_000,
        unknownRunning: before.running + 3_600_000,
      });
      await store.settle(sampleSettlement(submission.id, { running: before.running }));
      const { caller, contentDigest } = submission;
      const again = sampleSubmission({ caller, contentDigest });
      const rule = { compared: true, succeededSince: before.running + 3_599_999, quota: null };
      expect(await store.claim({ ...again, keyDigest: null }, rule)).toMatchObject({
        relation: "same_content",
      });
    });

    it("the running time decides when the store deletes idempotency keys, and the clock decides when the store deletes answers", async () => {
      const { store } = current();
      const { id } = await keep(store, "succeeded");
      const late = momentAt(RECEIVED_AT + 86_400_000);
      await store.forget({ ...late, running: 0 }, 500);
      expect(await store.find(id)).toMatchObject({ answer: null });
      await store.forget(late, 500);
      expect(await store.find(id)).toBeNull();
    });
  });
}
