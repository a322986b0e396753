import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createRecorder, type Recorder } from "../../src/submissions/recorder.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import {
  clockAt,
  keep,
  legible,
  momentAt,
  ONCE,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";
import { type TestLog, writeLog } from "./written-log.ts";

const AT = RECEIVED_AT + 5_000;
/** Time at which the store is available again. */
const NOW = RECEIVED_AT + 600_000;
const certain = new StoreUnavailableError("SQLITE_FULL", false);
const perhaps = new StoreUnavailableError("ECONNRESET", true);

let folder: string;
let store: SubmissionStore;
/** Error of every write of the recorder; null while the store is available. */
let fault: Error | null;
/** Ids of the submissions that the recorder tried to write. */
let tried: string[];
let log: TestLog;
let recorder: Recorder;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recorder-"));
  store = await openDirectStore({ data: folder, databaseUrl: undefined });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  fault = null;
  tried = [];
  log = writeLog();
  const attempt = (id: string): void => {
    tried.push(id);
    if (fault !== null) throw fault;
  };
  const faulty: SubmissionStore = {
    ...store,
    async settle(settlement) {
      attempt(settlement.id);
      return store.settle(settlement);
    },
    async withdraw(id) {
      attempt(id);
      await store.withdraw(id);
    },
    async markUnknown(id, at, nextQueryAt) {
      attempt(id);
      await store.markUnknown(id, at, nextQueryAt);
    },
  };
  recorder = createRecorder(
    faulty,
    log.logger,
    clockAt(() => NOW),
  );
});

const unavailable = { level: 50, msg: "the store is not available" };

describe("writes to an available store", () => {
  it("the gateway writes a settlement to an available store once, and uses the store's reply", async () => {
    const submission = await keep(store, "in_flight");
    const { id } = submission;
    expect(await recorder.settle(sampleSettlement(id), submission)).toBe("settled");
    expect(await recorder.settle(sampleSettlement(id), submission)).toBe("not_open");
    const other = await keep(store, "in_flight");
    const owned = sampleSettlement(other.id, { insurerId: `D-${id}` });
    expect(await recorder.settle(owned, other)).toMatchObject({ owner: { id } });
    await recorder.retry();
    expect(tried).toEqual([id, id, other.id]);
    expect(log.read()).toEqual([]);
  });

  it.each(["settle", "withdraw", "markUnknown"] as const)(
    "the gateway does not repeat a write that fails for another reason than an unavailable store: %s",
    async (method) => {
      fault = new TypeError("a fault of our own");
      const submission = sampleSubmission();
      const { id } = submission;
      const writing = {
        settle: () => recorder.settle(sampleSettlement(id), submission),
        withdraw: () => recorder.withdraw(id),
        markUnknown: () => recorder.markUnknown(id, momentAt(AT), AT),
      };
      await expect(writing[method]()).rejects.toBe(fault);
      await recorder.retry();
      expect(tried).toEqual([id]);
      expect(log.read()).toEqual([]);
    },
  );
});

describe("failed writes", () => {
  it("the gateway logs a failed write, and repeats the write once when the store is available again", async () => {
    const [settled, withdrawn, unknown] = [
      await keep(store, "in_flight"),
      await keep(store, "in_flight"),
      await keep(store, "in_flight"),
    ];
    const settlement = sampleSettlement(settled.id);
    fault = certain;
    expect(await recorder.settle(settlement, settled)).toBe("later");
    await recorder.withdraw(withdrawn.id);
    await recorder.markUnknown(unknown.id, momentAt(AT), AT + 2_000);
    const ids = [settled.id, withdrawn.id, unknown.id];
    expect(log.read()).toEqual(
      ids.map((submissionId) => ({ ...unavailable, submissionId, detail: "SQLITE_FULL" })),
    );
    await expect(recorder.retry()).rejects.toBe(fault);
    expect(tried, "each is tried").toEqual([...ids, ...ids]);
    fault = null;
    await recorder.retry();
    expect(await store.find(settled.id)).toMatchObject({
      state: "succeeded",
      insurerId: settlement.insurerId,
      updatedAt: settlement.at,
    });
    expect(await store.find(withdrawn.id)).toBeNull();
    expect(await store.find(unknown.id)).toMatchObject({
      state: "outcome_unknown",
      unknownAt: AT,
      nextQueryAt: AT + 2_000,
    });
    await recorder.retry();
    expect(tried).toHaveLength(9);
  });

  it("the gateway repeats only one failed write at a time, in turn, while the store does not reply", async () => {
    const [one, other] = [await keep(store, "in_flight"), await keep(store, "in_flight")];
    fault = perhaps;
    for (const submission of [one, other])
      await recorder.settle(sampleSettlement(submission.id), submission);
    tried = [];
    await expect(recorder.retry()).rejects.toBe(perhaps);
    expect(tried).toEqual([one.id]);
    tried = [];
    fault = new TypeError("a fault of our own");
    await expect(recorder.retry()).rejects.toBe(fault);
    expect(tried).toEqual([other.id]);
  });

  it("the gateway logs no conflict if the store executed a write whose reply was lost", async () => {
    const submission = await keep(store, "in_flight");
    const settlement = sampleSettlement(submission.id);
    fault = perhaps;
    await recorder.settle(settlement, submission);
    fault = null;
    await store.settle(settlement);
    log.read();
    await recorder.retry();
    expect(log.read()).toEqual([]);
    expect(await store.resolutions(submission.id)).toEqual([]);
    expect((await store.find(submission.id))?.state).toBe("succeeded");
  });

  it("the gateway logs a conflict if another process stored the same result at another time", async () => {
    const submission = await keep(store, "in_flight");
    const { id } = submission;
    fault = certain;
    await recorder.settle(sampleSettlement(id, { at: AT }), submission);
    fault = null;
    await store.settle(sampleSettlement(id, { at: AT + 1 }));
    log.read();
    await recorder.retry();
    expect(log.read()).toMatchObject([
      {
        submissionId: id,
        msg: "a submission was concluded before its insurer's answer could be stored",
      },
    ]);
  });

  it.each([
    { state: "succeeded", effect: "unchanged" },
    { state: "failed", effect: "corrected, because the insurer acted" },
  ] as const)(
    "the gateway logs a conflict if the submission of a late result is already stored as $state; the record is $effect",
    async ({ state }) => {
      const submission = await keep(store, "in_flight");
      const { id } = submission;
      fault = certain;
      await recorder.settle(sampleSettlement(id), submission);
      fault = null;
      await store.settle(sampleSettlement(id, { state, insurerId: `D-${state}-before` }));
      const before = legible(await store.find(id));
      log.read();
      await recorder.retry();
      const after = legible(await store.find(id));
      if (state === "succeeded") expect(after).toEqual(before);
      else expect(after).toMatchObject({ state: "succeeded", insurerId: `D-${id}` });
      expect(await store.resolutions(id)).toHaveLength(state === "failed" ? 1 : 0);
      expect(log.read()).toEqual([
        {
          level: 50,
          submissionId: id,
          msg: "a submission was concluded before its insurer's answer could be stored",
        },
      ]);
      await recorder.retry();
      expect(log.read()).toEqual([]);
    },
  );

  it("the gateway leaves the outcome unknown and makes a query due if a late result has another submission's identifier", async () => {
    const [submission, owner] = [await keep(store, "in_flight"), await keep(store, "succeeded")];
    const settlement = sampleSettlement(submission.id, { insurerId: `D-${owner.id}`, at: AT });
    fault = certain;
    await recorder.settle(settlement, submission);
    fault = null;
    await recorder.retry();
    expect(await store.find(submission.id)).toMatchObject({
      state: "outcome_unknown",
      updatedAt: AT,
      nextQueryAt: AT,
    });
  });
});

describe("corrections of failed submissions", () => {
  /** Returns the id of a submission that was stored as failed while the store could not record the success. */
  async function settledMeanwhile(failedAt: number): Promise<string> {
    const submission = await keep(store, "in_flight");
    const { id } = submission;
    const settlement = sampleSettlement(id, { at: AT, answerUntil: AT + 10, forgetAt: AT + 20 });
    fault = certain;
    await recorder.settle(settlement, submission);
    fault = null;
    const failed = { state: "failed", insurerId: null, at: failedAt } as const;
    await store.settle(sampleSettlement(id, failed));
    return id;
  }

  it.each([
    ["at the current time", AT + 1_000, NOW],
    ["at the time of the failure, if that time is later", NOW + 30_000, NOW + 30_000],
  ])(
    "the gateway dates the correction of a failed submission %s",
    async (_, failedAt, correctedAt) => {
      const id = await settledMeanwhile(failedAt);
      await recorder.retry();
      expect(await store.find(id)).toMatchObject({ state: "succeeded", updatedAt: correctedAt });
      expect(await store.resolutions(id)).toMatchObject([{ at: correctedAt }]);
    },
  );

  it("the store keeps a corrected submission as long as a submission that is concluded at the time of the correction", async () => {
    const id = await settledMeanwhile(AT + 1_000);
    await recorder.retry();
    await store.forget(momentAt(NOW + 10), 500);
    expect((await store.find(id))?.answer).not.toBeNull();
    await store.forget(momentAt(NOW + 11), 500);
    expect((await store.find(id))?.answer).toBeNull();
    await store.forget(momentAt(NOW + 20), 500);
    expect(await store.find(id)).not.toBeNull();
    await store.forget(momentAt(NOW + 21), 500);
    expect(await store.find(id)).toBeNull();
  });

  it("the gateway does not change a submission that an operator corrected before the late result was written", async () => {
    const submission = await keep(store, "in_flight");
    const { id } = submission;
    const person = { by: "operator", reason: "the insurer shows D-1" };
    const faulty: SubmissionStore = {
      ...store,
      async settle(settlement) {
        if (fault !== null) throw fault;
        return store.settle(settlement);
      },
      async correctFailed(...correction) {
        await store.resolveManually(sampleSettlement(id, { insurerId: "D-1" }), person);
        return store.correctFailed(...correction);
      },
    };
    recorder = createRecorder(
      faulty,
      log.logger,
      clockAt(() => NOW),
    );
    fault = certain;
    await recorder.settle(sampleSettlement(id, { insurerId: "D-2" }), submission);
    fault = null;
    await store.settle(sampleSettlement(id, { state: "failed", insurerId: null }));
    await recorder.retry();
    expect(await store.find(id)).toMatchObject({ state: "succeeded", insurerId: "D-1" });
    expect(await store.resolutions(id)).toMatchObject([person]);
  });
});

describe("submissions that the store has lost", () => {
  it("the gateway restores a lost submission with an unknown outcome if the late result has another submission's identifier", async () => {
    const [submission, owner] = [await keep(store, "in_flight"), await keep(store, "succeeded")];
    const { id } = submission;
    fault = certain;
    await recorder.settle(sampleSettlement(id, { insurerId: `D-${owner.id}`, at: AT }), submission);
    fault = null;
    await store.withdraw(id);
    await recorder.retry();
    expect(await store.find(id)).toMatchObject({ state: "outcome_unknown", nextQueryAt: AT });
  });

  const lost = { level: 50, msg: "the store has lost a submission; it is written again" };

  it("the gateway restores a submission that the store has lost, with the result, even if an equal submission is open", async () => {
    const submission = sampleSubmission();
    const { caller, contentDigest, id } = submission;
    await store.claim(sampleSubmission({ caller, contentDigest }), ONCE);
    const settlement = sampleSettlement(id);
    expect(await recorder.restore(submission, settlement)).toBe(true);
    expect(await store.find(id)).toMatchObject({
      state: "succeeded",
      insurerId: settlement.insurerId,
      receivedAt: submission.receivedAt,
    });
    expect(log.read()).toEqual([{ ...lost, submissionId: id }]);
  });

  it.each(["in_flight", "outcome_unknown", "succeeded"] as const)(
    "the gateway does not restore a submission that the store still has: %s",
    async (state) => {
      const submission = await keep(store, state);
      const before = legible(await store.find(submission.id));
      expect(await recorder.restore(submission, sampleSettlement(submission.id))).toBe(false);
      expect(legible(await store.find(submission.id))).toEqual(before);
      expect(log.read()).toEqual([]);
    },
  );

  it("the gateway does not restore a lost submission whose key or insurer's identifier belongs to another submission", async () => {
    const holder = await keep(store, "succeeded");
    const sameKey = sampleSubmission({ keyDigest: holder.keyDigest });
    expect(await recorder.restore(sameKey, sampleSettlement(sameKey.id))).toBe(false);
    expect(await store.find(sameKey.id)).toBeNull();
    const before = legible(await store.find(holder.id));
    const owned = sampleSubmission();
    const settlement = sampleSettlement(owned.id, { insurerId: `D-${holder.id}` });
    expect(await recorder.restore(owned, settlement)).toBe(false);
    expect(await store.find(owned.id)).toMatchObject({ state: "in_flight" });
    expect(legible(await store.find(holder.id))).toEqual(before);
  });
});
