import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { createReadAnswer, type FailureRows } from "../../src/insurers/answers/read-answer.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import { makeAttempts } from "../../src/insurers/attempt/attempt.ts";
import type {
  AccountCall,
  AttemptCall,
  Call,
  OpenedAccount,
  UpstreamCall,
} from "../../src/insurers/call.ts";
import type { AnswerMemory } from "../../src/insurers/exchange/answer-budget.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";

/** Returns a typical call to an insurer, with the given changes. */
export function callOf(more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    account: "default",
    requestId: "request",
    traceHeaders: {},
    scenario: undefined,
    waited: () => undefined,
    input: { params: {}, query: {}, headers: {}, body: {} },
    callerGone: null,
    submissionId: null,
    ...more,
  };
}

/** Returns a call whose account has only the parts that the tested step reads. */
export function accountCallOf(call: UpstreamCall, opened: Partial<OpenedAccount>): AccountCall {
  return { ...call, opened: opened as OpenedAccount };
}

/** An insurer to which tests make attempts without the gateway's earlier steps. */
export interface AttemptedInsurer extends FailureRows {
  readonly insurer: InsurerAccess;
  readonly transport: ConnectionTransport;
  readonly room: AnswerMemory;
}

/** Returns a function that makes attempts at an insurer. Default: a timeout of 10 s and no credentials. */
export function attemptsAt({
  insurer,
  room,
  transport,
  ...failures
}: AttemptedInsurer): Call<UpstreamCall & Partial<AttemptCall>> {
  const { answers: limits, compare, sandbox } = insurer;
  const readAnswer = createReadAnswer({ limits, compare, sandbox, ...failures });
  const make = makeAttempts({ room });
  return (endpoint, call): Promise<UpstreamAnswer> =>
    make(endpoint, {
      withinMs: 10_000,
      credentials: { headers: {}, login: null, refused: () => false },
      onNewConnection: false,
      waitsForRoom: () => undefined,
      ...accountCallOf(call, { insurer, transport, readAnswer }),
    });
}
