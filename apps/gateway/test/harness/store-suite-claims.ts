import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SubmissionState } from "../../src/store/record.ts";
import type { Claimed } from "../../src/store/store.ts";
import { keep, LEASE_UNTIL, legible, RECEIVED_AT, sampleSubmission } from "./store-samples.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const openStates: readonly SubmissionState[] = ["in_flight", "outcome_unknown", "needs_review"];

function existingIn(claimed: Claimed): string | null {
  return claimed.claimed ? null : claimed.existing.id;
}

/** What a claim comes to. */
export function describeClaims(current: () => StoreUnderTest): void {
  describe("a claim", () => {
    it("is kept byte for byte and to the millisecond, as in flight", async () => {
      const { store } = current();
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const submission = sampleSubmission({ matchFields: everyByte });
      expect(await store.claim(submission)).toEqual({ claimed: true });
      expect(legible(await store.find(submission.id))).toEqual(
        legible({
          ...submission,
          state: "in_flight",
          fence: 1,
          receivedAt: RECEIVED_AT,
          updatedAt: RECEIVED_AT,
          leaseUntil: LEASE_UNTIL,
          unknownAt: null,
          insurerId: null,
          answer: null,
          queries: 0,
          nextQueryAt: null,
        }),
      );
    });

    it("without anything to look up names no key", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight", sampleSubmission({ matchFields: null }));
      expect(await store.find(id)).toMatchObject({ matchFields: null, keyId: null });
    });

    it.each<SubmissionState>([...openStates, "succeeded", "failed"])(
      "of a key that is %s gives what is there, whatever its content",
      async (state) => {
        const { store } = current();
        const first = await keep(store, state);
        const second = sampleSubmission({ keyDigest: first.keyDigest });
        const claimed = await store.claim(second);
        if (claimed.claimed) throw new Error("The key was claimed twice");
        expect(claimed.existing.state).toBe(state);
        expect(legible(claimed.existing)).toEqual(legible(await store.find(first.id)));
        expect(await store.find(second.id)).toBeNull();
      },
    );

    it("of one key, made fifty times at once, is one submission", async () => {
      const { other, store } = current();
      const claim = randomBytes(16);
      const submissions = Array.from({ length: 50 }, () => sampleSubmission({ keyDigest: claim }));
      const results = await Promise.all(
        submissions.map((submission, index) => (index % 2 === 0 ? store : other).claim(submission)),
      );
      const winners = submissions.filter((_, index) => results[index]?.claimed);
      expect(winners).toHaveLength(1);
      const existing = new Set(results.map(existingIn).filter((id) => id !== null));
      expect([...existing]).toEqual([winners[0]?.id]);
      expect(await store.list(openStates, 100)).toHaveLength(1);
    });

    it("of another key takes the same content", async () => {
      const { store } = current();
      const { contentDigest: fingerprint } = await keep(store, "in_flight");
      expect(await store.claim(sampleSubmission({ contentDigest: fingerprint }))).toEqual({ claimed: true });
    });
  });

  describe("a claim without a key", () => {
    it.each(
      openStates.flatMap((state) => [
        { state, twin: "with a key", claim: randomBytes(16) },
        { state, twin: "without one", claim: null },
      ]),
    )("finds the same content $state, $twin, in its way", async ({ claim, state }) => {
      const { store } = current();
      const twin = await keep(store, state, sampleSubmission({ keyDigest: claim }));
      const { contentDigest: fingerprint } = twin;
      const claimed = await store.claim(sampleSubmission({ keyDigest: null, contentDigest: fingerprint }));
      expect(existingIn(claimed)).toBe(twin.id);
      expect(await store.claim(sampleSubmission({ keyDigest: null }))).toEqual({ claimed: true });
    });

    it.each<SubmissionState>(["succeeded", "failed"])(
      "is free when the same content is %s",
      async (state) => {
        const { store } = current();
        const { contentDigest: fingerprint } = await keep(store, state, sampleSubmission({ keyDigest: null }));
        const again = sampleSubmission({ keyDigest: null, contentDigest: fingerprint });
        expect(await store.claim(again)).toEqual({ claimed: true });
      },
    );

    it("is free when the same content was withdrawn", async () => {
      const { store } = current();
      const { contentDigest: fingerprint, id } = await keep(store, "in_flight", sampleSubmission({ keyDigest: null }));
      await store.withdraw(id);
      const again = sampleSubmission({ keyDigest: null, contentDigest: fingerprint });
      expect(await store.claim(again)).toEqual({ claimed: true });
    });

    it("never passes one with a key, nor another without, that are made at the same time", async () => {
      const { other, store } = current();
      for (let round = 0; round < 5; round++) {
        const fingerprint = randomBytes(16);
        const claims = Array.from({ length: 20 }, (_, index) =>
          (index % 4 < 2 ? store : other).claim(
            sampleSubmission({ contentDigest: fingerprint, keyDigest: index % 2 === 0 ? null : randomBytes(16) }),
          ),
        );
        const keyed = (await Promise.all(claims)).filter((_, index) => index % 2 === 1);
        expect(keyed.every(({ claimed }) => claimed)).toBe(true);
        const kept = await store.list(["in_flight"], 100);
        const ofThisRound = kept.filter((record) =>
          Buffer.from(record.contentDigest).equals(fingerprint),
        );
        // The newest first: all but the oldest came when there was one already.
        expect(ofThisRound.slice(0, -1).filter(({ keyDigest: claim }) => claim === null)).toEqual([]);
      }
    });
  });

  describe("a withdrawal", () => {
    it.each<SubmissionState>(["in_flight", "outcome_unknown"])(
      "of what is %s frees the key",
      async (state) => {
        const { store } = current();
        const { keyDigest: claim, id } = await keep(store, state);
        await store.withdraw(id);
        expect(await store.find(id)).toBeNull();
        expect(await store.claim(sampleSubmission({ keyDigest: claim }))).toEqual({ claimed: true });
      },
    );

    it.each<SubmissionState>(["needs_review", "succeeded", "failed"])(
      "of what is %s changes nothing",
      async (state) => {
        const { store } = current();
        const { id } = await keep(store, state);
        const before = legible(await store.find(id));
        await store.withdraw(id);
        expect(legible(await store.find(id))).toEqual(before);
      },
    );

    it("of what never came to be written is no fault, and takes nothing else", async () => {
      const { store } = current();
      const { id } = await keep(store, "in_flight");
      await store.withdraw(sampleSubmission().id);
      expect(await store.find(id)).toMatchObject({ id });
    });
  });
}
