import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import { item, otherVehicle, PROVEN_AT, SECOND, UNKNOWN_AT, useQueryWorld } from "./query-world.ts";

const world = useQueryWorld();
const { found, missed, reconcile, unknown } = world;

describe("a query by the submission's own name", () => {
  it("a query that finds the submission by its own name is the only one, although an equal one is open", async () => {
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
    expect(world.asked).toBe(1);
  });

  it.each<[string, readonly object[] | Error, SubmissionState, number]>([
    ["without an answer", new Refusal("PROVIDER_TIMEOUT", { detail: "x" }), "outcome_unknown", 1],
    ["that is refused", new Refusal("PROVIDER_AUTH_FAILED", { detail: "x" }), "outcome_unknown", 1],
    [
      "with an answer that cannot be used",
      new Refusal("PROVIDER_BAD_RESPONSE", { detail: "x", attempt: "unusable" }),
      "failed",
      2,
    ],
    ["that finds nothing", [], "failed", 2],
    ["that finds two", [item(), item()], "failed", 2],
    ["that finds something else", [item(otherVehicle)], "failed", 2],
  ])("%s proves nothing; the list does", async (_, answer, state, queries) => {
    const record = await missed(await unknown());
    world.referred = answer;
    world.now = PROVEN_AT;
    expect(await reconcile(record)).toBe(queries === 2);
    expect(await found(record.id)).toMatchObject({ state, queries: 1 });
    expect(world.calls).toHaveLength(queries);
  });
});

describe("what is known of other submissions", () => {
  /** Has another submission own an identifier. */
  async function own(insurerId: string, more: Parameters<typeof unknown>[0] = {}): Promise<void> {
    const { id } = await unknown(more);
    await world.store.settle(sampleSettlement(id, { insurerId }));
  }

  const at = UNKNOWN_AT + 3 * SECOND;
  it.each<[string, object, boolean, number, SubmissionState]>([
    ["of this segment and the same match fields is not this one", {}, true, at, "outcome_unknown"],
    ["of this segment and the same match fields proves absence", {}, true, PROVEN_AT, "failed"],
    ["of this segment and others is contested", {}, false, at, "outcome_unknown"],
    ["of this segment and others proves no absence", {}, false, PROVEN_AT, "outcome_unknown"],
    ["of another segment may be this one", { segment: "travel" }, true, at, "outcome_unknown"],
    [
      "of another segment proves no absence",
      { segment: "travel" },
      true,
      PROVEN_AT,
      "outcome_unknown",
    ],
    ["of a change says nothing", { creates: false }, true, at, "succeeded"],
    [
      "of another provider says nothing",
      { provider: "provider-e", segment: "travel" },
      true,
      at,
      "succeeded",
    ],
  ])("%s", async (_, more, isAlike, when, state) => {
    const record = await missed(await unknown());
    const one = item();
    const alike = isAlike ? { matchDigest: record.matchDigest } : {};
    await own(one.applicationId, { ...more, ...alike });
    world.listed = [one];
    world.now = when;
    await reconcile(record);
    expect((await found(record.id)).state).toBe(state);
  });

  it.each<[string, boolean, number]>([
    ["that is like it proves nothing of a change: another call may have made it so", true, at],
    ["that is not like it proves nothing of a change either", false, PROVEN_AT],
  ])("%s", async (_, isListed, when) => {
    const record = await unknown({ creates: false });
    world.listed = isListed ? [item()] : [];
    world.now = when;
    await reconcile(record);
    expect(await found(record.id)).toMatchObject({ state: "needs_review", insurerId: null });
    expect(world.calls).toEqual([]);
  });

  it.each([
    ["of unknown outcome", 1, "outcome_unknown"],
    ["of unknown outcome, with one item for each", 2, "succeeded"],
  ])("waits while an equal one is %s", async (_, items, state) => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    world.listed = Array.from({ length: items }, (_item, index) =>
      item({ createdAt: new Date(UNKNOWN_AT - index * SECOND).toISOString() }),
    );
    await reconcile(record);
    expect((await found(record.id)).state).toBe(state);
  });

  it("waits while an equal one is of unknown outcome, when both items are of one instant", async () => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    world.listed = [item(), item()];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("outcome_unknown");
  });

  it("waits while an equal one is in flight", async () => {
    const record = await unknown();
    const { matchDigest } = record;
    await world.store.claim(sampleSubmission({ matchDigest }), ONCE);
    world.listed = [item(), item()];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("outcome_unknown");
  });
});
