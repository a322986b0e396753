import type { Adapter, AdapterAnswer, Send } from "@insurance-gateway/adapter";
import { type Endpoint, type Submission, submission } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { type InsurerAccess, openTransport } from "../../src/insurers/insurer-access.ts";
import { attemptsAt, callOf } from "./one-attempt.ts";

/** A submission with three requests: to prepare it, to execute it, and to query its state. */
export const issuePolicy: Submission<{ response: object }> = submission<{ response: object }>({
  provider: "provider-x",
  path: "/policies",
  response: { 200: loose<object>({}) },
  idempotency: "none",
});

/** The paths of the submission's three requests, in the order of the requests. */
export const steps = ["/prepare", "/issue", "/state"] as const;
/** The path of one of the three requests. */
export type Step = (typeof steps)[number];

async function inThreeSteps(send: Send): Promise<AdapterAnswer> {
  for (const path of steps) {
    const response = await send({ method: "POST", path, acts: path === "/issue" });
    const { mediaType, status } = response;
    const content: unknown = JSON.parse(await response.text());
    if (status !== 200) return { type: "refusal", status, mediaType, content };
  }
  return { type: "value", status: 200, value: {} };
}

/** The adapter that sends the three requests of a submission. */
export const adapter: Adapter = {
  name: "three steps",
  failures: [
    {
      status: 422,
      media: "application/json",
      at: "/code",
      is: ["NO"],
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      why: "test",
    },
    {
      status: 401,
      media: "application/json",
      at: "/code",
      is: ["LOGIN"],
      code: "PROVIDER_AUTH_FAILED",
      outcome: "rejected",
      why: "test",
    },
    {
      status: 409,
      media: "application/json",
      at: "/code",
      is: ["PERHAPS"],
      code: "CONFLICT",
      outcome: "unknown",
      why: "test",
    },
    {
      status: 422,
      media: "application/json",
      at: "/code",
      is: ["GONE"],
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      afterActing: true,
      why: "test",
    },
    {
      status: 401,
      media: "application/json",
      at: "/code",
      is: ["LOGGED_OUT"],
      code: "PROVIDER_AUTH_FAILED",
      outcome: "rejected",
      afterActing: true,
      why: "test",
    },
  ],
  call: (_, __, send) => inThreeSteps(send),
};

/** Timeout of one attempt, in milliseconds. */
export const WITHIN_MS = 400;

/** The called endpoint, the adapter and the insurer's address. */
export interface AttemptOf {
  readonly adapter: Adapter;
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
  /** Called with the transport of the attempt. */
  readonly opened: (transport: ConnectionTransport) => void;
}

/** Makes one attempt. Returns the status of the answer, or the refusal. */
export async function attemptOnce({
  adapter,
  baseUrl,
  endpoint,
  opened,
}: AttemptOf): Promise<number | Refusal> {
  const access: InsurerAccess = {
    adapter,
    settings: {},
    baseUrl,
    credentials: [],
    tls: {},
    timeouts: { connectMs: 1_000, totalMs: 500, submissionMs: 500 },
    answers: { jsonBytes: 10_000, documentBytes: 10_000, staleHours: 0 },
    compare: { except: [] },
    connections: 4,
    sandbox: false,
  };
  const transport = openTransport(access);
  const attempt = attemptsAt({
    insurer: access,
    transport,
    room: createAnswerBudget(() => 1_000_000_000).roomOf("insurer"),
    rowsOf: () => adapter.failures,
    unmatched: () => undefined,
    received: () => undefined,
  });
  opened(transport);
  const input = { params: {}, query: {}, headers: {}, body: undefined };
  const call = callOf({ input, submissionId: "our-id" });
  try {
    const { status } = await attempt(endpoint, { ...call, withinMs: WITHIN_MS });
    return status;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error;
  }
}
