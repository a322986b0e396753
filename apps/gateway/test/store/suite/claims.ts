import { randomBytes } from "node:crypto";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../../src/store/faults.ts";
import type { ClaimRule } from "../../../src/store/record.ts";
import type { ClaimResult } from "../../../src/store/store.ts";
import {
  keep,
  LEASE_UNTIL,
  legible,
  NEVER,
  ONCE,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
  WHILE_OPEN,
} from "../../harness/store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const openStates: readonly SubmissionState[] = ["in_flight", "outcome_unknown", "needs_review"];

function existingIn(claimed: ClaimResult): string | null {
  return claimed.claimed || claimed.existing === null ? null : claimed.existing.id;
}

/** Tests of the results of a claim. */
export function describeClaims(current: () => StoreUnderTest): void {
  describe("a claim", () => {
    it("the store returns a claimed submission unchanged, in the state `in_flight`", async () => {
      const { store } = current();
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const submission = sampleSubmission({ matchFields: everyByte });
      expect(await store.claim(submission, ONCE)).toEqual({ claimed: true });
      expect(legible(await store.find(submission.id))).toEqual(
        legible({
          ...submission,
          state: "in_flight",
          fence: 1,
          receivedAt: RECEIVED_AT,
          updatedAt: RECEIVED_AT,
          leaseUntil: LEASE_UNTIL,
          unknownAt: null,
          unknownRunning: null,
          absentRunning: null,
          insurerId: null,
          answeredId: null,
          answer: null,
          queries: 0,
          nextQueryAt: null,
        }),
      );
    });

    it("a claim with the id of another submission fails and changes nothing", async () => {
      const { store } = current();
      const first = await keep(store, "in_flight");
      const before = legible(await store.find(first.id));
      const second = sampleSubmission({ id: first.id });
      await expect(store.claim(second, ONCE)).rejects.toThrow(StoreUnavailableError);
      expect(legible(await store.find(first.id))).toEqual(before);
    });

    it("a claim without match fields stores no id of an encryption key", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight", sampleSubmission({ matchFields: null }));
      expect(await store.find(id)).toMatchObject({ matchFields: null, keyId: null });
    });

    it.each<SubmissionState>([...openStates, "succeeded", "failed"])(
      "a claim with a used idempotency key returns the earlier submission, even if the content differs: %s",
      async (state) => {
        const { store } = current();
        const first = await keep(store, state);
        const second = sampleSubmission({ keyDigest: first.keyDigest });
        const claimed = await store.claim(second, ONCE);
        if (claimed.claimed || claimed.existing === null)
          throw new Error("The key was claimed twice");
        expect(claimed.existing.state).toBe(state);
        expect(legible(claimed.existing)).toEqual(legible(await store.find(first.id)));
        expect(await store.find(second.id)).toBeNull();
      },
    );

    it("fifty simultaneous claims with one idempotency key store one submission", async () => {
      const { other, store } = current();
      const keyDigest = randomBytes(16);
      const submissions = Array.from({ length: 50 }, () => sampleSubmission({ keyDigest }));
      const results = await Promise.all(
        submissions.map((submission, index) =>
          (index % 2 === 0 ? store : other).claim(submission, ONCE),
        ),
      );
      const winners = submissions.filter((_, index) => results[index]?.claimed);
      expect(winners).toHaveLength(1);
      const existing = new Set(results.map(existingIn).filter((id) => id !== null));
      expect([...existing]).toEqual([winners[0]?.id]);
      expect(await store.list(openStates, 100)).toHaveLength(1);
    });

    it.each<SubmissionState>(openStates)(
      "a claim with a new idempotency key is refused while a submission with the same content is open: %s",
      async (state) => {
        const { store } = current();
        const { contentDigest, caller, id } = await keep(store, state);
        const claimed = await store.claim(sampleSubmission({ caller, contentDigest }), WHILE_OPEN);
        expect(claimed).toMatchObject({ relation: "other_key", existing: { id } });
      },
    );

    it.each<SubmissionState>(["succeeded", "failed"])(
      "a claim with a new idempotency key is accepted after a submission with the same content is concluded: %s",
      async (state) => {
        const { store } = current();
        const { contentDigest, caller } = await keep(store, state);
        const other = sampleSubmission({ caller, contentDigest });
        expect(await store.claim(other, ONCE)).toEqual({ claimed: true });
      },
    );

    it.each<SubmissionState>([...openStates, "succeeded"])(
      "a claim with an idempotency key adds the key to an earlier submission that has no key and the same content: %s",
      async (state) => {
        const { store } = current();
        const first = await keep(store, state, sampleSubmission({ keyDigest: null }));
        const { caller, contentDigest, id } = first;
        const second = sampleSubmission({ caller, contentDigest });
        const claimed = await store.claim(second, ONCE);
        expect(claimed).toMatchObject({ relation: "same_key", existing: { id } });
        expect((await store.findByKey(second.keyDigest ?? new Uint8Array()))?.id).toBe(id);
        const third = await store.claim(sampleSubmission({ caller, contentDigest }), ONCE);
        expect(third).toMatchObject(
          state === "succeeded" ? { claimed: true } : { relation: "other_key", existing: { id } },
        );
      },
    );

    it("a claim with an idempotency key adds the key to a submission without a key, even if a newer submission with a key has the same content", async () => {
      const { store } = current();
      const first = await keep(store, "succeeded", sampleSubmission({ keyDigest: null }));
      const { caller, contentDigest, id } = first;
      const newer = sampleSubmission({ caller, contentDigest });
      expect(await store.claim(newer, NEVER)).toEqual({ claimed: true });
      await store.settle(sampleSettlement(newer.id));
      expect(await store.claim(sampleSubmission({ caller, contentDigest }), ONCE)).toMatchObject({
        relation: "same_key",
        existing: { id },
      });
    });

    it("a claim with an idempotency key does not add the key to a submission without a key at another segment", async () => {
      const { store } = current();
      const first = await keep(store, "succeeded", sampleSubmission({ keyDigest: null }));
      const { caller, contentDigest, id } = first;
      const elsewhere = sampleSubmission({ caller, contentDigest, segment: "fleet" });
      expect(await store.claim(elsewhere, ONCE)).toMatchObject({
        relation: "same_content",
        existing: { id },
      });
      expect((await store.find(id))?.keyDigest).toBeNull();
    });

    it("the store accepts a claim whose content equals the content of another caller's claim", async () => {
      const { store } = current();
      const { contentDigest } = await keep(store, "in_flight");
      expect(await store.claim(sampleSubmission({ contentDigest }), ONCE)).toEqual({
        claimed: true,
      });
    });
  });

  describe("a claim without a key", () => {
    it.each(
      [...openStates, "succeeded" as const].flatMap((state) => [
        { state, twin: "with a key", keyDigest: randomBytes(16) },
        { state, twin: "without a key", keyDigest: null },
      ]),
    )(
      "a claim without an idempotency key returns the existing submission with the same content: $state, $twin",
      async ({ keyDigest, state }) => {
        const { store } = current();
        const { caller, contentDigest, id } = await keep(
          store,
          state,
          sampleSubmission({ keyDigest }),
        );
        const same = { caller, contentDigest, keyDigest: null };
        expect(await store.claim(sampleSubmission(same), ONCE)).toMatchObject({
          relation: "same_content",
          existing: { id },
        });
        const free = { claimed: true };
        expect(
          await store.claim(sampleSubmission({ ...same, caller: randomBytes(16) }), ONCE),
        ).toEqual(free);
        expect(
          await store.claim(sampleSubmission({ ...same, contentDigest: randomBytes(16) }), ONCE),
        ).toEqual(free);
        expect(await store.claim(sampleSubmission(same), NEVER)).toEqual(free);
      },
    );

    it.each<[string, SubmissionState, ClaimRule]>([
      ["failed", "failed", ONCE],
      ["succeeded, and only open submissions are compared", "succeeded", WHILE_OPEN],
      [
        "succeeded too long ago",
        "succeeded",
        { compared: true, succeededSince: RECEIVED_AT + 1_000, quota: null },
      ],
    ])(
      "a claim without an idempotency key is accepted if the earlier submission with the same content %s",
      async (_, state, rule) => {
        const { store } = current();
        const { caller, contentDigest } = await keep(
          store,
          state,
          sampleSubmission({ keyDigest: null }),
        );
        const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
        expect(await store.claim(again, rule)).toEqual({ claimed: true });
      },
    );

    it("the store refuses equal claims without an idempotency key for a running time after a success, regardless of the clock", async () => {
      const { store } = current();
      const { caller, contentDigest, id } = await keep(store, "in_flight");
      await store.settle(
        sampleSettlement(id, { at: RECEIVED_AT - 1_000, running: RECEIVED_AT + 1_000 }),
      );
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      const rule = { compared: true, succeededSince: RECEIVED_AT + 999, quota: null };
      const found = await store.claim(again, rule);
      expect(found).toMatchObject({ relation: "same_content", existing: { id } });
    });

    it("a claim without an idempotency key is accepted if the insurer declined the earlier application with the same content", async () => {
      const { store } = current();
      const { caller, contentDigest, id } = await keep(store, "in_flight");
      await store.settle(sampleSettlement(id, { closed: true }));
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect(await store.claim(again, ONCE)).toEqual({ claimed: true });
    });

    it("a claim without an idempotency key returns the open submission with the same content, even if newer submissions are concluded", async () => {
      const { store } = current();
      const { caller, contentDigest, id } = await keep(store, "outcome_unknown");
      for (const keyDigest of [randomBytes(16), null]) {
        const newer = sampleSubmission({ caller, contentDigest, keyDigest });
        expect(await store.claim(newer, NEVER)).toEqual({ claimed: true });
        await store.settle(sampleSettlement(newer.id));
      }
      const without = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect(existingIn(await store.claim(without, ONCE))).toBe(id);
      const otherKey = await store.claim(sampleSubmission({ caller, contentDigest }), ONCE);
      expect(otherKey).toMatchObject({ relation: "other_key", existing: { id } });
    });

    it("a claim without an idempotency key returns the newest success with the same content", async () => {
      const { store } = current();
      const { caller, contentDigest } = await keep(store, "succeeded");
      const newer = sampleSubmission({ caller, contentDigest });
      await keep(store, "succeeded", newer);
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      const found = await store.claim(again, ONCE);
      expect(found).toMatchObject({ relation: "same_content", existing: { id: newer.id } });
    });

    it("a claim without an idempotency key is accepted if the submission with the same content was withdrawn", async () => {
      const { store } = current();
      const { caller, contentDigest, id } = await keep(store, "in_flight");
      await store.withdraw(id);
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect(await store.claim(again, ONCE)).toEqual({ claimed: true });
    });

    it("only one of several simultaneous claims with the same content is accepted, with or without idempotency keys", async () => {
      const { other, store } = current();
      for (let round = 0; round < 5; round++) {
        const same = { caller: randomBytes(16), contentDigest: randomBytes(16) };
        const claims = Array.from({ length: 20 }, (_, index) =>
          (index % 4 < 2 ? store : other).claim(
            sampleSubmission({ ...same, keyDigest: index % 2 === 0 ? null : randomBytes(16) }),
            ONCE,
          ),
        );
        const claimed = (await Promise.all(claims)).filter((one) => one.claimed);
        expect(claimed).toHaveLength(1);
      }
    });
  });
}
