import * as fc from "fast-check";
import type { NewAccount } from "../../src/store/account-rows.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { StoreModel } from "../store/model/store-model.ts";
import { RECEIVED_AT } from "./store-samples.ts";

/** A call of one function of the store. The tests run each call on the store and on the model. */
export type Command = (store: StoreModel | SubmissionStore) => unknown;

// These arbitraries have few values, so that several commands often use the same value.
export const at: fc.Arbitrary<number> = fc.nat(8).map((seconds) => RECEIVED_AT + seconds * 1_000);
export const segment: fc.Arbitrary<string> = fc.constantFrom("motor", "motor", "boat");
export const account: fc.Arbitrary<string> = fc.constantFrom("default", "default", "north");
export const keyId: fc.Arbitrary<string> = fc.constantFrom("key-1", "key-2");
export const day: fc.Arbitrary<string> = fc.constantFrom("2030-01-01", "2030-01-01", "2030-01-02");
export const bytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 1, maxLength: 4 });

/** The ids of stored accounts. Submissions of the tests use the same ids. */
const accountId = fc.constantFrom("north", "south", "east");
const encrypted = fc.record({ keyId, encrypted: bytes });
const newAccount = fc
  .tuple(
    fc.record({
      id: accountId,
      segment,
      issuer: fc.constantFrom("one", "other"),
      tenant: fc.constantFrom("t-1", "t-2"),
    }),
    encrypted,
  )
  .map((parts): NewAccount => Object.assign({}, ...parts));

/** Commands on stored accounts. */
export const onAccounts: readonly fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 2 }, () =>
    fc.tuple(newAccount, at).map(
      ([one, when]): Command =>
        (store) =>
          store.putAccount(one, { at: when, by: "M" }),
    ),
  ),
  fc.tuple(accountId, at).map(
    ([of, when]): Command =>
      (store) =>
        store.removeAccount(of, { at: when, by: "M" }),
  ),
  fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 3 })).map(
    ([revision, limit]): Command =>
      (store) =>
        store.accountsSince(revision, limit),
  ),
  fc.integer({ min: 1, max: 9 }).map(
    (limit): Command =>
      (store) =>
        store.accountChanges(limit),
  ),
  fc
    .tuple(accountId, encrypted, fc.record({ keyId, revision: fc.integer({ min: 1, max: 4 }) }))
    .map(
      ([of, content, instead]): Command =>
        (store) =>
          store.encryptAccountAgain(of, content, instead),
    ),
];

const count = fc.nat(3);
const calls = fc
  .tuple(
    fc.record({ day, account, segment, calls: count, failedCalls: count }),
    fc.constantFrom(
      { endpoint: "createApplication", kind: "submission" },
      { endpoint: "searchApplications", kind: "search" },
    ),
  )
  .map(([one, of]) => ({ ...one, ...of }));
/** A batch of counted calls. Each row appears only once in a batch, as in the batches of a process. */
const callsOnce = fc.uniqueArray(calls, {
  maxLength: 3,
  selector: (one) => JSON.stringify([one.day, one.account, one.segment, one.endpoint]),
});
const attemptsOnce = fc.uniqueArray(
  fc.record({ day, segment, attempts: count, failures: count, heldBack: count }),
  { maxLength: 2, selector: (one) => JSON.stringify([one.day, one.segment]) },
);

/** Commands on usage and availability. */
export const onCounts: readonly fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 2 }, () =>
    fc
      .tuple(
        fc.record({ calls: callsOnce, attempts: attemptsOnce }),
        fc.array(fc.record({ day, account, segment }), { maxLength: 2 }),
      )
      .map(
        ([counts, asked]): Command =>
          (store) =>
            store.addCounts(counts, asked),
      ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(day, fc.option(account)).map(
      ([of, only]): Command =>
        (store) =>
          store.usageOn(of, only),
    ),
  ),
  day.map(
    (since): Command =>
      (store) =>
        store.attemptsSince(since),
  ),
  fc.tuple(day, day).map(
    ([usage, availability]): Command =>
      (store) =>
        store.forgetCounts(usage, availability),
  ),
];
