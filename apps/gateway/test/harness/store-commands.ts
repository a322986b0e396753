import * as fc from "fast-check";
import type { NewConnection } from "../../src/store/connections.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { StoreModel } from "./store-model.ts";
import { RECEIVED_AT } from "./store-samples.ts";

/** One call of a store's method, as both the store and the model are given it. */
export type Command = (store: StoreModel | SubmissionStore) => unknown;

// Values that several tables have: so few that commands often meet.
export const at: fc.Arbitrary<number> = fc.nat(8).map((seconds) => RECEIVED_AT + seconds * 1_000);
export const segment: fc.Arbitrary<string> = fc.constantFrom("motor", "motor", "boat");
export const connection: fc.Arbitrary<string> = fc.constantFrom("default", "default", "north");
export const keyId: fc.Arbitrary<string> = fc.constantFrom("key-1", "key-2");
export const day: fc.Arbitrary<string> = fc.constantFrom("2030-01-01", "2030-01-01", "2030-01-02");
export const bytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 1, maxLength: 4 });

/** An id of a connection is also that of submissions' connections. */
const connectionId = fc.constantFrom("north", "south", "east");
const encrypted = fc.record({ keyId, encrypted: bytes });
const ends = fc.record({
  credentialsEndAt: fc.option(at),
  certificateEndsAt: fc.option(at),
});
const quotas = fc.record({
  requestsPerDay: fc.option(fc.integer({ min: 1, max: 3 })),
  submissionsPerDay: fc.option(fc.integer({ min: 1, max: 3 })),
});
const newConnection = fc
  .tuple(
    fc.record({
      id: connectionId,
      segment,
      issuer: fc.constantFrom("one", "other"),
      tenant: fc.constantFrom("t-1", "t-2"),
    }),
    encrypted,
    ends,
    quotas,
  )
  .map((parts): NewConnection => Object.assign({}, ...parts));

/** Commands on stored connections. */
export const onConnections: readonly fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 2 }, () =>
    fc.tuple(newConnection, at).map(
      ([one, when]): Command =>
        (store) =>
          store.addConnection(one, { at: when, by: "M" }),
    ),
  ),
  fc.tuple(connectionId, encrypted, ends, fc.option(quotas), at).map(
    ([of, content, until, more, when]): Command =>
      (store) =>
        store.rotateConnection(of, { ...content, ...until, quotas: more }, { at: when, by: "M" }),
  ),
  fc.tuple(connectionId, at).map(
    ([of, when]): Command =>
      (store) =>
        store.removeConnection(of, { at: when, by: "M" }),
  ),
  fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 3 })).map(
    ([revision, limit]): Command =>
      (store) =>
        store.connectionsSince(revision, limit),
  ),
  fc.integer({ min: 1, max: 9 }).map(
    (limit): Command =>
      (store) =>
        store.connectionChanges(limit),
  ),
  connectionId.map(
    (of): Command =>
      (store) =>
        store.connectionContent(of),
  ),
  fc.tuple(keyId, fc.integer({ min: 1, max: 3 })).map(
    ([of, limit]): Command =>
      (store) =>
        store.connectionsNotEncryptedWith(of, limit),
  ),
  fc.tuple(connectionId, encrypted, keyId).map(
    ([of, content, instead]): Command =>
      (store) =>
        store.encryptConnectionAgain(of, content, instead),
  ),
];

const count = fc.nat(3);
const calls = fc
  .tuple(
    fc.record({ day, connection, segment, calls: count, failedCalls: count }),
    fc.constantFrom(
      { endpoint: "createApplication", kind: "submission" },
      { endpoint: "searchApplications", kind: "search" },
    ),
  )
  .map(([one, of]) => ({ ...one, ...of }));
/** A process counts each row once in a batch. */
const callsOnce = fc.uniqueArray(calls, {
  maxLength: 3,
  selector: (one) => JSON.stringify([one.day, one.connection, one.segment, one.endpoint]),
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
        fc.array(fc.record({ day, connection, segment }), { maxLength: 2 }),
      )
      .map(
        ([counts, asked]): Command =>
          (store) =>
            store.addCounts(counts, asked),
      ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(day, fc.option(connection)).map(
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
