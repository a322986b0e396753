import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { NewSubmission, Settlement, SettleResult } from "../../../src/store/record.ts";
import type { SubmissionStore } from "../../../src/store/store.ts";
import {
  keep,
  legible,
  momentAt,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../../harness/store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const NOW = RECEIVED_AT + 100_000;

/** Settlement at an insurer that numbers the applications of each account separately. */
const ACCOUNT: Partial<Settlement> = { unique: "account" };

async function keepDue(store: SubmissionStore, nextQueryAt: number): Promise<string> {
  const { id } = await keep(store, "in_flight");
  await store.markUnknown(id, momentAt(RECEIVED_AT), nextQueryAt);
  return id;
}

async function dueIn(store: SubmissionStore, at: number, segment = "motor"): Promise<string[]> {
  const records = await store.due(segment, at, 8, []);
  return records.map(({ id }) => id);
}

/** Tests of the reconciliation of unknown outcomes. */
export function describeReconciliation(current: () => StoreUnderTest): void {
  describe("due queries", () => {
    it("the store returns due submissions up to a limit: normally the oldest first, for a probe the earliest due time first", async () => {
      const { store } = current();
      const ids: string[] = [];
      for (const wait of [30, 10, 20, 10]) ids.push(await keepDue(store, NOW + wait));
      const [first, second, third, fourth] = ids;
      expect(await dueIn(store, NOW + 9)).toEqual([]);
      expect(await dueIn(store, NOW + 20)).toEqual([second, third, fourth]);
      expect(await dueIn(store, NOW + 30)).toEqual(ids);
      const some = await store.due("motor", NOW + 30, 2, []);
      expect(some.map(({ id }) => id)).toEqual([first, second]);
      expect(legible(some[0] ?? null)).toEqual(legible(await store.find(first ?? "")));
      const probes = await store.due("motor", "probe", 8, []);
      expect(probes.map(({ id }) => id)).toEqual([second, fourth, third, first]);
    });

    it("the store returns a submission as due only at the submission's segment, and only while the submission's state allows queries", async () => {
      const { store } = current();
      for (const state of ["in_flight", "needs_review", "succeeded", "failed"] as const)
        await keep(store, state);
      await store.settle(sampleSettlement(await keepDue(store, NOW)));
      const { id } = await keep(store, "outcome_unknown", sampleSubmission({ segment: "travel" }));
      expect(await dueIn(store, Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(await dueIn(store, NOW, "travel")).toEqual([id]);
    });

    it("the store makes all planned queries of a segment due", async () => {
      const { store } = current();
      const due = await keepDue(store, NOW - 1);
      const planned = await keepDue(store, NOW + 90_000);
      const queriedNow = await keepDue(store, NOW + 1);
      await store.delay({ id: queriedNow, fence: 2 }, NOW - 1_000, NOW + 9_000);
      await keep(store, "needs_review");
      expect(await store.bringForward("travel", NOW, null)).toBe(0);
      expect(await store.bringForward("motor", NOW, null)).toBe(1);
      expect(await dueIn(store, NOW)).toEqual([due, planned]);
    });

    it("the store makes the query of one submission due, unless a query was sent just now", async () => {
      const { store } = current();
      const id = await keepDue(store, NOW + 90_000);
      const { fence = 0 } = (await store.find(id)) ?? {};
      await store.planNextQuery({ id, fence }, momentAt(NOW), NOW + 95_000);
      expect(await store.bringForwardOne(id, NOW + 5_000, NOW - 1)).toBe(false);
      expect(await dueIn(store, NOW + 5_000)).toEqual([]);
      expect(await store.bringForwardOne(id, NOW + 5_000, NOW)).toBe(true);
      expect(await dueIn(store, NOW + 5_000)).toEqual([id]);
      expect(await store.bringForwardOne(id, NOW + 5_000, NOW)).toBe(false);
    });

    it("the store can make a query due again for a submission that needs review", async () => {
      const { store } = current();
      const { id } = await keep(store, "needs_review");
      expect(await store.bringForwardOne(id, NOW, NOW)).toBe(false);
      const before = await store.find(id);
      expect(await store.reopen(id, momentAt(NOW))).toBe(true);
      expect(legible(await store.find(id))).toEqual(
        legible({
          ...before,
          state: "outcome_unknown",
          fence: (before?.fence ?? 0) + 1,
          updatedAt: NOW,
          nextQueryAt: NOW,
        }),
      );
      expect(await dueIn(store, NOW)).toEqual([id]);
      expect(await store.reopen(id, momentAt(NOW))).toBe(false);
    });

    it("the store cannot make a query due for a submission whose outcome no query can find", async () => {
      const { store } = current();
      const { id } = await keep(store, "needs_review", sampleSubmission({ searchDigest: null }));
      expect(await store.reopen(id, momentAt(NOW))).toBe(false);
    });

    it("the store allows only one process at a time to reconcile a segment", async () => {
      const { other, store } = current();
      const [one, another] = [randomBytes(16), randomBytes(16)];
      const leads = await Promise.all([store.lead("motor", one), other.lead("motor", another)]);
      expect(leads.filter(Boolean)).toHaveLength(1);
      const [winner, loser] = leads[0] ? [one, another] : [another, one];
      expect(await store.lead("motor", winner)).toBe(true);
      expect(await store.lead("motor", loser)).toBe(false);
      expect(await store.lead("travel", loser)).toBe(true);
    });

    it("a second process can reconcile a segment five seconds after the first process last asked the store for the segment", async () => {
      const { execute, store } = current();
      const [first, next] = [randomBytes(16), randomBytes(16)];
      expect(await store.lead("boat", first)).toBe(true);
      expect(await store.isLed("boat")).toBe(true);
      const pass = (milliseconds: number): Promise<void> =>
        execute(
          `UPDATE gateway_reconcilers SET until = until - ${milliseconds} WHERE segment = 'boat'`,
        );
      await pass(2_000);
      expect(await store.lead("boat", next)).toBe(false);
      await pass(3_001);
      expect(await store.isLed("boat")).toBe(false);
      expect(await store.lead("boat", next)).toBe(true);
      expect(await store.lead("boat", first)).toBe(false);
    });
  });

  it("a query that proved nothing does not change a submission that has changed since the query began", async () => {
    const { store } = current();
    const id = await keepDue(store, NOW);
    const before = legible(await store.find(id));
    await store.planNextQuery({ id, fence: 1 }, momentAt(NOW + 5), null);
    expect(legible(await store.find(id))).toEqual(before);
    await store.settle(sampleSettlement(id));
    const settled = await store.find(id);
    await store.planNextQuery({ id, fence: settled?.fence ?? 0 }, momentAt(NOW + 6), NOW + 7);
    expect(legible(await store.find(id))).toEqual(legible(settled));
  });

  describe("a provider's identifiers", () => {
    it("the store finds the other submissions of the same provider that have the given identifiers", async () => {
      const { store } = current();
      const known = await keep(store, "in_flight");
      const own = await keep(store, "in_flight");
      const elsewhere = await keep(store, "in_flight", sampleSubmission({ segment: "travel" }));
      await store.settle(sampleSettlement(known.id, { insurerId: "D-1" }));
      await store.settle(sampleSettlement(own.id, { insurerId: "D-2" }));
      await store.settle(sampleSettlement(elsewhere.id, { insurerId: "D-3" }));
      const asked = ["D-1", "D-2", "D-3", "D-4'; --"];
      const { known: belonging } = await store.similarSubmissions(own, asked);
      expect(
        belonging.toSorted((one, other) => one.insurerId.localeCompare(other.insurerId)),
      ).toMatchObject([
        { insurerId: "D-1", segment: "motor", hasSameMatchFields: false },
        { insurerId: "D-3", segment: "travel", hasSameMatchFields: false },
      ]);
      expect((await store.similarSubmissions(known, ["D-2"])).known).toMatchObject([
        { insurerId: "D-2", segment: "motor", hasSameMatchFields: false },
      ]);
      expect((await store.similarSubmissions(own, [])).known).toEqual([]);
      expect(
        (await store.similarSubmissions({ ...own, provider: "provider-x" }, asked)).known,
      ).toEqual([]);
    });

    it.each(["settle", "settleByQuery", "resolveManually"] as const)(
      "the store's method `%s` stores only one of two results of a segment with the same insurer's identifier",
      async (method) => {
        const { other, store } = current();
        const first = await keep(store, "outcome_unknown");
        const second = await keep(store, "outcome_unknown");
        const settle = (from: SubmissionStore, id: string): Promise<SettleResult> => {
          const settlement = sampleSettlement(id, { insurerId: "D-9" });
          if (method === "settle") return from.settle(settlement);
          return method === "settleByQuery"
            ? from.settleByQuery(settlement, 2)
            : from.resolveManually(settlement, { by: "M", reason: "seen" });
        };
        const settled = await Promise.all([settle(store, first.id), settle(other, second.id)]);
        const winner = settled.indexOf("settled");
        const { caller, account, contentDigest, id, segment } = winner === 0 ? first : second;
        expect(legible(Object(settled[1 - winner]).owner)).toEqual(
          legible({ id, caller, contentDigest, segment, account }),
        );
      },
    );

    it.each<[string, Partial<NewSubmission>, Partial<Settlement>, boolean]>([
      ["another account", { account: "north" }, {}, false],
      ["another account with separate numbers", { account: "north" }, ACCOUNT, true],
      ["another segment", { segment: "travel" }, {}, false],
      ["another segment with separate numbers", { segment: "travel" }, ACCOUNT, true],
      ["another series of numbers", { series: "claims" }, {}, true],
      ["another provider", { provider: "provider-e" }, {}, true],
      ["a submission that creates nothing", { creates: false }, {}, true],
      ["the same account with separate numbers", {}, ACCOUNT, false],
    ])(
      "two submissions can have the same identifier only if the insurer numbers these submissions separately: %s",
      async (_, other, settlement, may) => {
        const { store } = current();
        await store.settle(
          sampleSettlement((await keep(store, "in_flight")).id, { insurerId: "D-9" }),
        );
        const { id } = await keep(store, "in_flight", sampleSubmission(other));
        const settled = await store.settle(
          sampleSettlement(id, { insurerId: "D-9", ...settlement }),
        );
        expect(settled === "settled").toBe(may);
      },
    );
  });

  describe("answers while an equal submission is open", () => {
    it.each<[string, Partial<NewSubmission>, SettleResult]>([
      ["of another account", { account: "north" }, "contested"],
      ["of another segment", { segment: "travel" }, "contested"],
      ["of another account, received later", { account: "north", receivedAt: NOW + 1 }, "settled"],
      ["of the same account", {}, "settled"],
      [
        "of another account, with other match fields",
        { account: "north", matchDigest: null },
        "settled",
      ],
    ])(
      "the store reports an answer as contested only if an earlier, equal submission of another account or segment is open: %s",
      async (_, more, result) => {
        const { store } = current();
        const own = await keep(store, "in_flight");
        await keep(store, "in_flight", sampleSubmission({ matchDigest: own.matchDigest, ...more }));
        const rivals = { receivedUntil: NOW, unknownSince: NOW };
        expect(await store.settle(sampleSettlement(own.id, { rivals }))).toBe(result);
      },
    );

    it("the store does not report an answer as contested if the equal submission's outcome became unknown long before", async () => {
      const { store } = current();
      const own = await keep(store, "in_flight");
      const { matchDigest } = own;
      const other = sampleSubmission({ matchDigest, account: "north" });
      await keep(store, "outcome_unknown", other);
      const since = (unknownSince: number): Promise<SettleResult> =>
        store.settle(sampleSettlement(own.id, { rivals: { receivedUntil: NOW, unknownSince } }));
      expect(await since(RECEIVED_AT + 500)).toBe("contested");
      expect(await since(RECEIVED_AT + 501)).toBe("settled");
    });
  });

  describe("submissions that a query cannot distinguish", () => {
    it("the store counts the other open submissions that have the same match fields as a submission", async () => {
      const { store } = current();
      const matchDigest = sampleSubmission().matchDigest;
      const own = await keep(store, "in_flight", sampleSubmission({ matchDigest }));
      expect((await store.similarSubmissions(own, [])).similarOpen).toBe(0);
      for (const state of [
        "in_flight",
        "outcome_unknown",
        "needs_review",
        "succeeded",
        "failed",
      ] as const)
        await keep(store, state, sampleSubmission({ matchDigest }));
      await keep(store, "in_flight");
      const last = await keep(store, "outcome_unknown", sampleSubmission({ matchDigest }));
      expect(await store.similarSubmissions(own, [])).toMatchObject({
        similarOpen: 4,
        similarOlder: 0,
      });
      expect(await store.similarSubmissions(last, [])).toMatchObject({
        similarOpen: 4,
        similarOlder: 4,
      });
    });

    it("the store counts the successes that have the same match fields as a submission and no insurer's identifier", async () => {
      const { store } = current();
      const matchDigest = sampleSubmission().matchDigest;
      const own = await keep(store, "outcome_unknown", sampleSubmission({ matchDigest }));
      const end = async (more: Partial<NewSubmission>, settlement: Partial<Settlement>) => {
        const { id } = await keep(store, "in_flight", sampleSubmission({ matchDigest, ...more }));
        await store.settle(sampleSettlement(id, settlement));
      };
      await end({}, { insurerId: null });
      await end({}, {});
      await end({}, { insurerId: null, state: "failed" });
      await end({ creates: false }, { insurerId: null });
      await end({ account: "other" }, { insurerId: null });
      await end({ matchDigest: sampleSubmission().matchDigest }, { insurerId: null });
      expect(await store.similarSubmissions(own, [])).toMatchObject({
        similarOpen: 0,
        similarUnnamed: 1,
      });
    });
  });
}
