import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { loadConfiguration } from "../../src/configuration/load.ts";
import { Refusal } from "../../src/problems/refusal.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import {
  StoreRefusedError,
  StoreUnavailableError,
  type SubmissionStore,
} from "../../src/store/store.ts";
import { createEncryption, openStoreSecret } from "../../src/submissions/encryption.ts";
import { createIdentity, type Identity } from "../../src/submissions/identity.ts";
import { openSubmissions } from "../../src/submissions/open-submissions.ts";
import { type Submissions, submissionSegments } from "../../src/submissions/submissions.ts";
import { createUsage, type Usage } from "../../src/usage/usage.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { legible, ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import { keyNamed } from "../harness/transfer-between.ts";
import { type WrittenLog, writeLog } from "./written-log.ts";

const caller = { issuer: "https://one.example", subject: "sub broker", tenant: null, scopes: null };
const encryption = createEncryption([keyNamed("one")]);
const HOUR = 3_600_000;

let folder: ReturnType<typeof makeGatewayFolder>;
let store: SubmissionStore;
let identity: Identity;
let time: HeldTime;
let log: WrittenLog;
/** What every call of the store fails with; null while it is available. */
let fault: Error | null;
let isClosed: boolean;
/** What the start of submissions fails with, when the store is open. */
let startFault: Error | null;
/** What work waits for before it is done: a query, the reading of the connections, or a transaction of that name. */
let held: ((work: string) => Promise<void>) | undefined;
/** How often each piece of repeated work is done, in milliseconds. */
let intervals: number[];
/** How often the connections were read again. */
let refreshed: number;
/** The interval in which that is done, in milliseconds. */
let refreshedEvery: number | undefined;
/** What counts the calls of the submissions that were opened last. */
let usage: Usage;
/** How often the store was asked for anything. */
let transactions: number;
/** The connection that callers have now. */
let connection: string;
beforeEach(async () => {
  folder = makeGatewayFolder({ providers: [insurerConfiguration("d", "http://127.0.0.1:9")] });
  store = await openDirectStore({ data: folder.path, databaseUrl: undefined });
  identity = createIdentity(await openStoreSecret(store, encryption, "the test"));
  time = holdTime();
  log = writeLog();
  fault = null;
  isClosed = false;
  startFault = null;
  held = undefined;
  intervals = [];
  refreshed = 0;
  transactions = 0;
  connection = "default";
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

function routeOf(segment: string, name: "createApplication" | "searchApplications"): ProviderRoute {
  const endpoint = name === "createApplication" ? createApplication : searchApplications;
  return { endpoint, name, segment } as unknown as ProviderRoute; // nothing is sent
}

const motor = routeOf("motor", "createApplication");
const fleet = routeOf("fleet", "createApplication");

/** Opens submissions on the store, which may be shared with other processes. */
function open(shared = false): Promise<Submissions> {
  const opened: SubmissionStore = {
    ...store,
    shared,
    async find(id) {
      if (fault !== null) throw fault;
      return store.find(id);
    },
    async findByKey(digest) {
      if (fault !== null) throw fault;
      return store.findByKey(digest);
    },
    async bringForward(...parameters) {
      if (startFault !== null) throw startFault;
      return store.bringForward(...parameters);
    },
    async close() {
      await held?.("close");
      isClosed = true;
    },
  };
  usage = createUsage({
    timeZone: "Europe/Athens",
    time,
    quotasOf: () => ({}),
    refused: () => undefined,
    isMaintained: () => false,
  });
  const refresh = async (): Promise<void> => {
    refreshed += 1;
    await held?.("refresh");
  };
  const routes = [motor, fleet, routeOf("reading", "searchApplications")].map((route) => ({
    method: "POST" as const,
    path: `/${route.segment}`,
    route,
  }));
  return openSubmissions({
    configuration: loadConfiguration({}, folder.path),
    async openStore() {
      if (fault !== null) throw fault;
      await held?.("openStore");
      return counting({
        ...opened,
        async expireLeases(...parameters) {
          await held?.("expireLeases");
          return store.expireLeases(...parameters);
        },
        async openConnections() {
          await held?.("openConnections");
          return store.openConnections();
        },
        async addCounts(...parameters) {
          await held?.("addCounts");
          return store.addCounts(...parameters);
        },
      });
    },
    encryption,
    tenants: { find: () => connection },
    connections: { has: () => false, opened: async () => held?.("opened"), refresh },
    maintenance: { current: () => null },
    usage,
    segments: submissionSegments(routes),
    async withRoutes(work) {
      await held?.("query");
      return work(routes);
    },
    queriesPerSecond: () => 5,
    time: {
      ...time,
      every(milliseconds, work) {
        intervals.push(milliseconds);
        return time.every(milliseconds, async () => {
          const before = refreshed;
          await work();
          if (refreshed > before) refreshedEvery = milliseconds;
        });
      },
    },
    logger: log.logger,
  });
}

/** Has one kind of work wait until it is ended. */
function hold(name: string): { readonly begun: Promise<void>; readonly end: () => void } {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  held = async (work) => {
    if (work !== name) return;
    begun.resolve();
    await end.promise;
  };
  return { begun: begun.promise, end: end.resolve };
}

/** The same store, whose transactions are counted. */
function counting(counted: SubmissionStore): SubmissionStore {
  return new Proxy(counted, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value === "function") transactions += 1;
      return value;
    },
  });
}

/** Stores a submission of the caller with a key, in flight until an hour from now. */
async function claim(
  key: string,
  more: Parameters<typeof sampleSubmission>[0] = {},
): Promise<string> {
  const submission = sampleSubmission({
    caller: identity.caller(caller),
    keyDigest: identity.key({ caller, provider: "provider-d", endpoint: "createApplication" }, key),
    receivedAt: time.now(),
    leaseUntil: time.now() + HOUR,
    keyId: encryption.keyId,
    ...more,
  });
  await store.claim(submission, ONCE);
  return submission.id;
}

/** Stores one whose outcome is unknown, and whose next query is due in an hour. */
async function claimUnknown(key: string): Promise<string> {
  const id = await claim(key);
  await store.markUnknown(id, time.now(), time.now() + HOUR);
  return id;
}

async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const refusal = await answer.then(
    (value) => value,
    (error: unknown) => error,
  );
  return refusal instanceof Refusal ? refusal : expect.fail("It was answered");
}

async function nextQueryIn(id: string): Promise<number | null> {
  await setImmediate();
  const at = (await store.find(id))?.nextQueryAt ?? null;
  return at === null ? null : at - time.now();
}

const refused = new Refusal("RATE_LIMITED", { detail: "Wait." });

describe("submissions that are opened", () => {
  it("end what was in flight where no other process can be sending it", async () => {
    const id = await claim("a");
    const submissions = await open();
    expect(await store.find(id)).toMatchObject({
      state: "outcome_unknown",
      unknownAt: time.now(),
      nextQueryAt: time.now(),
    });
    await submissions.stop();
  });

  it("leave what is in flight to other processes of a shared store, until its lease is over", async () => {
    const id = await claim("a");
    const submissions = await open(true);
    expect((await store.find(id))?.state).toBe("in_flight");
    await submissions.stop();
  });

  it("make the queries of every segment due that has submissions", async () => {
    const [one, other] = [await claimUnknown("a"), await claim("b", { segment: "fleet" })];
    await store.markUnknown(other, time.now(), time.now() + HOUR);
    const elsewhere = await claim("c", { segment: "reading" });
    await store.markUnknown(elsewhere, time.now(), time.now() + HOUR);
    const submissions = await open();
    expect(await Promise.all([one, other, elsewhere].map(nextQueryIn))).toEqual([0, 0, HOUR]);
    await submissions.stop();
    expect(isClosed).toBe(true);
  });

  it("close the store again when they cannot be used", async () => {
    const wrong = createEncryption([{ ...keyNamed("x"), id: "one" }]);
    await store.putSecret(
      "digests",
      { keyId: "one", encrypted: wrong.encrypt(Buffer.alloc(32), "digests") },
      "one",
    );
    await expect(open()).rejects.toThrow(ConfigurationError);
    expect(isClosed).toBe(true);
  });

  it("close the store again when they cannot be started", async () => {
    startFault = new TypeError("not so");
    await expect(open()).rejects.toBe(startFault);
    expect(isClosed).toBe(true);
  });

  it("close the store only when the queries that are under way have ended", async () => {
    await claimUnknown("a");
    const { begun, end } = hold("query");
    const submissions = await open();
    const ticked = time.tick();
    await begun;
    const stopped = submissions.stop();
    await setImmediate();
    expect(isClosed).toBe(false);
    end();
    await Promise.all([ticked, stopped]);
    expect(isClosed).toBe(true);
  });

  it.each([
    ["the connections that are being read have been read", "refresh", true],
    ["the leases that are being ended have been", "expireLeases", true],
    ["the calls that were counted are written", "addCounts", false],
  ])("close the store only when %s", async (_, name, isScheduled) => {
    const submissions = await open(true);
    // Counted, and written by a timer or at the end.
    const endpoint = {
      segment: "motor",
      endpoint: "createApplication",
      kind: "submission",
    } as const;
    usage.observation.heldBack(endpoint, "breaker");
    const { begun, end } = hold(name);
    const ticked = isScheduled ? time.tick() : undefined;
    if (isScheduled) await begun;
    const stopped = submissions.stop();
    await begun;
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    expect(isClosed).toBe(false);
    end();
    await Promise.all([ticked, stopped]);
    expect(isClosed).toBe(true);
  });

  it.each([
    ["the connections know the store", "opened"],
    ["no submission lacks its connection", "openConnections"],
  ])("start nothing before %s", async (_, name) => {
    const { begun, end } = hold(name);
    const opening = open();
    await begun;
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    expect(intervals).toEqual([]);
    end();
    await (await opening).stop();
  });

  it.each([
    ["they are stopped", false],
    ["they cannot be started", true],
  ])("have closed the store when %s", async (_, fails) => {
    const { begun, end } = hold("close");
    if (fails) startFault = new TypeError("not so");
    let isEnded = false;
    const ended = open()
      .then((submissions) => submissions.stop())
      .catch((error: unknown) => expect(error).toBe(startFault))
      .then(() => {
        isEnded = true;
      });
    await begun;
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    expect(isEnded).toBe(false);
    end();
    await ended;
  });

  it("stop what is opened while they are stopped", async () => {
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await open();
    fault = null;
    const { begun, end } = hold("openStore");
    const ticked = time.tick();
    await begun;
    const stopped = submissions.stop();
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    end();
    await Promise.all([ticked, stopped]);
    expect(isClosed).toBe(true);
  });

  it("know every second of the connections that a command has changed", async () => {
    const submissions = await open();
    expect(refreshed).toBe(0);
    for (const times of [1, 2]) {
      await time.tick();
      expect(refreshed).toBe(times);
    }
    expect(refreshedEvery).toBe(1_000);
    await submissions.stop();
  });

  it("write what was counted before a stop, and ask the store for nothing after it", async () => {
    const submissions = await open();
    const place = { connection: "default", segment: "motor" };
    await usage.quotas.admit({ ...place, endpoint: "createApplication", kind: "submission" });
    await submissions.stop();
    expect(usage.unwritten()).toBe(0);
    const before = transactions;
    for (let times = 0; times < 3; times++) {
      time.forward(HOUR);
      await time.tick();
    }
    expect([transactions - before, refreshed]).toEqual([0, 0]);
  });

  it("wait for a store that cannot be reached, and refuse until then", async () => {
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await open();
    const { id } = sampleSubmission();
    const unreachable = "the store cannot be reached; submissions are refused until it can";
    expect(log.read()).toEqual([{ level: 50, detail: "ECONNREFUSED", msg: unreachable }]);
    expect((await refusalOf(submissions.status(caller, id))).code).toBe("STORE_UNAVAILABLE");
    expect((await refusalOf(submissions.countUnknown())).code).toBe("STORE_UNAVAILABLE");
    const unread = await submissions.refused(refused, {
      route: motor,
      caller,
      connection: "default",
      key: "a",
    });
    expect(unread).toMatchObject({ facts: { outcome: "unknown", retry: "same_key" } });
    expect(submissions.pseudonym(caller)).toBeNull();
    submissions.insurerRecovered("motor", null);
    expect(intervals).toEqual([1_000]);
    await time.tick();
    expect(log.read()).toEqual([]);
    fault = null;
    await time.tick();
    const reached = "the store can be reached again; submissions are accepted";
    expect(log.read()).toEqual([{ level: 30, msg: reached }]);
    expect(submissions.pseudonym(caller)).toBe(identity.pseudonym(caller));
    expect(await submissions.status(caller, await claim("a"))).toMatchObject({
      state: "in_flight",
    });
    await submissions.stop();
  });

  it("report a fault that only a person can correct when they try again, and refuse", async () => {
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await open();
    log.read();
    fault = new StoreRefusedError("A newer gateway wrote it.");
    await time.tick();
    const unusable = "the store cannot be used; start the gateway again to see why";
    expect(log.read()).toEqual([{ level: 50, failure: "StoreRefusedError", msg: unusable }]);
    expect((await refusalOf(submissions.countUnknown())).code).toBe("STORE_UNAVAILABLE");
    await submissions.stop();
  });

  it("do not try again after a stop", async () => {
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await open();
    await submissions.stop();
    fault = null;
    log.read();
    await time.tick();
    expect(log.read()).toEqual([]);
  });
});

describe("the state of a submission", () => {
  it("is its caller's alone, and a question brings its query forward", async () => {
    const submissions = await open();
    const id = await claimUnknown("a");
    const others = [
      { ...caller, issuer: "https://two.example" },
      { ...caller, subject: "sub other" },
    ];
    for (const other of others)
      expect((await refusalOf(submissions.status(other, id))).code).toBe("SUBMISSION_NOT_FOUND");
    for (const none of [randomUUID(), "x", id.toUpperCase()])
      expect((await refusalOf(submissions.status(caller, none))).code).toBe("SUBMISSION_NOT_FOUND");
    expect(await nextQueryIn(id), "nobody of them asked").toBe(HOUR);
    expect(await submissions.status(caller, id)).toMatchObject({ submissionId: id });
    expect(await nextQueryIn(id)).toBe(0);
    const running = await claim("b");
    const before = transactions;
    await submissions.status(caller, running);
    expect(transactions - before, "it is only read").toBe(1);
    expect(await nextQueryIn(running)).toBeNull();
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    expect((await refusalOf(submissions.status(caller, id))).code).toBe("STORE_UNAVAILABLE");
    fault = new TypeError("a fault of our own");
    await expect(submissions.status(caller, id)).rejects.toBe(fault);
    await submissions.stop();
  });
});

it("the state of a submission is not for another tenant of its caller, nor for a token without its scope", async () => {
  const submissions = await open();
  const id = await claim("a");
  const withScopes = (scopes: readonly string[]): Promise<unknown> =>
    submissions.status({ ...caller, scopes }, id);
  expect(await withScopes(["motor:submission"])).toMatchObject({ submissionId: id });
  expect((await refusalOf(withScopes(["fleet:*"]))).code).toBe("FORBIDDEN");
  connection = "north";
  expect((await refusalOf(submissions.status(caller, id))).code).toBe("SUBMISSION_NOT_FOUND");
  await submissions.stop();
});

it("the queries of an insurer that answers again are made at once, at no other segment", async () => {
  const submissions = await open();
  const id = await claimUnknown("a");
  await time.tick();
  expect((await store.find(id))?.state).toBe("outcome_unknown");
  submissions.insurerRecovered("motor", null);
  log.read();
  await time.tick();
  // Its search is served at another segment alone.
  const msg = "a submission needs manual review";
  expect(log.read()).toEqual([{ level: 50, submissionId: id, msg }]);
  await submissions.stop();
});

describe("a request with a key that is refused", () => {
  it("gets the state of the key's submission, whose query is brought forward", async () => {
    const submissions = await open();
    const id = await claimUnknown("a");
    const answer = await submissions.refused(refused, {
      route: motor,
      caller,
      connection: "default",
      key: "a",
    });
    expect(answer).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      details: { reconciliation: { href: `/submissions/${id}` } },
    });
    expect(await nextQueryIn(id)).toBe(0);
    const running = await claim("b");
    expect(
      await submissions.refused(refused, { route: motor, caller, connection: "default", key: "b" }),
    ).toMatchObject({
      code: "SUBMISSION_IN_PROGRESS",
    });
    await store.settle(sampleSettlement(running, { keyId: "unknown" }));
    expect(
      await submissions.refused(refused, { route: motor, caller, connection: "default", key: "b" }),
    ).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
    });
    await submissions.stop();
  });

  it("is refused as it was where the key has none, and for the key at another segment", async () => {
    const submissions = await open();
    const id = await claimUnknown("a");
    const before = legible(await store.find(id));
    const ask = (more: object): ReturnType<Submissions["refused"]> =>
      submissions.refused(refused, {
        route: motor,
        caller,
        connection: "default",
        key: "a",
        ...more,
      });
    for (const more of [{ key: "b" }, { caller: { ...caller, subject: "sub other" } }])
      expect(await ask(more)).toBe(refused);
    expect(await ask({ route: fleet })).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    fault = new StoreUnavailableError("ECONNREFUSED", false);
    expect(await ask({})).toMatchObject({
      code: "RATE_LIMITED",
      facts: { outcome: "unknown", retry: "same_key" },
    });
    fault = new TypeError("a fault of our own");
    await expect(ask({})).rejects.toBe(fault);
    fault = null;
    expect(legible(await store.find(id))).toEqual(before);
    await submissions.stop();
  });
});

it("unknown outcomes are counted by segment", async () => {
  const submissions = await open();
  for (const key of ["a", "b"]) await claimUnknown(key);
  const other = await claim("c", { segment: "fleet" });
  await store.markUnknown(other, time.now(), null);
  expect([...(await submissions.countUnknown())]).toEqual([
    ["fleet", 1],
    ["motor", 2],
  ]);
  await submissions.stop();
});
