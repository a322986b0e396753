import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createTogether } from "@insurance-gateway/core/transport";
import type { Caller } from "../../callers/caller.ts";
import type { Observation } from "../../events.ts";
import { CallerTooSlowError } from "../../insurers/exchange/whole-answer.ts";
import { failureOf } from "../../operator/logging/failure.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import { NO_FACTS } from "../../pipeline/facts.ts";
import type { Pipeline, RequestSettings } from "../../pipeline/pipeline.ts";
import type { AcquiredGeneration } from "../../reload/generations.ts";
import type { BodyReader, ExpectedBody, ReceivedBody } from "../body.ts";
import type { IncomingRequest, RequestWaits } from "../exchange.ts";
import { sendAnswer } from "../send-answer.ts";
import { traceOf } from "../trace-context.ts";
import { endConnectionIfUnread } from "../unread-bodies.ts";
import { type LogRequestLine, logRequest } from "./request-log.ts";

/**
 * Answers one request and writes its line in the log. Never rejects.
 * @param waitedMs - how long the request has waited since it arrived, in milliseconds
 */
export type HandleRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  waitedMs: number,
) => Promise<void>;

/** Arguments of `createRequestHandler`. */
export interface HandleParts {
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  readonly logLine: LogRequestLine;
  readonly observation: Observation;
  readonly bodies: Pick<BodyReader, "read" | "remove">;
  /** Returns the IP address of the caller, even behind a trusted proxy. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Acquires the current settings for one request; the caller of this function must release them. */
  readonly takeSettings: () => AcquiredGeneration<RequestSettings>;
}

/** Methods of requests whose body has no meaning (RFC 9110, section 9.3). The gateway does not read such a body. */
const METHODS_WITHOUT_BODY = ["GET", "HEAD"];

/**
 * Creates the function that answers requests. A request ends when both its connection and the gateway's work are
 * finished: the gateway sends a submission completely, even if the caller disconnects. Then the gateway logs the
 * request, and releases its settings and files.
 */
export function createRequestHandler(parts: HandleParts): HandleRequest {
  const { bodies, logLine, logger, observation, pipeline, takeSettings } = parts;
  const together = createTogether();
  return async (request, response, waitedMs) => {
    const { release, value: settings } = takeSettings();
    const { callerGone, closed } = watchCaller(response);
    const exchange = incomingRequestOf(request, { callerGone, waitedMs }, parts);
    let facts = NO_FACTS;
    let servedAt: number | undefined;
    let isBrokenOff = false;
    try {
      const handled = await pipeline.handle(exchange, settings);
      ({ facts } = handled);
      await new Promise<void>(together);
      endConnectionIfUnread(request, response);
      try {
        const sent = sendAnswer(exchange.id, handled.answer, response);
        servedAt = performance.now();
        await sent;
      } catch (error) {
        if (error instanceof CallerTooSlowError) response.destroy();
        // A caller that has disconnected cannot receive a problem.
        if (!response.destroyed) {
          const refused = await pipeline.refuse(error, exchange, facts);
          ({ facts } = refused);
          // If a part of the answer was already sent, the problem is only logged and counted.
          if (response.headersSent) isBrokenOff = breakOffAnswer(response);
          else await sendAnswer(exchange.id, refused.answer, response);
        }
      }
    } catch (error) {
      // The gateway does not replace a refusal that cannot be sent: the next refusal could fail in the same way.
      logger.error({ requestId: exchange.id, failure: failureOf(error) }, "failed");
      isBrokenOff = breakOffAnswer(response);
    }
    servedAt ??= performance.now();
    await closed;
    logRequest({ exchange, facts, isBrokenOff, response, servedAt }, logLine, observation);
    release();
    await bodies.remove(request);
  };
}

/** Ends a connection whose answer is incomplete. Returns whether the connection was still open. */
function breakOffAnswer(response: ServerResponse): boolean {
  const wasOpen = !response.destroyed;
  response.destroy();
  return wasOpen;
}

/** Watches a caller's connection: the signal aborts if the connection ends before the answer was sent. */
function watchCaller(response: ServerResponse): {
  readonly callerGone: AbortSignal;
  readonly closed: Promise<void>;
} {
  const gone = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
    resolve();
  });
  // Prevents an unhandled error: an answer has no reader after its caller has disconnected.
  response.on("error", () => {});
  return { callerGone: gone.signal, closed: promise };
}

/** Creates the pipeline's description of a request that has just arrived. */
function incomingRequestOf(
  request: IncomingMessage,
  { waitedMs, ...known }: Pick<IncomingRequest, "callerGone" | "waitedMs">,
  { addressOf, bodies }: HandleParts,
): IncomingRequest {
  const waits: RequestWaits = { receivedMs: undefined, insurerMs: undefined };
  async function readBody(
    expected: ExpectedBody | null,
    caller?: Caller,
  ): Promise<ReceivedBody | undefined> {
    if (!hasBody(request)) return undefined;
    const since = performance.now();
    try {
      return await bodies.read(request, expected, caller);
    } finally {
      waits.receivedMs = performance.now() - since;
    }
  }
  return {
    ...known,
    id: randomUUID(),
    head: request,
    begunAt: performance.now() - waitedMs,
    waitedMs,
    trace: traceOf(request.headersDistinct),
    address: () => addressOf(request),
    readBody,
    waits,
  };
}

/** Reports whether a request has a body that the gateway reads (RFC 9112, section 6.3). */
function hasBody({ headers, method = "" }: IncomingMessage): boolean {
  if (METHODS_WITHOUT_BODY.includes(method)) return false;
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return coding !== undefined || length !== "0";
}
