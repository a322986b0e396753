import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Endpoint, none } from "@insurance-gateway/core/contract";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../src/problems/refusal.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import type { SubmissionRecord, SubmissionState } from "../../src/store/record.ts";
import { StoreUnavailableError, type SubmissionStore } from "../../src/store/store.ts";
import { createEncryption } from "../../src/submissions/encryption.ts";
import { encryptMatchFields, matchFieldsOf } from "../../src/submissions/match.ts";
import { createReconcile, type ReconcileParts } from "../../src/submissions/reconcile.ts";
import { decryptAnswer, type StoredAnswer } from "../../src/submissions/stored-answer.ts";
import type { UpstreamAnswer } from "../../src/upstream/answer.ts";
import type { UpstreamCall } from "../../src/upstream/attempt.ts";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import {
  legible,
  ONCE,
  RECEIVED_AT,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";
import { keyNamed } from "../harness/transfer-between.ts";
import { type WrittenLog, writeLog } from "./written-log.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** When the outcome became unknown. */
const UNKNOWN_AT = RECEIVED_AT + 45 * SECOND;
const settleAfterMs = createApplication.settleAfterMs ?? 0;
/** From then on absence is a proof: the clocks of two processes are a minute apart at most. */
const PROVEN_AT = UNKNOWN_AT + settleAfterMs + MINUTE;

const encryption = createEncryption([keyNamed("one")]);
const body = applicationBody("123456789");
const fields = matchFieldsOf(createApplication, { params: {}, body }) ?? { query: {}, same: {} };

let folder: string;
let store: SubmissionStore;
let log: WrittenLog;
let now: number;
/** What the insurer lists, or how it fails. */
let listed: readonly object[] | Error;
/** What it has under the submission's own name, or how it fails; null where it cannot be asked so. */
let referred: readonly object[] | Error | null;
let calls: UpstreamCall[];
let asked: number;
let stopping: AbortController;
let endpoints: Map<string, Endpoint>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "reconcile-"));
  store = await openDirectStore({ data: folder, databaseUrl: undefined });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  log = writeLog();
  now = UNKNOWN_AT + 3 * SECOND;
  listed = [];
  referred = null;
  calls = [];
  asked = 0;
  stopping = new AbortController();
  endpoints = new Map<string, Endpoint>([
    ["createApplication", createApplication],
    ["searchApplications", searchApplications],
  ]);
});

async function search(call: UpstreamCall): Promise<UpstreamAnswer> {
  calls.push(call);
  const found = call.submissionId === null ? listed : (referred ?? []);
  if (found instanceof Error) throw found;
  const content = JSON.stringify({ items: found, start: 1, limit: 100, total: found.length });
  return { status: 200, headers: {}, content };
}

/** Queries the insurer for one submission, and gives whether it answered. */
async function reconcile(
  record: SubmissionRecord,
  more: Partial<ReconcileParts> = {},
): Promise<boolean> {
  const route = (endpoint: Endpoint): ProviderRoute =>
    ({
      endpoint,
      upstream: {
        call: (_: Endpoint, call: UpstreamCall) => search(call),
        findsByReference: () => referred !== null,
      },
    }) as unknown as ProviderRoute; // all that a query uses
  const query = createReconcile({
    store,
    encryption,
    retention: { answerMs: HOUR, digestsMs: 2 * HOUR, sameContentMs: 0 },
    basePath: "/broker",
    time: { now: () => now, elapsed: () => now, every: () => async () => {} },
    logger: log.logger,
    stopping: stopping.signal,
    findEndpoint: (segment, name) => {
      const endpoint = segment === "motor" ? endpoints.get(name) : undefined;
      return endpoint && route(endpoint);
    },
    ...more,
  });
  const mayAsk = async (): Promise<void> => {
    asked += 1;
  };
  return (await query(record, { mayAsk, probe: true })) === "answered";
}

/** A submission whose outcome is unknown, as it is stored. */
async function unknown(
  more: Parameters<typeof sampleSubmission>[0] = {},
): Promise<SubmissionRecord> {
  const { id } = sampleSubmission();
  const matchFields = encryptMatchFields(encryption, id, fields);
  const submission = sampleSubmission({ id, matchFields, keyId: "one", ...more });
  await store.claim(submission, ONCE);
  await store.markUnknown(id, UNKNOWN_AT, UNKNOWN_AT + 2 * SECOND);
  return found(id);
}

async function found(id: string): Promise<SubmissionRecord> {
  return (await store.find(id)) ?? expect.fail("It is not there");
}

function storedIn(record: SubmissionRecord): StoredAnswer {
  const { answer, id, keyId } = record;
  return decryptAnswer(encryption, id, answer ?? new Uint8Array(), keyId ?? "");
}

let count = 0;
/** The application as the insurer lists it. */
function item(more: object = {}): { readonly applicationId: string } {
  count += 1;
  const at = new Date(RECEIVED_AT + SECOND).toISOString();
  const added = { applicationId: `R-${count}`, createdAt: at, updatedAt: at };
  return { ...listedApplication(body, added), ...more };
}

const otherVehicle = { vehicle: { plateNumber: "XXX-9999" } };

describe("a query that finds the application", () => {
  it("gives it as the answer that it would have been", async () => {
    const record = await unknown();
    const one = item();
    listed = [item(otherVehicle), one];
    expect(await reconcile(record)).toBe(true);
    const settled = await found(record.id);
    expect(settled).toMatchObject({
      state: "succeeded",
      insurerId: one.applicationId,
      updatedAt: now,
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
    expect(log.read()).toEqual([
      {
        level: 30,
        submissionId: record.id,
        state: "succeeded",
        msg: "reconciliation settled a submission",
      },
    ]);
  });

  it("searches for the customer, under the submission's name, as the schedule says", async () => {
    const record = await unknown({ connection: "north" });
    await reconcile(record);
    expect(asked).toBe(1);
    expect(calls[0]?.callerGone, "it is given up when the gateway stops").toBe(stopping.signal);
    expect(calls).toMatchObject([
      {
        requestId: record.id,
        submissionId: null,
        connection: "north",
        once: { probe: true },
        input: { query: { clientAfm: "123456789", start: 1, limit: 100 } },
      },
    ]);
  });

  it("says only that the insurer acted when its form is not the declared one", async () => {
    const record = await unknown();
    const one = item({ status: 7 });
    listed = [one];
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
    endpoints.set("createApplication", { ...createApplication, response });
    const record = await unknown();
    listed = [item()];
    await reconcile(record);
    expect(storedIn(await found(record.id)).status).toBe(201);
  });

  it.each([
    ["RECEIVED", false],
    ["DECLINED", true],
  ])("with the status %s leaves the same content to be sent: %s", async (status, isFree) => {
    const record = await unknown();
    listed = [item({ status })];
    await reconcile(record);
    const { caller, contentDigest } = record;
    const again = sampleSubmission({ caller, contentDigest, keyDigest: null });
    expect((await store.claim(again, ONCE)).claimed).toBe(isFree);
  });

  it("counts from its arrival, not from its last change", async () => {
    const record = await unknown({ receivedAt: UNKNOWN_AT - 40 * MINUTE });
    listed = [item({ createdAt: new Date(UNKNOWN_AT - 39 * MINUTE).toISOString() })];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("succeeded");
  });
});

describe("a query that does not find it", () => {
  it.each([
    [PROVEN_AT - 1, "outcome_unknown"],
    [PROVEN_AT, "failed"],
  ])("at %s leaves it %s", async (at, state) => {
    const record = await unknown();
    now = at;
    expect(await reconcile(record)).toBe(true);
    const after = await found(record.id);
    expect(after).toMatchObject({ state, insurerId: null });
    if (state !== "failed") return;
    const { content, status } = storedIn(after);
    expect(status).toBe(422);
    expect(JSON.parse(content)).toMatchObject({
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      requestId: record.id,
      detail: `The insurer did not take it: its outcome was unknown since ${new Date(UNKNOWN_AT).toISOString()}, the insurer's list was read after the time that the insurer needs, and it is not there. It may be submitted again; if it had an Idempotency-Key, with a new one.`,
    });
    expect(log.read()).toMatchObject([{ submissionId: record.id, state: "failed" }]);
  });

  it("never proves anything for an endpoint that does not say how long its insurer needs", async () => {
    const { settleAfterMs: _, ...endless } = createApplication;
    endpoints.set("createApplication", endless);
    const record = await unknown();
    now = PROVEN_AT + 365 * 24 * HOUR;
    await reconcile(record);
    expect((await found(record.id)).state).toBe("needs_review");
  });

  it("plans the next one by when the outcome became unknown, and counts", async () => {
    const record = await unknown();
    listed = [item(otherVehicle)];
    now = UNKNOWN_AT + 31 * SECOND;
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({
      state: "outcome_unknown",
      queries: 1,
      updatedAt: now,
      nextQueryAt: UNKNOWN_AT + 32 * SECOND,
    });
    expect(log.read()).toEqual([]);
  });

  const person = { level: 50, msg: "a submission needs manual review" };

  it("leaves it to a person when it was the last", async () => {
    const record = await unknown();
    listed = [item(otherVehicle)];
    now = UNKNOWN_AT + 31 * HOUR;
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
    expect(log.read()).toEqual([{ ...person, submissionId: record.id }]);
  });

  it.each<[string, () => Promise<SubmissionRecord>]>([
    [
      "the endpoint is not served any more",
      async () => {
        endpoints.delete("createApplication");
        return unknown();
      },
    ],
    [
      "the search is not served any more",
      async () => {
        endpoints.delete("searchApplications");
        return unknown();
      },
    ],
    ["the segment is not served any more", () => unknown({ segment: "travel" })],
    [
      "the endpoint has no query any more",
      async () => {
        const { reconcile: _, ...without } = createApplication;
        endpoints.set("createApplication", without);
        return unknown();
      },
    ],
    ["it has no match fields", () => unknown({ matchFields: null })],
  ])("because %s leaves it to a person at once", async (_, make) => {
    const record = await make();
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "needs_review", nextQueryAt: null });
    expect(calls).toEqual([]);
    expect(log.read()).toEqual([{ ...person, submissionId: record.id }]);
  });
});

describe("a query that the insurer does not answer", () => {
  it("lets others go first for ten seconds, and is not counted", async () => {
    const record = await unknown();
    listed = new Refusal("PROVIDER_UNREACHABLE", { detail: "x", attempt: "failed" });
    expect(await reconcile(record)).toBe(false);
    expect(legible(await found(record.id))).toEqual(
      legible({ ...record, nextQueryAt: now + 10 * SECOND }),
    );
    expect(await store.bringForwardOne(record.id, now + SECOND, now - 1), "it was made now").toBe(
      false,
    );
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
      listed = new Refusal(code, { detail: "x", ...(attempt && { attempt }) });
      expect(await reconcile(record)).toBe(isAnswered);
      expect((await found(record.id)).queries).toBe(isAnswered ? 1 : 0);
    },
  );
});

describe("a query that", () => {
  it("the end of the process cuts off changes nothing", async () => {
    const record = await unknown();
    stopping.abort();
    listed = new Refusal("PROVIDER_TIMEOUT", { detail: "x", attempt: "failed" });
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("fails by a fault of the gateway's own proves nothing, and is reported without its words", async () => {
    const record = await unknown();
    listed = new RangeError("a value");
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({ state: "outcome_unknown", queries: 1 });
    expect(log.read()).toEqual([
      {
        level: 50,
        submissionId: record.id,
        failure: "RangeError",
        msg: "a reconciliation query failed",
      },
    ]);
  });

  it("cannot read the store fails with it", async () => {
    const record = await unknown();
    const fault = new StoreUnavailableError("ECONNREFUSED", false);
    const away = { ...store, competitors: () => Promise.reject(fault) };
    await expect(reconcile(record, { store: away })).rejects.toBe(fault);
    expect(legible(await found(record.id))).toEqual(legible(record));
  });

  it("was made for an older state decides nothing", async () => {
    const record = await unknown();
    listed = [item()];
    await store.postpone(record, now, now + HOUR);
    const changed = await found(record.id);
    expect(await reconcile(record)).toBe(true);
    expect(legible(await found(record.id))).toEqual(legible(changed));
    expect(log.read()).toEqual([]);
  });
});

describe("a query by the submission's own name", () => {
  it("that finds it is the only one, although an equal one is open", async () => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    const one = item();
    referred = [one];
    expect(await reconcile(record)).toBe(true);
    expect(await found(record.id)).toMatchObject({
      state: "succeeded",
      insurerId: one.applicationId,
    });
    expect(calls.map(({ submissionId }) => submissionId)).toEqual([record.id]);
    expect(asked).toBe(1);
  });

  it.each<[string, readonly object[] | Error, SubmissionState, number]>([
    ["without an answer", new Refusal("PROVIDER_TIMEOUT", { detail: "x" }), "outcome_unknown", 1],
    ["that is refused", new Refusal("PROVIDER_AUTH_FAILED", { detail: "x" }), "outcome_unknown", 1],
    [
      "with an answer that cannot be used",
      new Refusal("PROVIDER_BAD_RESPONSE", { detail: "x", attempt: "unusable" }),
      "failed",
      2,
    ],
    ["that finds nothing", [], "failed", 2],
    ["that finds two", [item(), item()], "failed", 2],
    ["that finds something else", [item(otherVehicle)], "failed", 2],
  ])("%s proves nothing; the list does", async (_, answer, state, queries) => {
    const record = await unknown();
    referred = answer;
    now = PROVEN_AT;
    expect(await reconcile(record)).toBe(queries === 2);
    expect(await found(record.id)).toMatchObject({ state, queries: 0 });
    expect(calls).toHaveLength(queries);
  });
});

describe("what is known of other submissions", () => {
  /** Has another submission own an identifier. */
  async function own(insurerId: string, more: Parameters<typeof unknown>[0] = {}): Promise<void> {
    const { id } = await unknown(more);
    await store.settle(sampleSettlement(id, { insurerId }));
  }

  const at = UNKNOWN_AT + 3 * SECOND;
  it.each<[string, object, boolean, number, SubmissionState]>([
    ["of this segment and the same match fields is not this one", {}, true, at, "outcome_unknown"],
    ["of this segment and the same match fields proves absence", {}, true, PROVEN_AT, "failed"],
    ["of this segment and others is contested", {}, false, at, "outcome_unknown"],
    ["of this segment and others proves no absence", {}, false, PROVEN_AT, "outcome_unknown"],
    ["of another segment may be this one", { segment: "travel" }, true, at, "outcome_unknown"],
    [
      "of another segment proves no absence",
      { segment: "travel" },
      true,
      PROVEN_AT,
      "outcome_unknown",
    ],
    ["of a change says nothing", { creates: false }, true, at, "succeeded"],
    [
      "of another provider says nothing",
      { provider: "provider-e", segment: "travel" },
      true,
      at,
      "succeeded",
    ],
  ])("%s", async (_, more, isAlike, when, state) => {
    const record = await unknown();
    const one = item();
    const alike = isAlike ? { matchDigest: record.matchDigest } : {};
    await own(one.applicationId, { ...more, ...alike });
    listed = [one];
    now = when;
    await reconcile(record);
    expect((await found(record.id)).state).toBe(state);
  });

  it("says nothing of a change, which belongs to what another submission created", async () => {
    const record = await unknown({ creates: false });
    const one = item();
    await own(one.applicationId);
    listed = [one];
    await reconcile(record);
    expect(await found(record.id)).toMatchObject({
      state: "succeeded",
      insurerId: one.applicationId,
    });
  });

  it.each([
    ["of unknown outcome", 1, "outcome_unknown"],
    ["of unknown outcome, with one item for each", 2, "succeeded"],
  ])("waits while an equal one is %s", async (_, items, state) => {
    const record = await unknown();
    await unknown({ matchDigest: record.matchDigest });
    listed = Array.from({ length: items }, () => item());
    await reconcile(record);
    expect((await found(record.id)).state).toBe(state);
  });

  it("waits while an equal one is in flight", async () => {
    const record = await unknown();
    const { matchDigest } = record;
    await store.claim(sampleSubmission({ matchDigest }), ONCE);
    listed = [item(), item()];
    await reconcile(record);
    expect((await found(record.id)).state).toBe("outcome_unknown");
  });
});
