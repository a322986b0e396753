import type { Endpoint, Schema } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import type {
  ConnectionResponse,
  ConnectionTransport,
  TransportError,
  TransportRequest,
} from "@insurance-gateway/core/transport";
import { createExchanges, type Exchanges } from "../../src/insurers/attempt/exchanges.ts";
import type { AttemptCall, UpstreamCall } from "../../src/insurers/call.ts";
import type { ReservedMemory } from "../../src/insurers/exchange/answer-budget.ts";
import {
  type InsurerExchange,
  prepareExchange,
} from "../../src/insurers/exchange/insurer-exchange.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";

import { accountCallOf, callOf } from "../harness/one-attempt.ts";

/** A megabyte of 1,024 kilobytes, in bytes. */
export const MEGABYTE = 1_048_576;
const at = { provider: "provider-x", path: "/things" };
/** The declared schema of every answer of the test's insurer. */
export const anything: Schema<object> = loose<object>({});
const reconcile = { endpoint: "searchThings", parameters: {}, createdAt: "/createdAt" };
/** Endpoint of a call that changes nothing. */
export const lookup: Endpoint = {
  ...at,
  kind: "lookup",
  method: "GET",
  response: { 200: anything },
};
/** Endpoint of a call that creates an item at the insurer. */
export const submission: Endpoint = {
  ...at,
  kind: "submission",
  method: "POST",
  response: { 201: anything },
  reconcile,
  insurerId: "/id",
  same: ["/name"],
};

/** The answer of an insurer in memory: the pieces of the body, and the headers. */
export interface Answer {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly Uint8Array[];
  /** True if all pieces of the body arrive together with the answer's head. */
  readonly isWhole?: boolean;
}

/** An insurer in memory, which records its requests. */
export interface MemoryInsurer {
  readonly failWith: (error: TransportError) => void;
  /** The maximum number of bytes that the gateway allowed for each body that it read. */
  readonly maxima: readonly number[];
  readonly requests: readonly TransportRequest[];
  readonly transport: ConnectionTransport;
}

/**
 * Creates an insurer in memory. It records its requests, and the maximum number of bytes that the gateway allows for
 * each body.
 */
export function insurerOf({
  headers = {},
  isWhole = false,
  pieces = [],
}: Answer = {}): MemoryInsurer {
  const requests: TransportRequest[] = [];
  const maxima: number[] = [];
  let failure: TransportError | null = null;
  const response: ConnectionResponse = {
    status: 200,
    headers,
    isNewConnection: true,
    closeConnection: () => undefined,
    body: {
      text: () => Promise.reject(new TypeError("Nobody asks for a text")),
      async *stream(maximumBytes) {
        maxima.push(maximumBytes);
        yield* pieces;
      },
      takeWhole: () => (isWhole ? pieces : null),
      discard: () => undefined,
    },
  };
  const transport: ConnectionTransport = {
    async send(request) {
      requests.push(request);
      if (failure !== null) throw failure;
      return response;
    },
    underWay: () => 0,
    close: async () => undefined,
  };
  const failWith = (error: TransportError): void => {
    failure = error;
  };
  return { failWith, maxima, requests, transport };
}

/** Begins the exchanges of one attempt; `changed` replaces the default settings. */
export function begin(
  { transport }: MemoryInsurer,
  endpoint: Endpoint,
  changed: {
    readonly withinMs?: number;
    readonly sandbox?: boolean;
    readonly call?: Partial<UpstreamCall>;
  } = {},
): Exchanges {
  const { call, sandbox = false, withinMs = 10_000 } = changed;
  const answers = { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 };
  const compare = { except: [] };
  // The exchanges need no other members of `InsurerAccess`.
  const insurer = {
    baseUrl: "http://insurer/v1",
    answers,
    compare,
    sandbox,
  } as Partial<InsurerAccess> as InsurerAccess;
  const room = { reserve: async () => null, take: () => ({ reduce: () => {}, release: () => {} }) };
  const attemptCall = {
    ...callOf({ traceHeaders: { traceparent: "trace" }, scenario: "slow" }),
    ...call,
    withinMs,
    credentials: {
      headers: { authorization: "Bearer token", "x-own": "credentials" },
      login: null,
      refused: () => false,
    },
    onNewConnection: false,
    waitsForRoom: () => undefined,
  };
  return createExchanges(
    endpoint,
    accountCallOf(attemptCall, { insurer, transport }) as AttemptCall,
    room,
  );
}

/** Reads an answer; `room` records when the memory for the answer is reserved and released. */
export async function read(
  answer: Answer,
  limits: { readonly jsonBytes?: number; readonly documentBytes?: number } = {},
): Promise<{
  readonly made: InsurerExchange;
  readonly maxima: readonly number[];
  readonly room: readonly string[];
}> {
  const insurer = insurerOf(answer);
  const room: string[] = [];
  const prepared = prepareExchange(
    { method: "GET", path: "/" },
    {
      url: "http://insurer/",
      headers: {},
      connection: "any",
      timeoutMs: 1_000,
      signal: null,
      limits: { jsonBytes: 4 * MEGABYTE, documentBytes: 4 * MEGABYTE, staleHours: 0, ...limits },
      async reserve(bytes): Promise<ReservedMemory> {
        room.push(`reserve ${bytes}`);
        return {
          reduce: (used) => void room.push(`reduce ${used}`),
          release: () => void room.push("release"),
        };
      },
    },
  );
  const made = prepared.answered(await insurer.transport.send(prepared.request));
  return { made, maxima: insurer.maxima, room };
}
