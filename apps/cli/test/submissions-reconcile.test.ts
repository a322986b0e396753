import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { SubmissionRecord, SubmissionState } from "@insurance-gateway/gateway/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keep, momentAt, sampleSubmission } from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let place: StoreFolder;
beforeAll(async () => {
  place = await makeStoreFolder();
});
afterAll(() => place.remove());

/** Adds a submission in a state to the store. */
async function add(state: SubmissionState): Promise<string> {
  const { id } = await keep(place.store, state, sampleSubmission({ segment: "provider-d" }));
  return id;
}

async function recordOf(id: string): Promise<SubmissionRecord> {
  const record = await place.store.find(id);
  if (record === null) throw new Error("There is no such submission");
  return record;
}

const run = (...parameters: readonly string[]): ReturnType<StoreFolder["run"]> =>
  place.run(["submissions", ...parameters]);

describe("the command `submissions reconcile`", () => {
  it("the command `submissions reconcile` prints the result of an already concluded submission without a query", async () => {
    const [failed, succeeded] = [await add("failed"), await add("succeeded")];
    const unnamed = await add("needs_review");
    await run("resolve", unnamed, "--as", "failed", "--by", "M", "--why", "w");
    const ended = [
      await run("reconcile", succeeded),
      await run("reconcile", failed),
      await run("reconcile", unnamed),
    ];
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, `${succeeded} is succeeded; the insurer's identifier is D-${succeeded}.\n`],
      [0, `${failed} is failed: the insurer did not take it.\n`],
      [0, `${unnamed} is failed: the insurer did not take it.\n`],
    ]);
  });

  it("the command `submissions reconcile` fails if the gateway is still sending the submission", async () => {
    const id = await add("in_flight");
    const { code, stderr } = await run("reconcile", id);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(`^${id} is in_flight: the gateway is still sending it`),
    ]);
  });

  const withoutInstant = (text: string): string =>
    text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "INSTANT");

  /** Runs the command `submissions reconcile`. When the query is due, calls `query` in place of a gateway. */
  async function reconciled(
    id: string,
    query: (record: SubmissionRecord) => Promise<unknown>,
  ): ReturnType<typeof run> {
    const { nextQueryAt: before } = await recordOf(id);
    const ended = place.run(["submissions", "reconcile", id, "--wait", "20"], { terminal: true });
    let record = await recordOf(id);
    for (; record.nextQueryAt === before; record = await recordOf(id)) await setImmediate();
    expect(record.nextQueryAt).toBeLessThan(60_000);
    await query(record);
    return ended;
  }

  it.each([
    [
      "the insurer does not have the submission",
      0,
      "is failed: the insurer did not take it.",
      async ({ fence, id }: SubmissionRecord) => {
        const settlement = {
          id,
          state: "failed" as const,
          at: Date.now(),
          running: 0,
          insurerId: null,
          unique: "provider" as const,
          rivals: null,
          recheck: null,
          closed: false,
          answer: Buffer.from("a"),
          keyId: "key-1",
          answerUntil: 1,
          forgetAt: 2,
        };
        await place.store.settleByQuery(settlement, fence);
      },
    ],
    [
      "the insurer's answer proves nothing yet",
      4,
      "is still outcome_unknown: the insurer's answer proves nothing yet. The next query is due at INSTANT.",
      ({ fence, id }: SubmissionRecord) =>
        place.store.planNextQuery({ id, fence }, momentAt(0), 30_000),
    ],
  ] as const)(
    "the command `submissions reconcile` queries the insurer at once and prints the result of the query: %s",
    async (_, code, words, query) => {
      const id = await add("outcome_unknown");
      const ended = await reconciled(id, query);
      expect([ended.code, withoutInstant(ended.stdout)]).toEqual([code, `${id} ${words}\n`]);
      expect(ended.stderr.split("\r\u001b[2K")).toEqual([
        "",
        `${id} is outcome_unknown; waiting for the insurer, 0 of 20 s`,
        "",
      ]);
    },
  );

  it("the command `submissions reconcile` queries the insurer even for a submission that needs an operator's review", async () => {
    const id = await add("needs_review");
    const ended = await reconciled(id, ({ fence }) =>
      place.store.planNextQuery({ id, fence }, momentAt(0), null),
    );
    expect([ended.code, ended.stdout]).toEqual([
      4,
      expect.stringContaining(`${id} is still needs_review: `),
    ]);
  });

  it("the command `submissions reconcile` ends after the time of --wait if the insurer has not answered the query", async () => {
    const id = await add("outcome_unknown");
    const reported: string[] = [];
    const ended = await place.run(["submissions", "reconcile", id, "--wait", "0"], {
      terminal: true,
      reported: (text) => reported.push(text),
    });
    expect([ended.code, withoutInstant(ended.stdout), reported]).toEqual([
      4,
      `${id} is still outcome_unknown: the insurer has not answered a query within 0 s. The next query is due at INSTANT. /providers at the operations address shows whether the insurer answers.\n`,
      [],
    ]);
  });

  it("the command `submissions reconcile` changes nothing if no gateway serves the store", async () => {
    const other = await makeStoreFolder();
    const id = randomUUID();
    await keep(other.store, "needs_review", sampleSubmission({ id, segment: "provider-d" }));
    await other.stopServing();
    const { code, stdout } = await other.run(["submissions", "reconcile", id]);
    const shown = await other.run(["submissions", "show", id]);
    await other.remove();
    expect([code, stdout]).toEqual([
      69,
      `${id} is still needs_review: no gateway reconciles provider-d, so nothing was changed. Start a gateway that serves provider-d from this store, then run this again.\n`,
    ]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: "needs_review", nextQueryAt: null });
  });
});
