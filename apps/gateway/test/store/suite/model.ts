import type { SubmissionState } from "@insurance-gateway/core/runtime";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { NewSubmission, Settlement } from "../../../src/store/record.ts";
import type { SubmissionStore } from "../../../src/store/store.ts";
import {
  account,
  at,
  bytes,
  type Command,
  day,
  keyId,
  onAccounts,
  onCounts,
  segment,
} from "../../harness/store-commands.ts";
import { legible } from "../../harness/store-samples.ts";
import { createStoreModel, type StoreModel } from "../model/store-model.ts";
import type { StoreUnderTest } from "./store-suite.ts";

// fast-check prints the seed and the shortest failing list of commands. For more lists: STORE_RUNS=200.
const SEED = Number(process.env.STORE_SEED ?? 20_261_122);
const RUNS = Number(process.env.STORE_RUNS ?? 9);
const COMMANDS = 120;

// Values of submissions. There are few, so that commands often concern the same submission.
const ids = Array.from({ length: 6 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const digest = (name: string, count: number): fc.Arbitrary<Uint8Array> =>
  fc.nat(count - 1).map((index) => Buffer.alloc(16, `${name}${index}`));
const id = fc.constantFrom(...ids);
const moment = fc.record({ at, running: at });
const planned = fc.option(at, { freq: 2 });
const keyDigest = fc.option(digest("key", 3), { freq: 2 });
const matchDigest = fc.option(digest("match", 2), { freq: 4 });
const searchDigest = fc.option(digest("search", 2), { freq: 6 });
const series = fc.constantFrom("applications", "applications", "claims");
const provider = fc.constantFrom("provider-d", "provider-d", "provider-e");
const insurerId = fc.option(fc.constantFrom("D-1", "D-2", "D-3"), { freq: 4 });
const resolution = fc.record({ by: fc.constantFrom("M", "N"), reason: fc.constantFrom("x", "y") });
const ended = fc.constantFrom("succeeded" as const, "succeeded" as const, "failed" as const);
const states: readonly SubmissionState[] = [
  "in_flight",
  "succeeded",
  "failed",
  "outcome_unknown",
  "needs_review",
];

const key = fc.record({ keyDigest, isChosen: fc.boolean() }).map(({ isChosen, keyDigest }) => ({
  keyDigest,
  hasChosenKey: isChosen && keyDigest !== null,
}));
const keyless = fc.record({
  id,
  caller: digest("caller", 2),
  contentDigest: digest("content", 2),
  matchDigest,
  searchDigest,
  series,
  provider,
  segment,
  account,
  endpoint: fc.constantFrom("createApplication", "changeApplication"),
  creates: fc.boolean(),
  receivedAt: at,
  receivedRunning: at,
  day,
  leaseUntil: at,
  matchFields: fc.option(bytes, { freq: 4 }),
  keyId,
});
const submission: fc.Arbitrary<NewSubmission> = fc
  .tuple(keyless, key)
  .map(([parts, keyed]) => ({ ...parts, ...keyed }));
const rule = fc.record({
  compared: fc.constantFrom(true, true, false),
  succeededSince: fc.oneof(at, fc.constant(0)),
  quota: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 1 }),
});
const settlement: fc.Arbitrary<Settlement> = fc.record({
  id,
  state: ended,
  at,
  running: at,
  insurerId,
  unique: fc.constantFrom("provider", "account"),
  rivals: fc.option(fc.record({ receivedUntil: at, unknownSince: at })),
  recheck: fc.option(fc.record({ at, matchFields: bytes }), { freq: 1 }),
  closed: fc.constantFrom(false, false, true),
  answer: bytes,
  keyId,
  answerUntil: at,
  forgetAt: at,
});
/** Difference between a command's fence and the record's current fence, usually 0. */
const fence = fc.constantFrom(0, 0, 0, -1);

async function fenceOf(
  store: StoreModel | SubmissionStore,
  of: string,
  by: number,
): Promise<number> {
  return ((await store.find(of))?.fence ?? 1) + by;
}

const commands: readonly fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 4 }, () =>
    fc.tuple(submission, rule).map(
      ([one, by]): Command =>
        async (store) =>
          // Claim only an id that is not stored. An id that was withdrawn or deleted can be claimed again.
          (await store.find(one.id)) === null ? store.claim(one, by) : "there",
    ),
  ),
  id.map(
    (of): Command =>
      (store) =>
        store.withdraw(of),
  ),
  settlement.map(
    (one): Command =>
      (store) =>
        store.settle(one),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(settlement, fence).map(
      ([one, by]): Command =>
        async (store) =>
          store.settleByQuery(one, await fenceOf(store, one.id, by)),
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(settlement, resolution).map(
      ([one, by]): Command =>
        (store) =>
          store.resolveManually(one, by),
    ),
  ),
  fc.tuple(settlement, resolution).map(
    ([one, by]): Command =>
      (store) =>
        store.correctFailed({ ...one, state: "succeeded" }, by),
  ),
  fc.tuple(id, at, resolution).map(
    ([of, when, by]): Command =>
      (store) =>
        store.recordLook(of, when, by),
  ),
  ...Array.from({ length: 3 }, () =>
    fc.tuple(id, moment, planned, insurerId).map(
      ([of, when, next, answered]): Command =>
        (store) =>
          store.markUnknown(of, when, next, answered),
    ),
  ),
  // Random commands rarely produce a sequence in which the last query of a submission proves nothing.
  fc.tuple(id, moment).map(
    ([of, when]): Command =>
      async (store) => {
        await store.markUnknown(of, when, when.running);
        await store.planNextQuery({ id: of, fence: await fenceOf(store, of, 0) }, when, null);
      },
  ),
  fc.tuple(at, moment).map(
    ([before, when]): Command =>
      (store) =>
        store.expireLeases(before, when),
  ),
  fc
    .tuple(
      segment,
      fc.oneof(at, fc.constant("probe" as const)),
      fc.integer({ min: 1, max: 4 }),
      fc.subarray(["default", "north"]),
    )
    .map(
      ([of, when, limit, except]): Command =>
        (store) =>
          store.due(of, when, limit, except),
    ),
  fc.tuple(segment, at, fc.option(account)).map(
    ([of, when, only]): Command =>
      (store) =>
        store.bringForward(of, when, only),
  ),
  fc.tuple(id, at, at).map(
    ([of, when, unless]): Command =>
      (store) =>
        store.bringForwardOne(of, when, unless),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(id, moment).map(
      ([of, when]): Command =>
        (store) =>
          store.reopen(of, when),
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(id, fence, moment, planned, planned).map(
      ([of, by, when, next, absent]): Command =>
        async (store) =>
          store.planNextQuery({ id: of, fence: await fenceOf(store, of, by) }, when, next, absent),
    ),
  ),
  fc.tuple(id, fence).map(
    ([of, by]): Command =>
      async (store) =>
        store.endRecheck({ id: of, fence: await fenceOf(store, of, by) }),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(id, fence, at, at).map(
      ([of, by, when, next]): Command =>
        async (store) =>
          store.delay({ id: of, fence: await fenceOf(store, of, by) }, when, next),
    ),
  ),
  digest("key", 3).map(
    (of): Command =>
      (store) =>
        store.findByKey(of),
  ),
  fc.tuple(fc.subarray([...states]), fc.nat(5)).map(
    ([of, limit]): Command =>
      (store) =>
        store.list(of, limit),
  ),
  fc.constant<Command>((store) => store.countUnknown()),
  id.map(
    (of): Command =>
      (store) =>
        store.resolutions(of),
  ),
  fc
    .tuple(
      fc.record({ account, id, matchDigest, provider, searchDigest, segment, series }),
      fc.subarray(["D-1", "D-2", "D-3", "D-4"]),
    )
    .map(
      ([of, insurerIds]): Command =>
        async (store) => {
          const { known, rivals, ...counts } = await store.similarSubmissions(of, insurerIds);
          const sorted = (some: readonly object[]): readonly string[] =>
            some.map((one) => JSON.stringify(one)).toSorted();
          return { ...counts, known: sorted(known), rivals: sorted(rivals) };
        },
    ),
  moment.map(
    (when): Command =>
      (store) =>
        store.forget(when, 100),
  ),
  fc.constant<Command>(async (store) => (await store.encryptedWith()).toSorted()),
  fc.tuple(fc.record({ keyId, encrypted: bytes }), fc.option(keyId)).map(
    ([secret, instead]): Command =>
      async (store) => {
        await store.putSecret("digests", secret, instead);
        return store.secret("digests");
      },
  ),
  ...onAccounts,
  ...onCounts,
];

/** Returns a result as text in which every byte is legible. */
function textOf(result: unknown): string {
  return JSON.stringify(result ?? null, (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value) ? ordered(value) : value,
  );
}

function ordered(value: object): object {
  // `JSON.stringify` has already turned buffers into objects.
  const { data, type }: { data?: unknown; type?: unknown } = value;
  if (type === "Buffer" && Array.isArray(data)) return [Buffer.from(data).toString("hex")];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString("hex")];
  const entries = Object.entries(legible(value) ?? {});
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns all records with their encrypted data, all accounts, counts and attempts, as text. */
async function everythingIn(store: StoreModel | SubmissionStore): Promise<string> {
  return textOf([
    await Promise.all(ids.map(async (of) => store.find(of))),
    await store.accountsSince(0, 10),
    await store.usageOn("2030-01-01", null),
    await store.attemptsSince("2030-01-01"),
  ]);
}

/** Runs random commands on the store and on its model in memory, and compares their results. */
export function describeModel(current: () => StoreUnderTest): void {
  it("the store returns the same results and has the same content as a model in memory after each random command", async () => {
    const { execute, store } = current();
    // PostgreSQL has fewer runs, because PostgreSQL needs several times as long and has nearly the same statements.
    const numRuns = store.shared ? Math.ceil(RUNS / 3) : RUNS;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...commands), { minLength: COMMANDS, maxLength: COMMANDS, size: "max" }),
        async (given) => {
          await execute(
            `DELETE FROM gateway_submissions; DELETE FROM gateway_keys; DELETE FROM gateway_resolutions; DELETE FROM gateway_secrets;
              DELETE FROM gateway_accounts; DELETE FROM gateway_account_changes; DELETE FROM gateway_usage; DELETE FROM gateway_availability;`,
          );
          const model = createStoreModel();
          for (const [index, command] of given.entries()) {
            if (index % 10 === 0) expect(await everythingIn(store)).toBe(await everythingIn(model));
            const expected = textOf(await command(model));
            expect(textOf(await command(store))).toBe(expected);
            expect(textOf(await store.list(states, 100))).toBe(textOf(model.list(states, 100)));
          }
          expect(await everythingIn(store)).toBe(await everythingIn(model));
        },
      ),
      { seed: SEED, numRuns, includeErrorInReport: true, endOnFailure: true },
    );
  });
}
