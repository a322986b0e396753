import { randomUUID } from "node:crypto";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { Registry } from "prom-client";
import { diskFiles } from "../../src/configuration/files.ts";
import type { Environment } from "../../src/configuration/load.ts";
import { createReadSettings } from "../../src/configuration/settings.ts";
import type { IncomingRequest, RequestHead } from "../../src/http/exchange.ts";
import { traceOf } from "../../src/http/trace-context.ts";
import type { Logger } from "../../src/operator/logging/logger.ts";
import { type CloseStack, openParts, type StartArguments } from "../../src/parts.ts";
import type { Pipeline, RequestSettings } from "../../src/pipeline/pipeline.ts";

/** A request with a JSON body, or without a body. */
export interface PlainRequest {
  readonly method: "GET" | "POST";
  /** The path with its query. */
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The gateway's answer. */
export interface PlainAnswer {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A gateway in the test's process, without the two HTTP servers of a gateway. */
export interface GatewayWithoutSockets {
  handle(request: PlainRequest): Promise<PlainAnswer>;
  stop(): Promise<void>;
}

/** The replaceable parts of a gateway without sockets. */
export type WithoutSocketsParts = Pick<StartArguments, "openStore" | "openTransport" | "time">;

/** Opens a gateway that handles requests as function calls, and reaches its insurers through the test's transport. */
export async function startWithoutSockets(
  configuration: object,
  environment: Environment,
  parts: WithoutSocketsParts,
): Promise<GatewayWithoutSockets> {
  const overload = { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 };
  const folder: GatewayFolder = makeGatewayFolder({ overload, ...configuration });
  const readSettings = createReadSettings(environment, folder.path);
  const settings = await readSettings(diskFiles);
  const start: StartArguments = {
    ...parts,
    readSettings,
    environment,
    logger: silent,
    processMetrics: new Registry(),
  };
  const closing: CloseStack = [];
  const { generations, pipeline } = await openParts(start, settings, closing);
  return {
    async handle(request) {
      const { release, value } = generations.acquireGeneration();
      try {
        return await throughPipeline(pipeline, value, request);
      } finally {
        release();
      }
    },
    async stop() {
      for (const close of closing.toReversed()) await close();
      folder.remove();
    },
  };
}

const silent: Logger = { info() {}, warn() {}, error() {}, fatal() {} };

async function throughPipeline(
  pipeline: Pipeline,
  settings: RequestSettings,
  plain: PlainRequest,
): Promise<PlainAnswer> {
  const exchange = exchangeOf(plain);
  const { answer, facts } = await pipeline.handle(exchange, settings);
  const { content, headers, status } = answer;
  // A gateway with sockets calls this function when it logs the answer.
  if (facts.problem !== undefined) facts.countFailure?.();
  const sent = { ...headers, "x-request-id": exchange.id };
  const text = typeof content === "string" ? content : "";
  return { status, headers: new Map(Object.entries(sent)), text };
}

function exchangeOf(plain: PlainRequest): IncomingRequest {
  const { body, method, url } = plain;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const headers: Readonly<Record<string, string>> = {
    host: "gateway.example",
    ...plain.headers,
    ...length,
  };
  const head = {
    method,
    url,
    httpVersion: "1.1",
    headers,
    rawHeaders: Object.entries(headers).flat(),
    headersDistinct: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    ),
    // Only the page for development tokens reads the socket.
    socket: {} as RequestHead["socket"],
  };
  return {
    id: randomUUID(),
    head,
    begunAt: performance.now(),
    waitedMs: 0,
    callerGone: new AbortController().signal,
    trace: traceOf({}),
    address: () => "127.0.0.1",
    readBody: async () =>
      body === undefined ? undefined : { type: "bytes", bytes: Buffer.from(body) },
    waits: { receivedMs: undefined, insurerMs: undefined },
  };
}
