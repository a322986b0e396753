import type {
  Credentials,
  CredentialsWait,
  PresentedCredentials,
} from "@insurance-gateway/core/auth";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { type AttemptResult, Refusal } from "@insurance-gateway/core/runtime";
import { searchApplications } from "@insurance-gateway/provider-d";
import type { Observation } from "../../src/events.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { AttemptCall, UpstreamCall } from "../../src/insurers/call.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import type { Admission, Breaker } from "../../src/insurers/resilience/breaker.ts";
import { type Bulkhead, createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";
import { guardInsurer } from "../../src/insurers/resilience/guard-insurer.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

/** The insurer's default answer. */
export const answer: UpstreamAnswer = { status: 200, headers: {}, content: "{}" };

/** Credentials of an account that the test makes available or unavailable. */
interface HeldCredentials {
  readonly credentials: Credentials;
  /** The recorded waits for the credentials. */
  readonly waits: CredentialsWait[];
  /** @param refused - called when the insurer refuses these credentials; reports whether there are other credentials */
  give(refused?: () => boolean): void;
  takeAway(): void;
  fail(error: unknown): void;
}

function startCredentials(): HeldCredentials {
  const waits: CredentialsWait[] = [];
  let pending = Promise.withResolvers<void>();
  let current: PresentedCredentials | null = null;
  const credentials: Credentials = {
    current: () => current,
    ready(wait) {
      waits.push(wait);
      return pending.promise;
    },
    waiting: () => 0,
    ageMs: () => null,
  };
  return {
    credentials,
    waits,
    give(refused: () => boolean = () => false) {
      current = { headers: { authorization: "Bearer a" }, login: null, refused };
      pending.resolve();
      pending = Promise.withResolvers();
    },
    takeAway: () => {
      current = null;
    },
    fail: (error: unknown) => pending.reject(error),
  };
}

/** The guard step before an attempt; the test sets how the insurer, the breaker and the credentials behave. */
export interface Guarded {
  /** Each call's query to the breaker: whether the insurer acts on the call, or `probe` for a probe. */
  readonly asked: readonly (boolean | "probe")[];
  readonly bulkhead: Bulkhead;
  readonly durations: readonly number[];
  /** The results of attempts that the metrics count. */
  readonly ended: readonly AttemptResult[];
  /** The results of attempts that the breaker counts. */
  readonly settled: readonly AttemptResult[];
  refusedAnswers(): number;
  /** The reasons why calls were held back. */
  readonly held: readonly string[];
  readonly mismatched: readonly string[];
  readonly shown: HeldCredentials;
  readonly world: {
    closedForMs: number;
    refusedForMs: number;
    maintainedMs: number;
    make: (way: AttemptCall) => Promise<UpstreamAnswer>;
  };
  go(endpoint?: Endpoint, call?: UpstreamCall, leftMs?: () => number): Promise<UpstreamAnswer>;
}

/** Starts a guard step whose insurer answers every attempt at once. */
export function startGuarded(): Guarded {
  const held: string[] = [];
  const ended: AttemptResult[] = [];
  const settled: AttemptResult[] = [];
  const mismatched: string[] = [];
  const asked: (boolean | "probe")[] = [];
  const shown = startCredentials();
  shown.give();
  const bulkhead = createBulkhead(() => ({ running: 1, queued: 2, queueMs: 60_000 }));
  const durations: number[] = [];
  let refusedAnswers = 0;
  const observation: Pick<
    Observation,
    "answerMismatched" | "answerRefused" | "attemptEnded" | "heldBack"
  > = {
    heldBack: (_, by) => void held.push(by),
    attemptEnded({ durationMs, result }) {
      ended.push(result);
      durations.push(durationMs);
    },
    answerRefused: () => {
      refusedAnswers += 1;
    },
    answerMismatched: (_, field) => void mismatched.push(field),
  };
  const world = {
    closedForMs: 0,
    refusedForMs: 0,
    maintainedMs: 0,
    make: async (_way: AttemptCall): Promise<UpstreamAnswer> => answer,
  };
  const admit = (kind: boolean | "probe"): Admission => {
    asked.push(kind);
    return world.refusedForMs > 0
      ? { admitted: false, retryInMs: world.refusedForMs }
      : { admitted: true, settle: (result) => void settled.push(result) };
  };
  const breaker: Breaker = {
    state: () => "closed",
    closedForMs(actsAtInsurer) {
      asked.push(actsAtInsurer);
      return world.closedForMs;
    },
    admit,
    admitProbe: () => admit("probe"),
  };
  const attempt = guardInsurer({
    breaker,
    bulkhead,
    logger: { error: () => {}, warn: () => {} },
    maintainedMs: () => world.maintainedMs,
    // The guard step does not call the other methods.
    observation: observation as Observation,
    observed: ({ kind }) => ({ segment: "provider-d", endpoint: "any", kind }),
  })((_, call) => world.make(call));
  const opened = {
    credentials: shown.credentials,
    // The guard step does not read the other members.
    insurer: {
      timeouts: { connectMs: 1_000, totalMs: 3_000, submissionMs: 6_000 },
    } as InsurerAccess,
  };
  return {
    asked,
    bulkhead,
    durations,
    ended,
    refusedAnswers: () => refusedAnswers,
    held,
    mismatched,
    settled,
    shown,
    world,
    go: (endpoint: Endpoint = searchApplications, call = callOf(), leftMs = () => 10_000) =>
      attempt(endpoint, { ...accountCallOf(call, opened), leftMs }),
  };
}

/** Returns the refusal with which a call ends, and fails if the call succeeds. */
export async function refusalOf(ended: Promise<unknown>): Promise<Refusal> {
  const error = await ended.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new TypeError(`It ended with ${String(error)}`);
  return error;
}
