import { describe, expect, it } from "vitest";
import type { SubmissionState } from "../../src/store/record.ts";
import { keep, legible, RECEIVED_AT, sampleSettlement } from "./store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const openStates: readonly SubmissionState[] = ["in_flight", "outcome_unknown", "needs_review"];
const resolution = { by: "Μαρία Ρόσση", reason: "seen in the insurer's portal, 'D-1'" };

/** How submissions come to their end. */
export function describeSettlements(current: () => StoreUnderTest): void {
  describe("a settlement", () => {
    it.each(openStates)(
      "of what is %s is kept to the byte, and what was for looking it up is dropped",
      async (state) => {
        const { store } = current();
        const submission = await keep(store, state);
        const before = await store.find(submission.id);
        const settlement = sampleSettlement(submission.id, { keyId: "key-2" });
        expect(await store.settle(settlement)).toBe(true);
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
      expect(await store.settle(sampleSettlement(id, { state: "failed" }))).toBe(false);
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
      expect(settled.filter(Boolean)).toHaveLength(1);
      expect((await store.find(id))?.insurerId).toBe(`D-${settled.indexOf(true)}`);
    });

    it("of what is not there is false", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await store.withdraw(id);
      expect(await store.settle(sampleSettlement(id))).toBe(false);
      expect(await store.find(id)).toBeNull();
    });
  });

  describe("a settlement by a lookup", () => {
    it("is made by who holds the submission", async () => {
      const { store } = current();
      const { id } = await keep(store, "outcome_unknown");
      const [taken] = await store.takeDue("motor", RECEIVED_AT + 9_000, RECEIVED_AT + 99_000, 1);
      expect(taken?.id).toBe(id);
      expect(await store.settleByQuery(sampleSettlement(id), taken?.fence ?? 0, "motor")).toBe(
        true,
      );
      expect(await store.find(id)).toMatchObject({ state: "succeeded", matchFields: null });
    });

    it("is not made by who held it before", async () => {
      const { store } = current();
      const { id } = await keep(store, "outcome_unknown");
      const [early] = await store.takeDue("motor", RECEIVED_AT + 9_000, RECEIVED_AT + 10_000, 1);
      await store.takeDue("motor", RECEIVED_AT + 10_000, RECEIVED_AT + 99_000, 1);
      expect(await store.settleByQuery(sampleSettlement(id), early?.fence ?? 0, "motor")).toBe(
        false,
      );
      expect(await store.find(id)).toMatchObject({ state: "outcome_unknown", answer: null });
    });

    it.each<SubmissionState>(["in_flight", "needs_review", "failed"])(
      "is not made of what is %s",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const fence = (await store.find(id))?.fence ?? 0;
        expect(await store.settleByQuery(sampleSettlement(id), fence, "motor")).toBe(false);
        expect((await store.find(id))?.state).toBe(state);
      },
    );
  });

  describe("a settlement by a person", () => {
    it.each<SubmissionState>(["outcome_unknown", "needs_review"])(
      "of what is %s keeps who said so and why",
      async (from) => {
        const { store } = current();
        const { id } = await keep(store, from);
        const settlement = sampleSettlement(id, { state: "failed", insurerId: null });
        expect(await store.settleManually(settlement, resolution)).toBe(true);
        expect(await store.find(id)).toMatchObject({ state: "failed", insurerId: null });
        expect(await store.resolutions(id)).toEqual([
          { ...resolution, at: settlement.at, from, to: "failed" },
        ]);
      },
    );

    it.each<SubmissionState>(["in_flight", "succeeded", "failed"])(
      "of what is %s is not made, and nothing is kept of it",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        expect(await store.settleManually(sampleSettlement(id), resolution)).toBe(false);
        expect(legible(await store.find(id))).toEqual(before);
        expect(await store.resolutions(id)).toEqual([]);
      },
    );
  });

  describe("an outcome that is unknown", () => {
    it("is said of what is in flight", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await store.markUnknown(id, RECEIVED_AT + 501, RECEIVED_AT + 2_502);
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
        await store.markUnknown(id, RECEIVED_AT + 7_000, RECEIVED_AT + 8_000);
        expect(legible(await store.find(id))).toEqual(before);
      },
    );
  });
}
