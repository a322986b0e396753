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
  it("the gateway stores the found application as the insurer's usual answer to the submission", async () => {
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

  it("the gateway queries the customer's applications through the submission's account, with the submission's id as request id", async () => {
    const record = await unknown({ account: "north" });
    await reconcile(record);
    expect(world.turns).toBe(1);
    expect(world.calls[0]?.callerGone, "the query ends when the gateway stops").toBe(
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

  it("the gateway stores only `executed` and the identifier if the found application does not match the endpoint's declaration", async () => {
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
        "The insurer acted: the insurer's list contains it. Its answer was lost; do not send the submission again.",
      reconciliation: { href: `/broker/submissions/${record.id}` },
    });
  });

  it("the gateway stores the found application as an answer with a declared status whose answers have content", async () => {
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
    "the same content can be submitted again only if the insurer declined the found application: %s, %s",
    async (status, isFree) => {
      const record = await unknown();
      world.listed = [item({ status })];
      await reconcile(record);
      const { caller, contentDigest } = record;
      const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
      expect((await world.store.claim(again, ONCE)).claimed).toBe(isFree);
    },
  );

  it("a list item created after the submission's arrival proves a success, even if created long before the outcome became unknown", async () => {
    const record = await unknown({ receivedAt: UNKNOWN_AT - 40 * MINUTE });
    world.listed = [item({ createdAt: new Date(UNKNOWN_AT - 39 * MINUTE).toISOString() })];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("succeeded");
  });
});

describe("a query that does not find the application", () => {
  it("one query that does not find the application proves nothing, and the gateway plans a second query", async () => {
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

  it("the gateway begins the proof of a submission's absence again if a query finds an item that may be the submission", async () => {
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

  it("a clock that is moved forward does not shorten the time until a submission's absence is proved", async () => {
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
      "less than five minutes after the first query",
      PROVEN_AT,
      PROVEN_AT + 5 * MINUTE - 1,
      "outcome_unknown",
    ],
    ["five minutes after the first query", PROVEN_AT, PROVEN_AT + 5 * MINUTE, "failed"],
  ])(
    "a second query proves a submission's absence only ten minutes after the request and five after the first query: %s",
    async (_, first, second, state) => {
      const record = await unknown();
      world.now = first;
      await reconcile(record);
      world.now = second;
      await reconcile(await found(record.id));
      expect((await found(record.id)).state).toBe(state);
    },
  );

  it("the gateway marks a submission that two queries do not find as failed, and keeps the match fields for one more query", async () => {
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
      detail: `The insurer did not accept the submission: its outcome was unknown since ${new Date(UNKNOWN_AT).toISOString()}, and the insurer's list did not contain it in two queries after the settle time. You may submit it again, with a new Idempotency-Key if it had one.`,
    });
    expect(world.log.read()).toMatchObject([{ submissionId: record.id, state: "failed" }]);
  });

  it.each([
    ["corrects the failure if the list has the application", [item()], "succeeded"],
    ["deletes the match fields if the list is still empty", [], "failed"],
  ])(
    "the query seven hours after a submission's outcome became unknown %s",
    async (_, listed, state) => {
      const record = await missed(await unknown());
      world.now = PROVEN_AT;
      await reconcile(record);
      world.now = UNKNOWN_AT + 7 * HOUR;
      world.listed = listed;
      await reconcile(await found(record.id));
      expect(await found(record.id)).toMatchObject({ state, matchFields: null, nextQueryAt: null });
      const resolutions = await world.store.resolutions(record.id);
      expect(resolutions.map(({ to }) => to)).toEqual(state === "failed" ? [] : [state]);
    },
  );

  it("no query proves a submission's absence if the endpoint declares no settle time", async () => {
    const { settleAfterMs: _, ...endless } = createApplication;
    world.endpoints.set("createApplication", endless);
    const record = await unknown();
    world.now = PROVEN_AT + 365 * 24 * HOUR;
    await reconcile(record);
    expect((await found(record.id)).state).toBe("needs_review");
  });

  it("the gateway counts a query that proves nothing, and plans the next query", async () => {
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

  it("a submission needs review if the last planned query proves nothing", async () => {
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
    ["the submission has no match fields", () => unknown({ matchFields: null })],
    [
      "the submission was claimed when the endpoint had no query",
      () => unknown({}, { same: {}, sent: { params: {}, query: {} } }),
    ],
  ])(
    "a submission of unknown outcome needs review at once, without a query, if %s",
    async (_, make) => {
      const record = await make();
      expect(await reconcile(record)).toBe(true);
      expect(await found(record.id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
      expect(world.calls).toEqual([]);
      expect(world.log.read()).toEqual([
        { ...person, submissionId: record.id, caller: pseudonymOf(record.caller) },
      ]);
    },
  );
});

describe("a query that the insurer does not answer", () => {
  it("the gateway repeats an unanswered query after ten seconds, and does not count the unanswered query", async () => {
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
    "the gateway counts a failed query only if the insurer answered the query: %s, %s, counted: %s",
    async (code, attempt, isAnswered) => {
      const record = await unknown();
      world.listed = new Refusal(code, { detail: "x", ...(attempt && { attempt }) });
      expect(await reconcile(record)).toBe(isAnswered);
      expect((await found(record.id)).queries).toBe(isAnswered ? 1 : 0);
    },
  );
});

describe("queries without a result", () => {
  it("a query that is interrupted by the gateway's stop changes nothing", async () => {
    const record = await unknown();
    world.stopping.abort();
    world.listed = new Refusal("PROVIDER_TIMEOUT", { detail: "x", attempt: "failed" });
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("a query that fails because of a fault in the gateway proves nothing, and the log omits the text of the fault", async () => {
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

  it("a query fails with the store's error if the store cannot be read", async () => {
    const record = await unknown();
    const fault = new StoreUnavailableError("ECONNREFUSED", false);
    const unavailable = { ...world.store, similarSubmissions: () => Promise.reject(fault) };
    await expect(reconcile(record, { store: unavailable })).rejects.toBe(fault);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("a query decides nothing if the submission has changed since the query began", async () => {
    const record = await unknown();
    world.listed = [item()];
    await world.store.planNextQuery(record, momentAt(world.now), world.now + HOUR);
    const changed = await found(record.id);
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(changed));
    expect(world.log.read()).toEqual([]);
  });
});

it.each([
  ["a query that proves nothing", []],
  ["a query for a submission that was settled meanwhile", [item()]],
])("%s fails if the store cannot save the time of the next query", async (_, listed) => {
  const record = await unknown();
  world.listed = listed;
  const unavailable = new StoreUnavailableError("SQLITE_FULL", false);
  const store = {
    ...world.store,
    settleByQuery: async () => "not_open" as const,
    planNextQuery: () => Promise.reject(unavailable),
  };
  await expect(reconcile(record, { store })).rejects.toBe(unavailable);
});
