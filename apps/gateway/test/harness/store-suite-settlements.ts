import { describe, expect, it } from "vitest";
import type { SubmissionState } from "../../src/store/record.ts";
import { keep, legible, momentAt, RECEIVED_AT, sampleSettlement } from "./store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const openStates: readonly SubmissionState[] = ["in_flight", "outcome_unknown", "needs_review"];
const resolution = { by: "Μαρία Ρόσση", reason: "seen in the insurer's portal, 'D-1'" };

/** How submissions end. */
export function describeSettlements(current: () => StoreUnderTest): void {
  describe("a settlement", () => {
    it.each(openStates)(
      "of what is %s is kept to the byte, and what was for looking it up is dropped",
      async (state) => {
        const { store } = current();
        const submission = await keep(store, state);
        const before = await store.find(submission.id);
        const settlement = sampleSettlement(submission.id, { keyId: "key-2" });
        expect(await store.settle(settlement)).toBe("settled");
        expect(legible(await store.find(submission.id))).toEqual(
          legible({
            ...before,
            state: "succeeded",
            fence: (before?.fence ?? 0) + 1,
            updatedAt: settlement.at,
            insurerId: settlement.insurerId,
            answer: settlement.answer,
            keyId: "key-2",
            matchFields: null,
            nextQueryAt: null,
          }),
        );
      },
    );

    it("is made once: the second is false and changes nothing", async () => {
      const { store } = current();
      const { id } = await keep(store, "succeeded");
      const before = legible(await store.find(id));
      expect(await store.settle(sampleSettlement(id, { state: "failed" }))).toBe("not_open");
      expect(legible(await store.find(id))).toEqual(before);
    });

    it("is made once also when many are made at the same time", async () => {
      const { other, store } = current();
      const { id } = await keep(store, "in_flight");
      const settled = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : other).settle(
            sampleSettlement(id, { insurerId: `D-${index}` }),
          ),
        ),
      );
      expect(settled.filter((one) => one === "settled")).toHaveLength(1);
      expect((await store.find(id))?.insurerId).toBe(`D-${settled.indexOf("settled")}`);
    });

    it("of what is not there is false", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await store.withdraw(id);
      expect(await store.settle(sampleSettlement(id))).toBe("not_open");
      expect(await store.find(id)).toBeNull();
    });
  });

  describe("a settlement by a query", () => {
    it("is made of the submission as it was queried", async () => {
      const { store } = current();
      const { id } = await keep(store, "outcome_unknown");
      expect(await store.settleByQuery(sampleSettlement(id), 1)).toBe("not_open");
      expect(await store.find(id)).toMatchObject({ state: "outcome_unknown", answer: null });
      expect(await store.settleByQuery(sampleSettlement(id), 2)).toBe("settled");
      expect(await store.find(id)).toMatchObject({ state: "succeeded", matchFields: null });
    });

    it.each<SubmissionState>(["in_flight", "needs_review", "failed"])(
      "is not made of what is %s",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const fence = (await store.find(id))?.fence ?? 0;
        expect(await store.settleByQuery(sampleSettlement(id), fence)).toBe("not_open");
        expect((await store.find(id))?.state).toBe(state);
      },
    );
  });

  describe("a correction of a failure", () => {
    it("is written with both states", async () => {
      const { store } = current();
      const { id } = await keep(store, "failed");
      const settlement = sampleSettlement(id);
      expect(await store.correctFailed(settlement, resolution)).toBe("settled");
      const { at, insurerId } = settlement;
      expect(await store.find(id)).toMatchObject({ state: "succeeded", insurerId, updatedAt: at });
      expect(await store.resolutions(id)).toEqual([
        { ...resolution, at, from: "failed", to: "succeeded" },
      ]);
    });

    it.each<SubmissionState>(["in_flight", "outcome_unknown", "needs_review", "succeeded"])(
      "is not made of what is %s, also with another identifier, and nothing is stored of it",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        const settlement = sampleSettlement(id, { insurerId: "D-other" });
        expect(await store.correctFailed(settlement, resolution)).toBe("not_open");
        expect(legible(await store.find(id))).toEqual(before);
        expect(await store.resolutions(id)).toEqual([]);
      },
    );

    it("is not made with the identifier of another submission", async () => {
      const { store } = current();
      const [{ id }, owner] = [await keep(store, "failed"), await keep(store, "succeeded")];
      const settlement = sampleSettlement(id, { insurerId: `D-${owner.id}` });
      expect(await store.correctFailed(settlement, resolution)).toMatchObject({
        owner: { id: owner.id },
      });
      expect(await store.resolutions(id)).toEqual([]);
    });
  });

  describe("a manual resolution", () => {
    it.each<SubmissionState>(["outcome_unknown", "needs_review", "succeeded"])(
      "of what is %s stores who said so and why",
      async (from) => {
        const { store } = current();
        const { id } = await keep(store, from);
        const settlement = sampleSettlement(id, { state: "failed", insurerId: null });
        expect(await store.settleManually(settlement, resolution)).toBe("settled");
        expect(await store.find(id)).toMatchObject({ state: "failed", insurerId: null });
        expect(await store.resolutions(id)).toEqual([
          { ...resolution, at: settlement.at, from, to: "failed" },
        ]);
      },
    );

    it("corrects a wrong failure", async () => {
      const { store } = current();
      const { id } = await keep(store, "failed");
      expect(await store.settleManually(sampleSettlement(id), resolution)).toBe("settled");
      expect(await store.find(id)).toMatchObject({ state: "succeeded" });
      expect(await store.resolutions(id)).toMatchObject([{ from: "failed", to: "succeeded" }]);
    });

    it.each<SubmissionState>(["in_flight", "succeeded"])(
      "of what is %s is not made, and nothing is stored of it",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        expect(await store.settleManually(sampleSettlement(id), resolution)).toBe("not_open");
        expect(legible(await store.find(id))).toEqual(before);
        expect(await store.resolutions(id)).toEqual([]);
      },
    );

    it("stores also who only looked", async () => {
      const { store } = current();
      const { id } = await keep(store, "needs_review");
      const before = legible(await store.find(id));
      await store.recordLook(id, RECEIVED_AT + 3, resolution);
      expect(await store.resolutions(id)).toEqual([
        { ...resolution, at: RECEIVED_AT + 3, from: "needs_review", to: "needs_review" },
      ]);
      expect(legible(await store.find(id))).toEqual(before);
    });
  });

  describe("an outcome that is unknown", () => {
    it("is said of what is in flight", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await store.markUnknown(id, momentAt(RECEIVED_AT + 501), RECEIVED_AT + 2_502);
      expect(await store.find(id)).toMatchObject({
        state: "outcome_unknown",
        fence: 2,
        updatedAt: RECEIVED_AT + 501,
        unknownAt: RECEIVED_AT + 501,
        nextQueryAt: RECEIVED_AT + 2_502,
      });
    });

    it.each<SubmissionState>(["outcome_unknown", "needs_review", "succeeded", "failed"])(
      "is not said of what is %s",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        await store.markUnknown(id, momentAt(RECEIVED_AT + 7_000), RECEIVED_AT + 8_000);
        expect(legible(await store.find(id))).toEqual(before);
      },
    );
  });
}
