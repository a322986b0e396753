import type { Endpoint } from "@insurance-gateway/core/contract";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { problemOf, Refusal } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import type { Retention } from "../../src/configuration/submission-store.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { buildSettlement } from "../../src/submissions/build-settlement.ts";
import { createDigests } from "../../src/submissions/identity.ts";
import { createRecorder, type Recorder } from "../../src/submissions/recorder.ts";
import type { StoreClock } from "../../src/submissions/store-clock.ts";
import type { SubmissionCall, SubmitParts } from "../../src/submissions/submission.ts";
import { createSubmit } from "../../src/submissions/submit.ts";
import { applicationBody } from "../harness/applications.ts";
import { openMemoryStore } from "../harness/direct-store.ts";
import { keyNamed } from "../harness/key-named.ts";
import { RECEIVED_AT } from "../harness/store-samples.ts";
import { type TestLog, writeLog } from "./written-log.ts";

/** Result of one attempt to send a submission, or a function that returns the result. */
export type Sending = UpstreamAnswer | Error | (() => Promise<UpstreamAnswer>);

/** A request for a submission. By default, all requests are equal and have the key `key`. */
export interface Asked {
  readonly key?: string | null;
  readonly subject?: string;
  readonly body?: object;
  readonly params?: Readonly<Record<string, string>>;
  readonly account?: string;
  readonly segment?: string;
}

/** The gateway's submissions from claim to conclusion, with an insurer that the test controls. */
export interface SubmitWorld {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly log: TestLog;
  /** Results of the attempts to send submissions, in order. */
  sendings: Sending[];
  /** Calls that the insurer has received. */
  readonly sent: UpstreamCall[];
  /** Ids of the open submissions that a caller requested again. */
  readonly askedAgain: string[];
  /** Settles a submission as succeeded, as if another process had found it in the insurer's list. */
  settle(id: string): Promise<unknown>;
  /** Advances the time. */
  forward(milliseconds: number): void;
  /** Sets the clock back, or forward if the number is negative. */
  setBack(milliseconds: number): void;
  /** Sends a request, and returns the caller's answer or refusal. */
  ask(asked?: Asked): Promise<UpstreamAnswer | Refusal>;
  /** Returns the states of all stored submissions, newest first. */
  states(): Promise<readonly SubmissionState[]>;
}

/** Start time of the clock. */
export const NOW: number = RECEIVED_AT;
/** Request id of every submission. */
export const REQUEST_ID = "7f1c7a52-39b1-4a1d-9d0c-3f4a1f1f2b01";
const HOUR = 3_600_000;
/** Longest time of a submission, in milliseconds. */
const SUBMISSION_MS = 20_000;

/**
 * Creates a store, an insurer and the submissions.
 * @param declared - fields of the endpoint that differ from those of `createApplication`
 * @param changes - methods that replace those of the store
 * @param quota - maximum of the account's submissions per day
 * @param kept - retention times that differ from an hour
 */
export async function startSubmitWorld(
  declared: Partial<Endpoint> = {},
  changes: (store: SubmissionStore) => Partial<SubmissionStore> = () => ({}),
  quota: number | null = null,
  kept: Partial<Retention> = {},
): Promise<SubmitWorld> {
  // The changed fields belong to the kind of `createApplication`, so the result is an endpoint.
  const endpoint = { ...createApplication, ...declared } as Endpoint;
  const opened = await openMemoryStore();
  const store = { ...opened, ...changes(opened) };
  const log = writeLog();
  let now = NOW;
  let setBack = 0;
  const clock: StoreClock = {
    now: () => ({ at: now - setBack, running: now }),
    count: async () => {},
    faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
  };
  const recorder = createRecorder(store, log.logger, clock);
  const sent: UpstreamCall[] = [];
  const askedAgain: string[] = [];
  const time: SubmitParts["time"] = {
    now: () => now - setBack,
    elapsed: () => now,
  };
  const retention = { answerMs: HOUR, digestsMs: HOUR, sameContentMs: HOUR, ...kept };
  const parts: SubmitParts = {
    clock,
    requestQuery: ({ id }) => void askedAgain.push(id),
    basePath: "/broker",
    days: { dayOf: () => "2030-01-01", offsetAt: () => 0 },
    observation: { answerMismatched: () => {} },
    encryption: createEncryption([keyNamed("current")]),
    identity: createDigests(new Uint8Array(32)),
    logger: log.logger,
    quotas: {
      submissionsPerDay: () => quota,
      submissionRefused: (_, use) =>
        new Refusal("RATE_LIMITED", { detail: `${use.used} of ${use.quota} are used.` }),
    },
    recorder,
    retention,
    store,
    time,
  };
  const submit = createSubmit(parts);
  const body = applicationBody("123456789");
  const world: SubmitWorld = {
    store,
    recorder,
    log,
    sendings: [],
    sent,
    askedAgain,
    settle(id) {
      const answer = { ...acceptedAs("D-9"), content: "found" };
      const conclusion = {
        state: "succeeded",
        insurerId: "D-9",
        unique: "provider",
        answer,
      } as const;
      return opened.settle(buildSettlement(parts, id, clock.now(), conclusion));
    },
    forward(milliseconds) {
      now += milliseconds;
    },
    setBack(milliseconds) {
      setBack += milliseconds;
    },
    async ask(asked = {}) {
      const { account = "default", key = "key", params = {}, segment = "motor" } = asked;
      const route = {
        endpoint,
        name: "createApplication",
        segment,
        unique: "provider",
        submissionMs: SUBMISSION_MS,
        upstream: {
          sandbox: false,
          async call(_: Endpoint, call: UpstreamCall) {
            sent.push(call);
            const sending = world.sendings.shift() ?? acceptedAs(`D-${sent.length}`);
            if (sending instanceof Error) throw sending;
            return typeof sending === "function" ? sending() : sending;
          },
        },
      } as unknown as ProviderRoute; // the gateway uses no other parts
      const call: SubmissionCall = {
        caller: { issuer: "i", subject: asked.subject ?? "sub one", tenant: null, scopes: null },
        key: key === null ? null : { key, isGenerated: false },
        waitMs: null,
        account,
        input: { params, query: {}, headers: {}, body: asked.body ?? body },
        origin: { requestId: REQUEST_ID, traceHeaders: {}, scenario: undefined, waited: () => {} },
      };
      return submit(route, call).answer.catch((error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      });
    },
    async states() {
      const all = ["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"] as const;
      return (await store.list(all, 100)).map(({ state }) => state);
    },
  };
  return world;
}

/** Returns the insurer's answer to an executed submission, with the given identifier. */
export function acceptedAs(insurerId: string): UpstreamAnswer {
  return {
    status: 201,
    headers: { "content-type": "application/json; charset=utf-8" },
    content: JSON.stringify({ applicationId: insurerId }),
    insurerId,
  };
}

/** Writes a caller's result in one line: the status, a problem's code, outcome and retry, and "again" for a replay. */
export function inWords(answer: UpstreamAnswer | Refusal): string {
  if (answer instanceof Refusal) {
    const { code, outcome, retry, status } = problemOf(answer, {
      requestId: REQUEST_ID,
      pages: null,
      provider: "provider-d",
    });
    return `${status} ${code} ${outcome} ${retry}`;
  }
  const problem = answer.problem === undefined ? "" : ` ${answer.problem.code}`;
  const replayed = answer.headers["idempotency-replayed"] === "true" ? " again" : "";
  return `${answer.status}${problem}${replayed}`;
}
