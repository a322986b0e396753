import type { Adapter, AdapterAnswer, Send } from "@insurance-gateway/adapter";
import {
  type Endpoint,
  type FailureRow,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { type InsurerAccess, openTransport } from "../../src/insurers/insurer-access.ts";
import {
  type Arrival,
  type Behaviour,
  type Insurer,
  json,
  startInsurer,
} from "../harness/insurer.ts";
import { attemptsAt, callOf } from "../harness/one-attempt.ts";

/** A submission with three requests: to prepare it, to execute it, and to query its state. */
export const issuePolicy: Submission<{ response: object }> = submission<{ response: object }>({
  provider: "provider-x",
  path: "/policies",
  response: { 200: loose<object>({}) },
  idempotency: "none",
});

/** The paths of the submission's three requests, in the order of the requests. */
const steps = ["/prepare", "/issue", "/state"] as const;
/** The path of one of the three requests. */
export type Step = (typeof steps)[number];

/** The request that makes the insurer execute the submission. */
export const acting = { method: "POST", path: "/issue", acts: true };
/** The answer of an adapter to a submission that has succeeded. */
export const done: AdapterAnswer = { type: "value", status: 200, value: {} };

const row = { media: "application/json", at: "/code", why: "test" } as const;
const rejected = { ...row, code: "PROVIDER_REJECTED", outcome: "rejected" } as const;
const noAccess = { ...row, code: "PROVIDER_AUTH_FAILED", outcome: "rejected" } as const;
const failures: readonly FailureRow[] = [
  { ...rejected, status: 422, is: ["NO"] },
  { ...noAccess, status: 401, is: ["LOGIN"] },
  { ...row, status: 409, is: ["PERHAPS"], code: "CONFLICT", outcome: "unknown" },
  { ...rejected, status: 422, is: ["GONE"], afterActing: true },
  { ...noAccess, status: 401, is: ["LOGGED_OUT"], afterActing: true },
];

/** Creates an adapter that runs the function `call` for each call. */
export function calling(call: (send: Send) => Promise<AdapterAnswer>): Adapter {
  return { name: "stepwise", failures, call: (_, __, send) => call(send) };
}

/** The adapter that sends the three requests of a submission. */
const inThreeSteps = calling(async (send) => {
  for (const path of steps) {
    const response = await send({ method: "POST", path, acts: path === "/issue" });
    const { mediaType, status } = response;
    const content: unknown = JSON.parse(await response.text());
    if (status !== 200) return { type: "refusal", status, mediaType, content };
  }
  return done;
});

/** Insurer of a submission with several requests, each of which succeeds unless the test sets another behaviour. */
export interface StepwiseInsurer {
  /** Makes one attempt; returns the status of the answer, or the refusal. */
  answerWith(
    given: Partial<Record<Step, Behaviour>>,
    adapter?: Adapter,
    endpoint?: Endpoint,
    baseUrl?: string,
  ): Promise<number | Refusal>;
  /** Makes one attempt; returns the status, or the code, the outcome and the retry advice of the refusal. */
  readonly outcomeWith: (...given: Parameters<StepwiseInsurer["answerWith"]>) => Promise<string>;
  /** Returns the requests of the last attempt. */
  readonly arrivals: () => readonly Arrival[];
  /** Closes the connections of the last attempt. */
  disconnect(): Promise<void>;
  /** Returns how many connections of the last attempt are in use. */
  underWay(): number;
}

/**
 * Starts the insurer for the tests of a file.
 * @param withinMs - the time limit of each attempt, in milliseconds
 */
export function stepwiseInsurer(withinMs = 10_000): StepwiseInsurer {
  let insurer: Insurer | undefined;
  let current: ConnectionTransport | undefined;
  let behaviours: Partial<Record<Step, Behaviour>> = {};
  beforeAll(async () => {
    insurer = await startInsurer((response, arrival) => {
      const step = steps.find((path) => arrival.url.endsWith(path));
      const behave = (step && behaviours[step]) ?? json(200, {});
      behave(response, arrival);
    });
  });
  afterAll(() => insurer?.close());
  const site: StepwiseInsurer = {
    async answerWith(
      given,
      adapter = inThreeSteps,
      endpoint = issuePolicy,
      baseUrl = insurer?.baseUrl ?? "",
    ) {
      behaviours = given;
      insurer?.arrivals.splice(0);
      const access: InsurerAccess = {
        adapter,
        settings: {},
        baseUrl,
        credentials: [],
        tls: {},
        timeouts: { connectMs: 1_000, totalMs: withinMs, submissionMs: withinMs },
        answers: { jsonBytes: 10_000, documentBytes: 10_000, staleHours: 0 },
        compare: { except: [] },
        connections: 4,
        sandbox: false,
      };
      const transport = openTransport(access);
      onTestFinished(() => transport.close());
      current = transport;
      const attempt = attemptsAt({
        insurer: access,
        transport,
        room: createAnswerBudget(() => 1_000_000_000).roomOf("insurer"),
        rowsOf: () => failures,
        unmatched: () => undefined,
        received: () => undefined,
      });
      const input = { params: {}, query: {}, headers: {}, body: undefined };
      const call = callOf({ input, submissionId: "our-id" });
      return attempt(endpoint, { ...call, withinMs }).then(
        ({ status }) => status,
        (error: unknown) => {
          if (error instanceof Refusal) return error;
          throw error;
        },
      );
    },
    async outcomeWith(...given) {
      const answer = await site.answerWith(...given);
      return answer instanceof Refusal
        ? `${answer.code} ${answer.facts.outcome} ${answer.facts.retry}`
        : String(answer);
    },
    arrivals: () => insurer?.arrivals ?? [],
    disconnect: async () => current?.close(),
    underWay: () => current?.underWay() ?? 0,
  };
  return site;
}
