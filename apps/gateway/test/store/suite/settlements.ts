import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { keep, legible, sampleSettlement } from "../../harness/store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const resolution = { by: "Μαρία Ρόσση", reason: "seen in the insurer's portal, 'D-1'" };

/** Tests of the settlement of submissions. */
export function describeSettlements(current: () => StoreUnderTest): void {
  it("the store keeps only one of several results that are written simultaneously for a submission", async () => {
    const { other, store } = current();
    const { id } = await keep(store, "in_flight");
    const settled = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : other).settle(sampleSettlement(id, { insurerId: `D-${index}` })),
      ),
    );
    expect(settled.filter((one) => one === "settled")).toHaveLength(1);
    expect((await store.find(id))?.insurerId).toBe(`D-${settled.indexOf("settled")}`);
  });

  it("a query concludes a submission only if the submission has not changed since the query began", async () => {
    const { store } = current();
    const { id } = await keep(store, "outcome_unknown");
    expect(await store.settleByQuery(sampleSettlement(id), 1)).toBe("not_open");
    expect(await store.find(id)).toMatchObject({ state: "outcome_unknown", answer: null });
    expect(await store.settleByQuery(sampleSettlement(id), 2)).toBe("settled");
    expect(await store.find(id)).toMatchObject({ state: "succeeded", matchFields: null });
  });

  describe("a correction of a failure", () => {
    it("the store records a correction of a failure with the earlier and the new state", async () => {
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
      "the store refuses the correction of a submission that is not stored as failed, and changes nothing: %s",
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

    it("the store refuses a correction with an insurer's identifier that belongs to another submission", async () => {
      const { store } = current();
      const [{ id }, owner] = [await keep(store, "failed"), await keep(store, "succeeded")];
      const settlement = sampleSettlement(id, { insurerId: `D-${owner.id}` });
      expect(await store.correctFailed(settlement, resolution)).toMatchObject({
        owner: { id: owner.id },
      });
      expect(await store.resolutions(id)).toEqual([]);
    });
  });
}
