import { setImmediate } from "node:timers/promises";
import { createApplication } from "@insurance-gateway/provider-d";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { createUsage } from "../../src/accounts/usage/account-usage.ts";
import { loadConfiguration } from "../../src/configuration/load.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createDigests } from "../../src/submissions/identity.ts";
import { type Submissions, startSubmissions } from "../../src/submissions/submissions.ts";
import { applicationBody } from "../harness/applications.ts";
import { openMemoryStore } from "../harness/direct-store.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { keyNamed } from "../harness/key-named.ts";
import { clockAt } from "../harness/store-samples.ts";
import { acceptedAs } from "./one-submission.ts";
import { writeLog } from "./written-log.ts";

/** The gateway's submissions, with a store and an insurer that the test controls. */
interface StoppedWorld {
  readonly store: SubmissionStore;
  readonly submissions: Submissions;
  /** Calls of the store's `settle` and `close`, in the order in which they began. */
  readonly steps: readonly string[];
  /** Function that runs before the store settles a submission. */
  settling: () => Promise<void>;
  /** Sends a submission to an insurer that answers with the result of `answer`. */
  submit(answer: () => Promise<UpstreamAnswer>): Promise<UpstreamAnswer>;
}

async function start(): Promise<StoppedWorld> {
  const folder = makeGatewayFolder({
    providers: [insurerConfiguration("d", "http://127.0.0.1:9")],
  });
  const store = await openMemoryStore();
  onTestFinished(async () => {
    await store.close();
    folder.remove();
  });
  const steps: string[] = [];
  const time = holdTime();
  const opened: SubmissionStore = {
    ...store,
    async settle(settlement) {
      steps.push("settle");
      await world.settling();
      return store.settle(settlement);
    },
    async close() {
      steps.push("close");
    },
  };
  const quotasOf = (): object => ({});
  const parts = {
    configuration: loadConfiguration({}, folder.path),
    openStore: async () => opened,
    encryption: createEncryption([keyNamed("one")]),
    segments: ["motor"],
    withRoutes: <T>(work: (routes: readonly []) => Promise<T>) => work([]),
    queriesPerSecond: () => 5,
    tenants: { owns: () => true },
    accounts: { has: () => true, opened: async () => {}, refresh: async () => {} },
    maintenance: { current: () => null },
    observation: { answerMismatched: () => {} },
    usage: createUsage({
      timeZone: "Europe/Athens",
      time,
      quotasOf,
      refused: () => undefined,
      isMaintained: () => false,
    }),
    time,
    logger: writeLog().logger,
  };
  const submissions = await startSubmissions(
    parts,
    opened,
    createDigests(new Uint8Array(32)),
    clockAt(() => time.now()),
  );
  const world: StoppedWorld = {
    store,
    submissions,
    steps,
    settling: async () => {},
    submit(call) {
      const route = {
        endpoint: createApplication,
        name: "createApplication",
        segment: "motor",
        unique: "provider",
        submissionMs: 20_000,
        upstream: { sandbox: false, call },
      } as unknown as ProviderRoute; // the gateway uses no other parts
      return submissions.submit(route, {
        caller: { issuer: "i", subject: "sub one", tenant: null, scopes: null },
        key: { key: "key", isGenerated: false },
        waitMs: null,
        account: "default",
        input: { params: {}, query: {}, headers: {}, body: applicationBody() },
        origin: { requestId: "r", traceHeaders: {}, scenario: undefined, waited: () => {} },
      });
    },
  };
  return world;
}

/** Returns the states of all stored submissions. */
async function states({ store }: StoppedWorld): Promise<readonly string[]> {
  const all = ["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"] as const;
  return (await store.list(all, 100)).map(({ state }) => state);
}

/** Waits for some turns of the event loop, in which other tasks run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

const unavailable = new StoreUnavailableError("SQLITE_FULL", false);

it("a stopping gateway waits for submissions in flight and stores their results before it closes the store", async () => {
  const world = await start();
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const submitted = world.submit(async () => {
    begun.resolve();
    await answered.promise;
    return acceptedAs("D-1");
  });
  await begun.promise;
  let isStopped = false;
  const stopped = world.submissions.stop().then(() => {
    isStopped = true;
  });
  await turns();
  expect([world.steps, isStopped]).toEqual([[], false]);
  answered.resolve();
  expect((await submitted).status).toBe(201);
  await stopped;
  expect(world.steps).toEqual(["settle", "close"]);
  expect(await states(world)).toEqual(["succeeded"]);
});

it("a stopping gateway waits for a submission in flight even if the sending of the submission fails", async () => {
  const world = await start();
  const answered = Promise.withResolvers<UpstreamAnswer>();
  const submitted = world.submit(() => answered.promise);
  await turns();
  const stopped = world.submissions.stop();
  answered.reject(new TypeError("a fault of our own"));
  await expect(submitted).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  await stopped;
  expect(world.steps).toEqual(["close"]);
  expect(await states(world)).toEqual(["outcome_unknown"]);
});

it("a stopping gateway repeats failed writes before it closes the store", async () => {
  const world = await start();
  world.settling = () => Promise.reject(unavailable);
  await expect(world.submit(async () => acceptedAs("D-1"))).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
  });
  const written = Promise.withResolvers<void>();
  world.settling = () => written.promise;
  const stopped = world.submissions.stop();
  await turns();
  expect(world.steps).toEqual(["settle", "settle"]);
  written.resolve();
  await stopped;
  expect(world.steps).toEqual(["settle", "settle", "close"]);
  expect(await states(world)).toEqual(["succeeded"]);
});

it.each([
  ["the store stays unavailable", unavailable, "stopped"],
  [
    "a write fails because of a fault, which the gateway reports",
    new TypeError("a fault"),
    "TypeError: a fault",
  ],
])("a stopping gateway closes the store even if %s", async (_, fault, result) => {
  const world = await start();
  world.settling = () => Promise.reject(unavailable);
  await world.submit(async () => acceptedAs("D-1")).catch(() => undefined);
  world.settling = () => Promise.reject(fault);
  expect(await world.submissions.stop().then(() => "stopped", String)).toBe(result);
  expect(world.steps).toEqual(["settle", "settle", "close"]);
});
