import { none } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { pseudonymOf } from "../../src/submissions/identity.ts";
import {
  legible,
  momentAt,
  ONCE,
  RECEIVED_AT,
  sampleSubmission,
} from "../harness/store-samples.ts";
import {
  HOUR,
  item,
  MINUTE,
  otherVehicle,
  PROVEN_AT,
  SECOND,
  SETTLED_AT,
  storedIn,
  UNKNOWN_AT,
  useQueryWorld,
} from "./query-world.ts";

const world = useQueryWorld();
const { found, missed, reconcile, unknown } = world;

describe("a query that finds the application", () => {
  it("gives it as the answer that it would have been", async () => {
    const record = await unknown();
    const one = item();
    world.listed = [item(otherVehicle), one];
    expect(await reconcile(record)).toBe(true);
    const settled = await found(record.id);
    expect(settled).toMatchObject({
      state: "succeeded",
      insurerId: one.applicationId,
      updatedAt: world.now,
      queries: 0,
    });
    expect(storedIn(settled)).toEqual({
      status: 201,
      headers: {
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        location: `/broker/submissions/${record.id}`,
      },
      content: JSON.stringify(one),
    });
    expect(world.log.read()).toEqual([
      {
        level: 30,
        submissionId: record.id,
        caller: pseudonymOf(record.caller),
        state: "succeeded",
        msg: "reconciliation concluded a submission",
      },
    ]);
  });

  it("searches for the customer, under the submission's name, as the schedule says", async () => {
    const record = await unknown({ account: "north" });
    await reconcile(record);
    expect(world.asked).toBe(1);
    expect(world.calls[0]?.callerGone, "it is given up when the gateway stops").toBe(
      world.stopping.signal,
    );
    expect(world.calls).toMatchObject([
      {
        requestId: record.id,
        submissionId: null,
        account: "north",
        once: { probe: true },
        input: { query: { clientAfm: "123456789", start: 1, limit: 100 } },
      },
    ]);
  });

  it("says only that the insurer acted when its form is not the declared one", async () => {
    const record = await unknown();
    const one = item({ status: 7 });
    world.listed = [one];
    await reconcile(record);
    const settled = await found(record.id);
    expect(settled).toMatchObject({ state: "succeeded", insurerId: one.applicationId });
    const { content, status } = storedIn(settled);
    expect(status).toBe(502);
    expect(JSON.parse(content)).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      insurerId: one.applicationId,
      requestId: record.id,
      provider: "provider-d",
      detail:
        "The insurer acted: the insurer's list has it. Its answer was lost; do not send it again.",
      reconciliation: { href: `/broker/submissions/${record.id}` },
    });
  });

  it("gives it as the answer that has it, where another has no content", async () => {
    const response = { 200: none, ...createApplication.response };
    world.endpoints.set("createApplication", { ...createApplication, response });
    const record = await unknown();
    world.listed = [item()];
    await reconcile(record);
    expect(storedIn(await found(record.id)).status).toBe(201);
  });

  it.each([
    ["RECEIVED", false],
    ["DECLINED", true],
  ])(
    "a query that finds the application with the status %s leaves the same content to be sent: %s",
    async (status, isFree) => {
      const record = await unknown();
      world.listed = [item({ status })];
      await reconcile(record);
      const { caller, contentDigest } = record;
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect((await world.store.claim(again, ONCE)).claimed).toBe(isFree);
    },
  );

  it("counts from its arrival, not from its last change", async () => {
    const record = await unknown({ receivedAt: UNKNOWN_AT - 40 * MINUTE });
    world.listed = [item({ createdAt: new Date(UNKNOWN_AT - 39 * MINUTE).toISOString() })];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("succeeded");
  });
});

describe("a query that does not find it", () => {
  it("is made again after the time that the insurer needs, so that one list proves nothing", async () => {
    const record = await unknown();
    world.now = SETTLED_AT;
    await reconcile(record);
    expect(world.calls).toHaveLength(1);
    const missed = await found(record.id);
    expect(missed).toMatchObject({ state: "outcome_unknown", nextQueryAt: PROVEN_AT });
    world.listed = [item()];
    world.now = PROVEN_AT;
    await reconcile(missed);
    expect(await found(record.id)).toMatchObject({ state: "succeeded" });
  });

  it("absence must be found again when a query between has found something", async () => {
    const record = await missed(await unknown());
    world.listed = [item(otherVehicle)];
    world.now = PROVEN_AT - MINUTE;
    await reconcile(record);
    world.listed = [];
    world.now = PROVEN_AT;
    await reconcile(await found(record.id));
    const again = await found(record.id);
    expect(again).toMatchObject({ state: "outcome_unknown", nextQueryAt: PROVEN_AT + 5 * MINUTE });
  });

  it("proves nothing by time that has not passed, because somebody moved the clock", async () => {
    const record = await unknown();
    world.moved = MINUTE;
    world.now = SETTLED_AT + MINUTE - 1;
    await reconcile(record);
    expect(await found(record.id)).toMatchObject({ absentRunning: null });
    world.now += 1;
    await reconcile(await found(record.id));
    expect(await found(record.id)).toMatchObject({ absentRunning: world.now - world.moved });
  });

  it.each([
    [
      "less than ten minutes after the request",
      SETTLED_AT,
      RECEIVED_AT + 10 * MINUTE - 1,
      "outcome_unknown",
    ],
    ["ten minutes after the request", SETTLED_AT, RECEIVED_AT + 10 * MINUTE, "failed"],
    [
      "less than five minutes after the first",
      PROVEN_AT,
      PROVEN_AT + 5 * MINUTE - 1,
      "outcome_unknown",
    ],
    ["five minutes after the first", PROVEN_AT, PROVEN_AT + 5 * MINUTE, "failed"],
  ])("%s leaves it so", async (_, first, second, state) => {
    const record = await unknown();
    world.now = first;
    await reconcile(record);
    world.now = second;
    await reconcile(await found(record.id));
    expect((await found(record.id)).state).toBe(state);
  });

  it("a query that does not find the submission leaves it failed, and keeps the data for one more query", async () => {
    const record = await missed(await unknown());
    world.now = PROVEN_AT;
    expect(await reconcile(record)).toBe(true);
    const after = await found(record.id);
    expect(after).toMatchObject({ state: "failed", insurerId: null });
    expect(after).toMatchObject({ nextQueryAt: UNKNOWN_AT + 7 * HOUR });
    const { content, status } = storedIn(after);
    expect(status).toBe(422);
    expect(JSON.parse(content)).toMatchObject({
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      requestId: record.id,
      detail: `The insurer did not take it: its outcome was unknown since ${new Date(UNKNOWN_AT).toISOString()}, the insurer's list was read twice after the time that the insurer needs, and it is not there. It may be submitted again; if it had an Idempotency-Key, with a new one.`,
    });
    expect(world.log.read()).toMatchObject([{ submissionId: record.id, state: "failed" }]);
  });

  it.each([
    ["has it by now corrects the failure", [item()], "succeeded"],
    ["does not have it either drops what the query needed", [], "failed"],
  ])("is made once more after seven hours; a list that %s", async (_, listed, state) => {
    const record = await missed(await unknown());
    world.now = PROVEN_AT;
    await reconcile(record);
    world.now = UNKNOWN_AT + 7 * HOUR;
    world.listed = listed;
    await reconcile(await found(record.id));
    expect(await found(record.id)).toMatchObject({ state, matchFields: null, nextQueryAt: null });
    const resolutions = await world.store.resolutions(record.id);
    expect(resolutions.map(({ to }) => to)).toEqual(state === "failed" ? [] : [state]);
  });

  it("never proves anything for an endpoint that does not say how long its insurer needs", async () => {
    const { settleAfterMs: _, ...endless } = createApplication;
    world.endpoints.set("createApplication", endless);
    const record = await unknown();
    world.now = PROVEN_AT + 365 * 24 * HOUR;
    await reconcile(record);
    expect((await found(record.id)).state).toBe("needs_review");
  });

  it("plans the next one by when the outcome became unknown, and counts", async () => {
    const record = await unknown();
    world.listed = [item(otherVehicle)];
    world.now = UNKNOWN_AT + 31 * SECOND;
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({
      state: "outcome_unknown",
      queries: 1,
      updatedAt: world.now,
      nextQueryAt: UNKNOWN_AT + 32 * SECOND,
    });
    expect(world.log.read()).toEqual([]);
  });

  const person = { level: 50, msg: "a submission needs manual review" };

  it("leaves it to a person when it was the last", async () => {
    const record = await unknown();
    world.listed = [item(otherVehicle)];
    world.now = UNKNOWN_AT + 31 * HOUR;
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
    expect(world.log.read()).toEqual([
      { ...person, submissionId: record.id, caller: pseudonymOf(record.caller) },
    ]);
  });

  it.each<[string, () => Promise<SubmissionRecord>]>([
    [
      "the endpoint is not served any more",
      async () => {
        world.endpoints.delete("createApplication");
        return unknown();
      },
    ],
    [
      "the search is not served any more",
      async () => {
        world.endpoints.delete("searchApplications");
        return unknown();
      },
    ],
    ["the segment is not served any more", () => unknown({ segment: "travel" })],
    [
      "the endpoint has no query any more",
      async () => {
        const { reconcile: _, ...without } = createApplication;
        world.endpoints.set("createApplication", without);
        return unknown();
      },
    ],
    ["it has no match fields", () => unknown({ matchFields: null })],
    [
      "it was claimed when its endpoint had no query",
      () => unknown({}, { same: {}, sent: { params: {}, query: {} } }),
    ],
  ])("because %s leaves it to a person at once", async (_, make) => {
    const record = await make();
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
    expect(world.calls).toEqual([]);
    expect(world.log.read()).toEqual([
      { ...person, submissionId: record.id, caller: pseudonymOf(record.caller) },
    ]);
  });
});

describe("a query that the insurer does not answer", () => {
  it("lets others go first for ten seconds, and is not counted", async () => {
    const record = await unknown();
    world.listed = new Refusal("PROVIDER_UNREACHABLE", { detail: "x", attempt: "failed" });
    expect(await reconcile(record)).toBe(false);
    expect(legible(await found(record.id))).toEqual(
      legible({ ...record, nextQueryAt: world.now + 10 * SECOND }),
    );
    expect(
      await world.store.bringForwardOne(record.id, world.now + SECOND, world.now - 1),
      "it was made now",
    ).toBe(false);
  });

  it.each([
    ["PROVIDER_AUTH_FAILED", "answered", false],
    ["PROVIDER_AUTH_FAILED", "unusable", false],
    ["PROVIDER_BAD_RESPONSE", "unusable", true],
    ["PROVIDER_REJECTED", "answered", true],
    ["PROVIDER_TIMEOUT", "failed", false],
    ["PROVIDER_UNAVAILABLE", undefined, false],
  ] as const)(
    "because of %s, which was %s: it is answered %s",
    async (code, attempt, isAnswered) => {
      const record = await unknown();
      world.listed = new Refusal(code, { detail: "x", ...(attempt && { attempt }) });
      expect(await reconcile(record)).toBe(isAnswered);
      expect((await found(record.id)).queries).toBe(isAnswered ? 1 : 0);
    },
  );
});

describe("a query that", () => {
  it("the end of the process cuts off changes nothing", async () => {
    const record = await unknown();
    world.stopping.abort();
    world.listed = new Refusal("PROVIDER_TIMEOUT", { detail: "x", attempt: "failed" });
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("fails by a fault of the gateway's own proves nothing, and is reported without its words", async () => {
    const record = await unknown();
    world.listed = new RangeError("a value");
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "outcome_unknown", queries: 1 });
    expect(world.log.read()).toEqual([
      {
        level: 50,
        submissionId: record.id,
        caller: pseudonymOf(record.caller),
        failure: "RangeError",
        msg: "a reconciliation query failed",
      },
    ]);
  });

  it("cannot read the store fails with it", async () => {
    const record = await unknown();
    const fault = new StoreUnavailableError("ECONNREFUSED", false);
    const unavailable = { ...world.store, competitors: () => Promise.reject(fault) };
    await expect(reconcile(record, { store: unavailable })).rejects.toBe(fault);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("was made for an older state decides nothing", async () => {
    const record = await unknown();
    world.listed = [item()];
    await world.store.postpone(record, momentAt(world.now), world.now + HOUR);
    const changed = await found(record.id);
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(changed));
    expect(world.log.read()).toEqual([]);
  });
});

it.each([
  ["a query that proves nothing", []],
  ["a query whose ending was written before", [item()]],
])("%s fails where the next one cannot be stored", async (_, listed) => {
  const record = await unknown();
  world.listed = listed;
  const unavailable = new StoreUnavailableError("SQLITE_FULL", false);
  const store = {
    ...world.store,
    settleByQuery: async () => "not_open" as const,
    postpone: () => Promise.reject(unavailable),
  };
  await expect(reconcile(record, { store })).rejects.toBe(unavailable);
});
