import { describe, expect, it } from "vitest";
import type { SubmissionState } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import {
  keep,
  LEASE_UNTIL,
  legible,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "./store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const NOW = RECEIVED_AT + 100_000;
const LATER = NOW + 300_000;

async function keepDue(store: SubmissionStore, nextQueryAt: number): Promise<string> {
  const { id } = await keep(store, "in_flight");
  await store.markUnknown(id, RECEIVED_AT, nextQueryAt);
  return id;
}

async function takenBy(store: SubmissionStore, at: number, limit: number): Promise<string[]> {
  const records = await store.takeDue("motor", at, LATER, limit);
  return records.map(({ id }) => id);
}

/** How submissions of unknown outcome are given out to be looked up. */
export function describeLookups(current: () => StoreUnderTest): void {
  describe("leases", () => {
    it("that are over make an outcome unknown and its lookup due; the others stay", async () => {
      const { store } = current();
      const over = await keep(store, "in_flight");
      const alsoOver = await keep(store, "in_flight");
      const holding = await keep(
        store,
        "in_flight",
        sampleSubmission({ leaseUntil: LEASE_UNTIL + 1 }),
      );
      expect(await store.expireLeases(LEASE_UNTIL, NOW)).toBe(0);
      expect(await store.expireLeases(LEASE_UNTIL + 1, NOW)).toBe(2);
      for (const { id } of [over, alsoOver])
        expect(await store.find(id)).toMatchObject({
          state: "outcome_unknown",
          fence: 2,
          updatedAt: NOW,
          unknownAt: NOW,
          nextQueryAt: NOW,
        });
      expect(await store.find(holding.id)).toMatchObject({ state: "in_flight", fence: 1 });
    });

    it.each<SubmissionState>(["outcome_unknown", "needs_review", "succeeded", "failed"])(
      "say nothing about what is %s",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        expect(await store.expireLeases(Number.MAX_SAFE_INTEGER, NOW)).toBe(0);
        expect(legible(await store.find(id))).toEqual(before);
      },
    );
  });

  describe("what is due", () => {
    it("is taken in the order in which it became due, so many at a time", async () => {
      const { store } = current();
      const ids: string[] = [];
      for (const wait of [30, 10, 50, 20, 40]) ids[wait / 10] = await keepDue(store, NOW + wait);
      const [, first, second, third, fourth] = ids;
      expect(new Set(await takenBy(store, NOW + 40, 2))).toEqual(new Set([first, second]));
      expect(new Set(await takenBy(store, NOW + 40, 2))).toEqual(new Set([third, fourth]));
      expect(await takenBy(store, NOW + 40, 2)).toEqual([]);
    });

    it("comes as it is kept, hidden from others until then", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW);
      const [taken] = await store.takeDue("motor", NOW, LATER, 8);
      expect(taken).toMatchObject({ id, fence: 3, nextQueryAt: LATER });
      expect(legible(taken ?? null)).toEqual(legible(await store.find(id)));
      expect(await takenBy(store, LATER - 1, 8)).toEqual([]);
      expect(await takenBy(store, LATER, 8)).toEqual([id]);
    });

    it("is given to one of two that take at the same time", async () => {
      const { other, store } = current();
      const ids = await Promise.all(Array.from({ length: 60 }, () => keepDue(store, NOW)));
      const takers = [store, other, store, other, store, other];
      const taken = (await Promise.all(takers.map((one) => takenBy(one, NOW, 20)))).flat();
      expect(taken).toHaveLength(new Set(taken).size);
      taken.push(...(await takenBy(store, NOW, 60)));
      expect(taken.toSorted()).toEqual(ids.toSorted());
    });

    it("is nothing that is in another state", async () => {
      const { store } = current();
      for (const state of ["in_flight", "needs_review", "succeeded", "failed"] as const)
        await keep(store, state);
      expect(await takenBy(store, LATER, 8)).toEqual([]);
    });

    it("is nothing of another segment", async () => {
      const { store } = current();
      const { id } = await keep(store, "outcome_unknown", sampleSubmission({ segment: "travel" }));
      expect(await takenBy(store, NOW, 8)).toEqual([]);
      const taken = await store.takeDue("travel", NOW, LATER, 8);
      expect(taken.map((record) => record.id)).toEqual([id]);
    });

    it("is nothing that came to its end since", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW);
      await store.settle(sampleSettlement(id));
      expect(await takenBy(store, LATER, 8)).toEqual([]);
    });
  });

  describe("a lookup that proved nothing", () => {
    it("is counted, and the next is planned", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW);
      const [taken] = await store.takeDue("motor", NOW, LATER, 1);
      await store.postpone(id, taken?.fence ?? 0, NOW + 5, NOW + 30_000);
      expect(await store.find(id)).toMatchObject({
        state: "outcome_unknown",
        fence: 4,
        queries: 1,
        updatedAt: NOW + 5,
        unknownAt: RECEIVED_AT,
        nextQueryAt: NOW + 30_000,
      });
      expect(await takenBy(store, NOW + 30_000, 8)).toEqual([id]);
    });

    it("leaves the submission for a person when it was the last", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW);
      const [taken] = await store.takeDue("motor", NOW, LATER, 1);
      await store.postpone(id, taken?.fence ?? 0, NOW + 5, null);
      expect(await store.find(id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
      expect(await takenBy(store, Number.MAX_SAFE_INTEGER, 8)).toEqual([]);
    });

    it("says nothing when the submission has changed hands, or came to its end", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW);
      const [early] = await store.takeDue("motor", NOW, NOW, 1);
      const [late] = await store.takeDue("motor", NOW, LATER, 1);
      await store.postpone(id, early?.fence ?? 0, NOW + 5, null);
      expect(legible(await store.find(id))).toEqual(legible(late ?? null));
      await store.settle(sampleSettlement(id));
      const settled = await store.find(id);
      await store.postpone(id, settled?.fence ?? 0, NOW + 6, NOW + 7);
      expect(legible(await store.find(id))).toEqual(legible(settled));
    });
  });

  describe("the references of a provider", () => {
    it("are known by whose they are, without one's own", async () => {
      const { store } = current();
      const known = await keep(store, "in_flight");
      const own = await keep(store, "in_flight");
      const elsewhere = await keep(store, "in_flight", sampleSubmission({ segment: "travel" }));
      await store.settle(sampleSettlement(known.id, { insurerId: "D-1" }));
      await store.settle(sampleSettlement(own.id, { insurerId: "D-2" }));
      await store.settle(sampleSettlement(elsewhere.id, { insurerId: "D-3" }));
      const asked = ["D-1", "D-2", "D-3", "D-4'; --"];
      const { known: belonging } = await store.competitors(own, asked);
      expect(
        belonging.toSorted((one, other) => one.insurerId.localeCompare(other.insurerId)),
      ).toEqual([
        { insurerId: "D-1", segment: "motor" },
        { insurerId: "D-3", segment: "travel" },
      ]);
      expect((await store.competitors(known, ["D-2"])).known).toEqual([
        { insurerId: "D-2", segment: "motor" },
      ]);
      expect((await store.competitors(own, [])).known).toEqual([]);
      expect((await store.competitors({ ...own, provider: "provider-x" }, asked)).known).toEqual(
        [],
      );
    });

    it("settle no second submission by a lookup", async () => {
      const { store } = current();
      const first = await keep(store, "outcome_unknown");
      const second = await keep(store, "outcome_unknown");
      const same = { insurerId: "D-9" };
      const settle = async (id: string): Promise<boolean> => {
        const fence = (await store.find(id))?.fence ?? 0;
        return store.settleByQuery(sampleSettlement(id, same), fence, "motor");
      };
      const settled = await Promise.all([settle(first.id), settle(second.id)]);
      expect(settled.filter(Boolean)).toHaveLength(1);
    });
  });

  describe("submissions that a lookup cannot tell apart", () => {
    it("are counted as long as they are open, whoever sent them, and itself is not", async () => {
      const { store } = current();
      const matchDigest = sampleSubmission().matchDigest;
      const own = await keep(store, "in_flight", sampleSubmission({ matchDigest }));
      expect((await store.competitors(own, [])).openAlike).toBe(0);
      for (const state of [
        "in_flight",
        "outcome_unknown",
        "needs_review",
        "succeeded",
        "failed",
      ] as const)
        await keep(store, state, sampleSubmission({ matchDigest }));
      await keep(store, "in_flight");
      expect((await store.competitors(own, [])).openAlike).toBe(3);
    });
  });
}
