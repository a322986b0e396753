import { fileURLToPath } from "node:url";
import type { Adapter } from "@insurance-gateway/adapter";
import { loadAdapter } from "@insurance-gateway/adapter/installation";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import {
  type AnswerMemory,
  createAnswerBudget,
} from "../../src/insurers/exchange/answer-budget.ts";
import { type InsurerAccess, openTransport } from "../../src/insurers/insurer-access.ts";
import { attemptsAt, callOf } from "../harness/one-attempt.ts";

/** The root folder of the repository. */
export const repository: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** Loads the adapter of one of the five providers as a gateway does. */
export async function adapterOf(letter: string): Promise<Adapter> {
  const adapter = await loadAdapter(repository, `@insurance-gateway/provider-${letter}`);
  if ("fault" in adapter) throw new TypeError(adapter.fault);
  return adapter;
}

/** Sends calls to one insurer over HTTP, in the insurer's dialect. */
export interface SpeakingInsurer {
  /** Executes one call. Returns the answer, or the refusal if the insurer sends no usable answer. */
  call(endpoint: Endpoint, input?: Partial<CheckedInput>): Promise<UpstreamAnswer | Refusal>;
  close(): Promise<void>;
}

/** The memory for the insurer's answers. Default: enough for all answers. */
export interface SpeakingRoom {
  readonly room: AnswerMemory;
  /** Called when a call waits for memory. */
  readonly waitsForRoom: () => void;
}

/** Connects to an insurer with the given dialect. */
export function speakTo(
  baseUrl: string,
  adapter: Adapter,
  documentBytes = 1_000_000,
  settings: Readonly<Record<string, unknown>> = {},
  {
    room = createAnswerBudget(() => 1_000_000_000).roomOf("insurer"),
    waitsForRoom = (): void => undefined,
  }: Partial<SpeakingRoom> = {},
): SpeakingInsurer {
  const access: InsurerAccess = {
    adapter,
    settings,
    baseUrl,
    credentials: [],
    tls: {},
    timeouts: { connectMs: 2_000, totalMs: 10_000, submissionMs: 10_000 },
    answers: { jsonBytes: 2_000_000, documentBytes, staleHours: 0 },
    compare: { except: [] },
    connections: 16,
    sandbox: false,
  };
  const transport = openTransport(access);
  const attempt = attemptsAt({
    insurer: access,
    transport,
    room,
    rowsOf: ({ failures = [] }) => [...failures, ...adapter.failures],
    unmatched: () => undefined,
    received: () => undefined,
  });
  return {
    async call(endpoint, input = {}) {
      const call = callOf({
        input: { params: {}, query: {}, headers: {}, body: undefined, ...input },
        submissionId: endpoint.kind === "submission" ? "our-id" : null,
      });
      try {
        return await attempt(endpoint, { ...call, waitsForRoom });
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
