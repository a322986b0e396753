import { describe, expect, it } from "vitest";
import {
  keep,
  legible,
  momentAt,
  ONCE,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../../harness/store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const ANSWER_UNTIL = RECEIVED_AT + 10_000;
const FORGET_AT = RECEIVED_AT + 20_000;

/** Tests of reading stored data, and of deleting expired data. */
export function describeKeeping(current: () => StoreUnderTest): void {
  describe("stored submissions", () => {
    it("the store finds a submission only by its id", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await keep(store, "in_flight");
      expect((await store.find(id))?.id).toBe(id);
      expect(await store.find(sampleSubmission().id)).toBeNull();
    });

    it("the store lists submissions by state, newest first, up to a limit", async () => {
      const { store } = current();
      const ids: string[] = [];
      // The list's elements have the type `string`, so each needs the cast to a state.
      for (const state of ["in_flight", "needs_review", "failed", "in_flight", "needs_review"])
        ids.push((await keep(store, state as "in_flight" | "needs_review" | "failed")).id);
      const listed = async (...parameters: Parameters<typeof store.list>): Promise<string[]> =>
        (await store.list(...parameters)).map(({ id }) => id);
      const [first, second, third, fourth, fifth] = ids;
      expect(await listed(["in_flight"], 10)).toEqual([fourth, first]);
      expect(await listed(["failed", "needs_review"], 10)).toEqual([fifth, third, second]);
      expect(await listed(["failed", "needs_review"], 2)).toEqual([fifth, third]);
      expect(await listed(["succeeded"], 10)).toEqual([]);
      expect(await listed([], 10)).toEqual([]);
    });

    it("the store counts submissions of unknown outcome by segment", async () => {
      const { store } = current();
      expect(await store.countUnknown()).toEqual([]);
      const sample = (segment: string): ReturnType<typeof sampleSubmission> =>
        sampleSubmission({ segment });
      for (const state of ["in_flight", "succeeded", "failed", "outcome_unknown"] as const)
        await keep(store, state, sample("motor"));
      await keep(store, "needs_review", sample("motor"));
      await keep(store, "outcome_unknown", sample("boat"));
      expect(await store.countUnknown()).toEqual([
        { segment: "boat", count: 1 },
        { segment: "motor", count: 2 },
      ]);
    });

    it("the usage of an account includes deleted submissions", async () => {
      const { store } = current();
      const day = "2031-05-05";
      for (const account of ["one", "two", "two"])
        await keep(store, "succeeded", sampleSubmission({ account, day }));
      await store.forget(momentAt(FORGET_AT + 1), 500);
      expect(await store.list(["succeeded"], 1)).toEqual([]);
      expect(await store.usageOn(day, null)).toMatchObject([
        { account: "one", succeeded: 1 },
        { account: "two", succeeded: 2 },
      ]);
    });

    it("a list of submissions has the same records as a search by id, but without encrypted data", async () => {
      const { store } = current();
      for (const state of ["succeeded", "needs_review"] as const) {
        const { id } = await keep(store, state);
        const [listed] = await store.list([state], 1);
        const found = await store.find(id);
        expect(legible(listed ?? null)).toEqual(
          legible({ ...found, answer: null, matchFields: null }),
        );
      }
    });

    it("a command can read and change a submission while a gateway has the store open", async () => {
      const { other, store } = current();
      const { id } = await keep(store, "outcome_unknown");
      expect((await other.find(id))?.id).toBe(id);
      const resolution = { by: "operator", reason: "asked the insurer" };
      expect(await other.resolveManually(sampleSettlement(id), resolution)).toBe("settled");
      expect((await store.find(id))?.state).toBe("succeeded");
    });
  });

  describe("expired data", () => {
    it("the store deletes an expired answer and the id of the answer's encryption key, and keeps the idempotency key", async () => {
      const { store } = current();
      const { keyDigest, id } = await keep(store, "succeeded");
      await store.forget(momentAt(ANSWER_UNTIL), 500);
      expect((await store.find(id))?.answer).not.toBeNull();
      expect(await store.encryptedWith()).toEqual(["key-1"]);
      await store.forget(momentAt(ANSWER_UNTIL + 1), 500);
      const insurerId = `D-${id}`;
      expect(await store.find(id)).toMatchObject({ answer: null, keyId: null, insurerId });
      expect(await store.encryptedWith()).toEqual([]);
      expect((await store.claim(sampleSubmission({ keyDigest }), ONCE)).claimed).toBe(false);
    });

    it("the store deletes an expired submission and the submission's resolutions, so that the idempotency key is free again", async () => {
      const { store } = current();
      const { keyDigest, id } = await keep(store, "needs_review");
      await store.resolveManually(sampleSettlement(id), { by: "operator", reason: "asked" });
      await store.forget(momentAt(FORGET_AT), 500);
      expect(await store.find(id)).not.toBeNull();
      expect(await store.resolutions(id)).toHaveLength(1);
      await store.forget(momentAt(FORGET_AT + 1), 500);
      expect(await store.find(id)).toBeNull();
      expect(await store.resolutions(id)).toEqual([]);
      expect(await store.claim(sampleSubmission({ keyDigest }), ONCE)).toEqual({ claimed: true });
    });

    it("the store deletes at most the requested number of submissions at a time, and returns the number", async () => {
      const { store } = current();
      for (let count = 0; count < 5; count++) await keep(store, "succeeded");
      const answers = async (): Promise<number> => (await store.encryptedWith()).length;
      expect(await store.forget(momentAt(ANSWER_UNTIL + 1), 3)).toBe(3);
      expect(await answers()).toBe(1);
      expect(await store.forget(momentAt(ANSWER_UNTIL + 1), 3)).toBe(2);
      expect(await answers()).toBe(0);
      expect(await store.forget(momentAt(FORGET_AT + 1), 3)).toBe(3);
      expect(await store.list(["succeeded"], 10)).toHaveLength(2);
      expect(await store.forget(momentAt(FORGET_AT + 1), 3)).toBe(2);
      expect(await store.forget(momentAt(FORGET_AT + 1), 3)).toBe(0);
    });

    it("the store does not delete open submissions or submissions that have not expired", async () => {
      const { store } = current();
      const later = { answerUntil: FORGET_AT + 5_000, forgetAt: FORGET_AT + 9_000 };
      for (const state of ["in_flight", "outcome_unknown", "needs_review"] as const)
        await keep(store, state);
      const { id } = await keep(store, "in_flight");
      await store.settle(sampleSettlement(id, later));
      await store.resolveManually(
        sampleSettlement((await keep(store, "outcome_unknown")).id, later),
        { by: "operator", reason: "asked" },
      );
      await store.forget(momentAt(FORGET_AT + 1), 500);
      const states = ["in_flight", "outcome_unknown", "needs_review", "succeeded"] as const;
      const listed = await store.list(states, 10);
      expect(listed.map(({ state }) => state).toSorted()).toEqual(
        [...states, "succeeded"].toSorted(),
      );
      const found = await Promise.all(listed.map(({ id: each }) => store.find(each)));
      const kept = found.filter((record) => record !== null);
      expect(kept).toHaveLength(listed.length);
      expect(kept.every(({ answer, matchFields: evidence }) => (answer ?? evidence) !== null)).toBe(
        true,
      );
      const [person] = kept;
      expect(await store.resolutions(person?.id ?? "")).toHaveLength(1);
    });
  });

  describe("encryption keys of stored data", () => {
    it("the store returns the id of each encryption key that stored data needs, without repetitions", async () => {
      const { store } = current();
      expect(await store.encryptedWith()).toEqual([]);
      for (const keyId of ["key-1", "key-2", "key-2"])
        await keep(store, "in_flight", sampleSubmission({ keyId }));
      expect((await store.encryptedWith()).toSorted()).toEqual(["key-1", "key-2"]);
    });
  });

  describe("a secret of the store", () => {
    const first = { keyId: "key-1", encrypted: Uint8Array.of(0, 1, 254, 255) };
    const second = { keyId: "key-2", encrypted: Uint8Array.of(9) };

    it("a secret of the store is null until a process writes a value, and later writes do not change the value", async () => {
      const { store } = current();
      expect(await store.secret("digests")).toBeNull();
      await store.putSecret("digests", first, null);
      await store.putSecret("digests", second, null);
      const kept = await store.secret("digests");
      expect(kept?.keyId).toBe("key-1");
      expect([...(kept?.encrypted ?? [])]).toEqual([0, 1, 254, 255]);
      expect(await store.secret("other")).toBeNull();
    });

    it("several simultaneous writers leave one secret in the store", async () => {
      const { other, store } = current();
      const seen = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const own = index % 2 === 0 ? store : other;
          await own.putSecret("digests", { keyId: "key-1", encrypted: Uint8Array.of(index) }, null);
          return (await own.secret("digests"))?.encrypted[0];
        }),
      );
      expect(new Set(seen).size).toBe(1);
    });

    it("the store replaces a secret only if the writer names the encryption key of the stored secret", async () => {
      const { store } = current();
      await store.putSecret("digests", first, null);
      await store.putSecret("digests", second, "key-0");
      expect((await store.secret("digests"))?.keyId).toBe("key-1");
      await store.putSecret("digests", second, "key-1");
      const kept = await store.secret("digests");
      expect(kept?.keyId).toBe("key-2");
      expect([...(kept?.encrypted ?? [])]).toEqual([9]);
    });
  });
}
