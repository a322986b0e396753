import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEncryption } from "../../src/store/encryption.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { type ManualResolution, resolveManually } from "../../src/submissions/manual-resolution.ts";
import { decryptAnswer } from "../../src/submissions/stored-answer.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import { keyNamed } from "../harness/key-named.ts";
import { keep, momentAt, ONCE, RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";

const AT = RECEIVED_AT + 60_000;
const encryption = createEncryption([keyNamed("one")]);
const retention = { answerMs: 1_000, digestsMs: 2_000, sameContentMs: 0 };
const word = { at: AT, by: "Μαρία Ρόσση", reason: "seen in the portal" };

let folder: string;
let store: SubmissionStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "resolution-"));
  store = await openDirectStore({ data: folder, databaseUrl: undefined });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function resolve(
  id: string,
  as: ManualResolution["as"],
  insurerId?: string,
): ReturnType<typeof resolveManually> {
  const given = insurerId === undefined ? {} : { insurerId };
  return resolveManually(
    { store, encryption, retention, basePath: "/broker" },
    { ...word, ...given, at: momentAt(AT), id, as },
  );
}

describe("manual resolutions", () => {
  it.each([
    [
      "succeeded",
      "D-77",
      {
        code: "PROVIDER_BAD_RESPONSE",
        status: 502,
        outcome: "executed",
        retry: "never",
        insurerId: "D-77",
        detail:
          "The insurer acted: the operator asked the insurer. Its answer was lost; do not send the submission again.",
      },
    ],
    [
      "failed",
      undefined,
      {
        code: "PROVIDER_REJECTED",
        status: 422,
        outcome: "rejected",
        retry: "never",
        detail:
          "The insurer did not accept the submission: the operator asked the insurer. You may submit it again, with a new Idempotency-Key if it had one.",
      },
    ],
  ] as const)(
    "the store records an operator's result with the answer, the operator's name and the reason: %s",
    async (as, insurerId, problem) => {
      const { id } = await keep(store, "needs_review");
      expect(await resolve(id, as, insurerId)).toBe(as);
      const record = await store.find(id);
      expect(record).toMatchObject({ state: as, insurerId: insurerId ?? null, updatedAt: AT });
      expect(await store.resolutions(id)).toEqual([{ ...word, from: "needs_review", to: as }]);
      const { content, status } = decryptAnswer(
        encryption,
        id,
        record?.answer ?? new Uint8Array(),
        record?.keyId ?? "",
      );
      expect(status).toBe(problem.status);
      expect(JSON.parse(content)).toMatchObject({
        ...problem,
        requestId: id,
        provider: "provider-d",
        ...(as === "succeeded" ? { reconciliation: { href: `/broker/submissions/${id}` } } : {}),
      });
      await store.forget(momentAt(AT + 1_001), 100);
      expect(await store.find(id)).toMatchObject({ answer: null });
      await store.forget(momentAt(AT + 2_001), 100);
      expect(await store.find(id)).toBeNull();
    },
  );

  it("the store keeps the identifier that an operator enters, without outer spaces and invisible characters", async () => {
    const { id } = await keep(store, "needs_review");
    await resolve(id, "succeeded", " ΑΙΤ #7\u200b");
    expect(await store.find(id)).toMatchObject({ insurerId: "ΑΙΤ #7" });
  });

  it("the same content can be submitted again after a manual failure, and not after a manual success", async () => {
    for (const as of ["succeeded", "failed"] as const) {
      const { caller, contentDigest, id } = await keep(store, "outcome_unknown");
      await resolve(id, as, as === "succeeded" ? "D-78" : undefined);
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect((await store.claim(again, ONCE)).claimed).toBe(as === "failed");
    }
  });

  const withoutId = "--as succeeded needs --insurer-id: the identifier that the insurer shows.";
  const withId = "--as failed takes no --insurer-id: the insurer has no such application.";
  const noIdentifier =
    "--insurer-id must be an identifier: 1 to 200 characters, without line breaks and other control characters.";
  it.each([
    ["succeeded", undefined, withoutId],
    ["failed", "D-1", withId],
    ["succeeded", "two\nlines", noIdentifier],
    ["succeeded", "", noIdentifier],
    ["succeeded", "x".repeat(201), noIdentifier],
  ] as const)(
    "a manual resolution as %s with the identifier %j is refused, and changes nothing",
    async (as, insurerId, text) => {
      const { id } = await keep(store, "needs_review");
      await expect(resolve(id, as, insurerId)).rejects.toThrow(new Error(text));
      expect(await store.find(id)).toMatchObject({ state: "needs_review" });
      expect(await store.resolutions(id)).toEqual([]);
    },
  );

  it("a manual resolution is refused if the submission is missing or in flight, has the same result already, or if the identifier is in use", async () => {
    const { id: missing } = sampleSubmission();
    const refused = (text: string): Error => new Error(text);
    await expect(resolve(missing, "failed")).rejects.toThrow(
      refused(`There is no submission ${missing}.`),
    );
    const { id: inFlight } = await keep(store, "in_flight");
    await expect(resolve(inFlight, "failed")).rejects.toThrow(
      refused(
        `${inFlight} is in_flight: a submission that is in flight, or failed already, cannot be resolved.`,
      ),
    );
    const { id } = await keep(store, "outcome_unknown");
    await resolve(id, "succeeded", "D-79");
    await expect(resolve(id, "succeeded", "D-79")).rejects.toThrow(
      refused(
        `${id} is succeeded: a submission that is in flight, or succeeded already, cannot be resolved.`,
      ),
    );
    const { id: other } = await keep(store, "outcome_unknown");
    await expect(resolve(other, "succeeded", "D-79")).rejects.toThrow(
      refused(`D-79 belongs to the submission ${id} already.`),
    );
    expect(await resolve(id, "succeeded", "D-80"), "another identifier").toBe("succeeded");
    expect(await resolve(other, "succeeded", "D-79")).toBe("succeeded");
  });
});
