import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect } from "vitest";
import { createUsage, type Usage } from "../../src/accounts/usage/account-usage.ts";
import { loadConfiguration } from "../../src/configuration/load.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption, openStoreSecret } from "../../src/store/encryption.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createDigests, type SubmissionDigests } from "../../src/submissions/identity.ts";
import { openSubmissions } from "../../src/submissions/open-submissions.ts";
import { type Submissions, submissionSegments } from "../../src/submissions/submissions.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { keyNamed } from "../harness/key-named.ts";
import { momentAt, ONCE, sampleSubmission } from "../harness/store-samples.ts";
import { type TestLog, writeLog } from "./written-log.ts";

/** The caller of every submission that the world stores. */
export const caller = {
  issuer: "https://one.example",
  subject: "sub broker",
  tenant: null,
  scopes: null,
};
export const HOUR = 3_600_000;

export const motor: ProviderRoute = routeOf("motor", "createApplication");
export const fleet: ProviderRoute = routeOf("fleet", "createApplication");

function routeOf(segment: string, name: "createApplication" | "searchApplications"): ProviderRoute {
  const endpoint = name === "createApplication" ? createApplication : searchApplications;
  return { endpoint, name, segment } as unknown as ProviderRoute; // the tests send nothing
}

/** The gateway's submissions, with a store whose work a test can delay or let fail, and a clock that the test moves. */
export interface SubmissionsWorld {
  readonly store: SubmissionStore;
  readonly identity: SubmissionDigests;
  readonly time: HeldTime;
  readonly log: TestLog;
  /** Error of every opening of the store and of every search for a submission; null while the store is available. */
  fault: Error | null;
  /** Error that the start of the submissions throws after the store is open; null for none. */
  startFault: Error | null;
  /** Account of all callers. */
  account: string;
  readonly isClosed: boolean;
  /** Intervals of the scheduled tasks, in milliseconds. */
  readonly intervals: readonly number[];
  /** Number of times that the accounts were read again. */
  readonly refreshed: number;
  /** Interval in which the accounts are read again, in milliseconds. */
  readonly refreshedEvery: number | undefined;
  /** The usage counter of the submissions that `open` opened last. */
  readonly usage: Usage;
  /** Number of calls to the store. */
  readonly transactions: number;
  /** Opens the gateway's submissions on the store. `shared` is true if other processes use the same store. */
  readonly open: (shared?: boolean) => Promise<Submissions>;
  /**
   * Makes one kind of work wait until the test calls `end`: a query, the reading of the accounts, or the store's method
   * `name`.
   */
  readonly hold: (name: string) => { readonly begun: Promise<void>; readonly end: () => void };
  /** Stores a submission of the caller with a key, in flight until an hour from now. */
  readonly claim: (key: string, more?: Parameters<typeof sampleSubmission>[0]) => Promise<string>;
  /** Stores a submission of unknown outcome whose next query is due in an hour. */
  readonly claimUnknown: (key: string) => Promise<string>;
  readonly nextQueryIn: (id: string) => Promise<number | null>;
  readonly end: () => Promise<void>;
}

/** Creates the store, the clock and the log of a test. Call `end` after the test. */
export async function createWorld(): Promise<SubmissionsWorld> {
  const folder = makeGatewayFolder({
    providers: [insurerConfiguration("d", "http://127.0.0.1:9")],
  });
  const encryption = createEncryption([keyNamed("one")]);
  const store = await openDirectStore({ data: folder.path, databaseUrl: undefined });
  const identity = createDigests(await openStoreSecret(store, encryption, "the test"));
  const time = holdTime();
  time.files.add(join(folder.path, "submissions.sqlite"));
  // The store's running time begins at the clock's time.
  await store.countRunningTime(time.now(), Number.MAX_SAFE_INTEGER);
  const log = writeLog();
  const intervals: number[] = [];
  /** Function that delays work until the test continues the work; undefined for no delay. */
  let held: ((work: string) => Promise<void>) | undefined;

  /** Returns the store with the test's delays, faults and counts. */
  const opened = (shared: boolean): SubmissionStore => ({
    ...store,
    shared,
    async claim(...parameters) {
      await held?.("claim");
      return store.claim(...parameters);
    },
    async find(id) {
      if (world.fault !== null) throw world.fault;
      return store.find(id);
    },
    async findByKey(digest) {
      if (world.fault !== null) throw world.fault;
      return store.findByKey(digest);
    },
    async bringForward(...parameters) {
      if (world.startFault !== null) throw world.startFault;
      return store.bringForward(...parameters);
    },
    async expireLeases(...parameters) {
      await held?.("expireLeases");
      return store.expireLeases(...parameters);
    },
    async openAccounts() {
      await held?.("openAccounts");
      return store.openAccounts();
    },
    async addCounts(...parameters) {
      await held?.("addCounts");
      return store.addCounts(...parameters);
    },
    async close() {
      await held?.("close");
      world.isClosed = true;
    },
  });

  /** Returns the same store, and counts the calls of its methods. */
  const counting = (counted: SubmissionStore): SubmissionStore =>
    new Proxy(counted, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value === "function") world.transactions += 1;
        return value;
      },
    });

  const refresh = async (): Promise<void> => {
    world.refreshed += 1;
    await held?.("refresh");
  };
  /**
   * Records the interval of each scheduled task, and separately the interval of the task that reads the accounts again.
   */
  const every: HeldTime["every"] = (milliseconds, work) => {
    intervals.push(milliseconds);
    return time.every(milliseconds, async () => {
      const before = world.refreshed;
      await work();
      if (world.refreshed > before) world.refreshedEvery = milliseconds;
    });
  };

  function open(shared = false): Promise<Submissions> {
    world.usage = usageAt(time);
    const routes = [motor, fleet, routeOf("reading", "searchApplications")];
    return openSubmissions({
      configuration: loadConfiguration({}, folder.path),
      async openStore() {
        if (world.fault !== null) throw world.fault;
        await held?.("openStore");
        return counting(opened(shared));
      },
      encryption,
      tenants: { owns: (_, account) => account === world.account },
      accounts: { has: () => false, opened: async () => held?.("opened"), refresh },
      maintenance: { current: () => null },
      observation: { answerMismatched: () => {} },
      usage: world.usage,
      segments: submissionSegments(routes),
      async withRoutes(work) {
        await held?.("query");
        return work(routes);
      },
      queriesPerSecond: () => 5,
      time: { ...time, every },
      logger: log.logger,
    });
  }

  async function claim(
    key: string,
    more: Parameters<typeof sampleSubmission>[0] = {},
  ): Promise<string> {
    const request = { caller, provider: "provider-d", endpoint: "createApplication" };
    const submission = sampleSubmission({
      caller: identity.caller(caller),
      keyDigest: identity.key(request, key),
      receivedAt: time.now(),
      leaseUntil: time.now() + HOUR,
      keyId: encryption.keyId,
      ...more,
    });
    await store.claim(submission, ONCE);
    return submission.id;
  }

  const world: { -readonly [Name in keyof SubmissionsWorld]: SubmissionsWorld[Name] } = {
    store,
    identity,
    time,
    log,
    fault: null,
    startFault: null,
    account: "default",
    isClosed: false,
    intervals,
    refreshed: 0,
    refreshedEvery: undefined,
    usage: usageAt(time),
    transactions: 0,
    open,
    hold(name) {
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = async (work) => {
        if (work !== name) return;
        begun.resolve();
        await end.promise;
      };
      return { begun: begun.promise, end: end.resolve };
    },
    claim,
    async claimUnknown(key) {
      const id = await claim(key);
      await store.markUnknown(id, momentAt(time.now()), time.now() + HOUR);
      return id;
    },
    async nextQueryIn(id) {
      await setImmediate();
      const at = (await store.find(id))?.nextQueryAt ?? null;
      return at === null ? null : at - time.now();
    },
    async end() {
      await store.close();
      folder.remove();
    },
  };
  return world;
}

function usageAt(time: HeldTime): Usage {
  return createUsage({
    timeZone: "Europe/Athens",
    time,
    quotasOf: () => ({}),
    refused: () => undefined,
    isMaintained: () => false,
  });
}

/** Returns the refusal with which a promise rejects. Fails the test if the promise does not reject. */
export async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const refusal = await answer.then(
    (value) => value,
    (error: unknown) => error,
  );
  return refusal instanceof Refusal ? refusal : expect.fail("It was answered");
}

/** Refusal of a request before the gateway reads the request's key. */
export const refused: Refusal = new Refusal("RATE_LIMITED", { detail: "Wait." });
