import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import { item, otherVehicle, PROVEN_AT, SECOND, UNKNOWN_AT, useQueryWorld } from "./query-world.ts";

const world = useQueryWorld();
const { found, missed, reconcile, unknown } = world;

describe("queries by reference", () => {
  it("the gateway sends no further query if the query by reference finds the submission, even if an equal submission is open", async () => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    const one = item();
    world.referred = [one];
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({
      state: "succeeded",
      insurerId: one.applicationId,
    });
    expect(world.calls.map(({ submissionId }) => submissionId)).toEqual([record.id]);
    expect(world.turns).toBe(1);
  });

  it.each<[string, readonly object[] | Error, SubmissionState, number]>([
    ["gets no answer", new Refusal("PROVIDER_TIMEOUT", { detail: "x" }), "outcome_unknown", 1],
    ["is refused", new Refusal("PROVIDER_AUTH_FAILED", { detail: "x" }), "outcome_unknown", 1],
    [
      "gets an unusable answer",
      new Refusal("PROVIDER_BAD_RESPONSE", { detail: "x", attempt: "unusable" }),
      "failed",
      2,
    ],
    ["finds nothing", [], "failed", 2],
    ["finds two items", [item(), item()], "failed", 2],
    ["finds another application", [item(otherVehicle)], "failed", 2],
  ])(
    "a query by reference alone proves nothing if the query %s",
    async (_, answer, state, queries) => {
      const record = await missed(await unknown());
      world.referred = answer;
      world.now = PROVEN_AT;
      expect(await reconcile(record)).toBe(queries === 2);
      expect(await found(record.id)).toMatchObject({ state, queries: 1 });
      expect(world.calls).toHaveLength(queries);
    },
  );
});

describe("list items and other submissions", () => {
  /** Stores another submission to which an insurer's identifier belongs. */
  async function own(insurerId: string, more: Parameters<typeof unknown>[0] = {}): Promise<void> {
    const { id } = await unknown(more);
    await world.store.settle(sampleSettlement(id, { insurerId }));
  }

  const at = UNKNOWN_AT + 3 * SECOND;
  it.each<[string, object, boolean, number, SubmissionState]>([
    ["with the same match fields does not prove a success", {}, true, at, "outcome_unknown"],
    [
      "with the same match fields does not prevent a proof of absence",
      {},
      true,
      PROVEN_AT,
      "failed",
    ],
    ["with other match fields does not prove a success", {}, false, at, "outcome_unknown"],
    [
      "with other match fields prevents a proof of absence",
      {},
      false,
      PROVEN_AT,
      "outcome_unknown",
    ],
    [
      "at another segment does not prove a success",
      { segment: "travel" },
      true,
      at,
      "outcome_unknown",
    ],
    [
      "at another segment prevents a proof of absence",
      { segment: "travel" },
      true,
      PROVEN_AT,
      "outcome_unknown",
    ],
    [
      "that is a change does not prevent a proof of success",
      { creates: false },
      true,
      at,
      "succeeded",
    ],
    [
      "of another provider does not prevent a proof of success",
      { provider: "provider-e", segment: "travel" },
      true,
      at,
      "succeeded",
    ],
  ])(
    "a list item whose identifier belongs to another submission %s",
    async (_, more, hasSameMatchFields, when, state) => {
      const record = await missed(await unknown());
      const one = item();
      const matchFields = hasSameMatchFields ? { matchDigest: record.matchDigest } : {};
      await own(one.applicationId, { ...more, ...matchFields });
      world.listed = [one];
      world.now = when;
      await reconcile(record);
      expect((await found(record.id)).state).toBe(state);
    },
  );

  it.each<[string, boolean, number]>([
    ["the list has an equal item", true, at],
    ["the list is empty", false, PROVEN_AT],
  ])(
    "a change of unknown outcome needs review at once, without a query: %s",
    async (_, isListed, when) => {
      const record = await unknown({ creates: false });
      world.listed = isListed ? [item()] : [];
      world.now = when;
      await reconcile(record);
      expect(await found(record.id)).toMatchObject({ state: "needs_review", insurerId: null });
      expect(world.calls).toEqual([]);
    },
  );

  it.each([
    ["one item", 1, "outcome_unknown"],
    ["two items", 2, "succeeded"],
  ])(
    "a query for one of two equal submissions proves a success only if the list has two items: %s",
    async (_, items, state) => {
      const record = await unknown();
      await unknown({ matchDigest: record.matchDigest });
      world.listed = Array.from({ length: items }, (_item, index) =>
        item({ createdAt: new Date(UNKNOWN_AT - index * SECOND).toISOString() }),
      );
      await reconcile(record);
      expect((await found(record.id)).state).toBe(state);
    },
  );

  it("two items with the same creation time prove nothing while an equal submission has an unknown outcome", async () => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    world.listed = [item(), item()];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("outcome_unknown");
  });

  it("a query for a submission proves nothing while an equal submission is in flight", async () => {
    const record = await unknown();
    const { matchDigest } = record;
    await world.store.claim(sampleSubmission({ matchDigest }), ONCE);
    world.listed = [item(), item()];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("outcome_unknown");
  });
});
