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
/** Maximum duration of all runs, in milliseconds. On a busy machine, the runs take more than half a minute. */
const MODEL_TIMEOUT_MS = 300_000;

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

/**
 * Returns a random command.
 * @param weight - how often the command runs, compared with the other commands
 * @param values - the command's random arguments
 */
function command<Values extends unknown[]>(
  weight: number,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  run: (store: StoreModel | SubmissionStore, ...drawn: Values) => unknown,
): fc.WeightedArbitrary<Command> {
  const arbitrary = fc.tuple<Values>(...values).map(
    (drawn): Command =>
      (store) =>
        run(store, ...drawn),
  );
  return { weight, arbitrary };
}

const commands: readonly fc.MaybeWeightedArbitrary<Command>[] = [
  command(4, [submission, rule], async (store, one, by) =>
    // Claim only an id that is not stored. An id that was withdrawn or deleted can be claimed again.
    (await store.find(one.id)) === null ? store.claim(one, by) : "there",
  ),
  command(1, [id], (store, of) => store.withdraw(of)),
  command(1, [settlement], (store, one) => store.settle(one)),
  command(2, [settlement, fence], async (store, one, by) =>
    store.settleByQuery(one, await fenceOf(store, one.id, by)),
  ),
  command(2, [settlement, resolution], (store, one, by) => store.resolveManually(one, by)),
  command(1, [settlement, resolution], (store, one, by) =>
    store.correctFailed({ ...one, state: "succeeded" }, by),
  ),
  command(1, [id, at, resolution], (store, of, when, by) => store.recordLook(of, when, by)),
  command(3, [id, moment, planned, insurerId], (store, of, when, next, answered) =>
    store.markUnknown(of, when, next, answered),
  ),
  // In this command, the last query of a submission proves nothing. Random sequences of the other commands rarely do
  // this.
  command(1, [id, moment], async (store, of, when) => {
    await store.markUnknown(of, when, when.running);
    await store.planNextQuery({ id: of, fence: await fenceOf(store, of, 0) }, when, null);
  }),
  command(1, [at, moment], (store, before, when) => store.expireLeases(before, when)),
  command(
    1,
    [
      segment,
      fc.oneof(at, fc.constant("probe" as const)),
      fc.integer({ min: 1, max: 4 }),
      fc.subarray(["default", "north"]),
    ],
    (store, of, when, limit, except) => store.due(of, when, limit, except),
  ),
  command(1, [segment, at, fc.option(account)], (store, of, when, only) =>
    store.bringForward(of, when, only),
  ),
  command(1, [id, at, at], (store, of, when, unless) => store.bringForwardOne(of, when, unless)),
  command(2, [id, moment], (store, of, when) => store.reopen(of, when)),
  command(2, [id, fence, moment, planned, planned], async (store, of, by, when, next, absent) =>
    store.planNextQuery({ id: of, fence: await fenceOf(store, of, by) }, when, next, absent),
  ),
  command(1, [id, fence], async (store, of, by) =>
    store.endRecheck({ id: of, fence: await fenceOf(store, of, by) }),
  ),
  command(2, [id, fence, at, at], async (store, of, by, when, next) =>
    store.delay({ id: of, fence: await fenceOf(store, of, by) }, when, next),
  ),
  command(1, [digest("key", 3)], (store, of) => store.findByKey(of)),
  command(1, [fc.subarray([...states]), fc.nat(5)], (store, of, limit) => store.list(of, limit)),
  command(1, [], (store) => store.countUnknown()),
  command(1, [id], (store, of) => store.resolutions(of)),
  command(
    1,
    [
      fc.record({ account, id, matchDigest, provider, searchDigest, segment, series }),
      fc.subarray(["D-1", "D-2", "D-3", "D-4"]),
    ],
    async (store, of, insurerIds) => {
      const { known, rivals, ...counts } = await store.similarSubmissions(of, insurerIds);
      const sorted = (some: readonly object[]): readonly string[] =>
        some.map((one) => JSON.stringify(one)).toSorted();
      return { ...counts, known: sorted(known), rivals: sorted(rivals) };
    },
  ),
  command(1, [moment], (store, when) => store.forget(when, 100)),
  command(1, [], async (store) => (await store.encryptedWith()).toSorted()),
  command(
    1,
    [fc.record({ keyId, encrypted: bytes }), fc.option(keyId)],
    async (store, secret, instead) => {
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
  it("the store returns the same results and has the same content as a model in memory after each random command", {
    timeout: MODEL_TIMEOUT_MS,
  }, async () => {
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
