import type { IncomingMessage } from "node:http";
import { bodyFormatOf, hasFiles } from "@insurance-gateway/core/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../logging/logger.ts";
import type { Observation } from "../observation/observation.ts";
import type { Pipeline, RequestSettings } from "../pipeline.ts";
import type { Held } from "../reload/generations.ts";
import type { HeldRefusals } from "../resilience/held-refusals.ts";
import { traceOf } from "../tracing/trace-context.ts";
import type { Exchange } from "./exchange.ts";
import { logWhenDone } from "./request-log.ts";

/** The steps of the pipeline as fastify takes them. */
export interface Steps {
  readonly arrive: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly serve: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  readonly refuse: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply>;
}

/** What the steps work with. */
export interface StepsParts {
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly heldRefusals: Pick<HeldRefusals, "hold">;
  /** How long a request has waited to be begun, in milliseconds. */
  readonly waitedMs: (request: IncomingMessage) => number;
  /** Whether the rest of a refused request's body is dropped while it comes. */
  readonly isDropped: (request: IncomingMessage) => boolean;
  /** Takes the settings for one request. */
  readonly takeSettings: () => Held<RequestSettings>;
  /** Removes the files of a request's body. */
  readonly removeFiles: (request: IncomingMessage) => Promise<void>;
}

/** Puts around the pipeline what every request has: its identifier, its headers and its line in the log. */
export function createSteps({
  heldRefusals,
  logger,
  observation,
  pipeline,
  isDropped,
  removeFiles,
  takeSettings,
  waitedMs,
}: StepsParts): Steps {
  return {
    async arrive(request, reply) {
      const waited = waitedMs(request.raw);
      const { release, value: settings } = takeSettings();
      request.exchange = {
        settings,
        begunAt: performance.now() - waited,
        waitedMs: waited,
        callerGone: goneSignal(reply),
        trace: traceOf(request.raw.headersDistinct),
      } satisfies Exchange;
      request.exchange.done = logWhenDone(logger, request, reply, observation);
      reply.header("x-request-id", request.id);
      reply.header("x-content-type-options", "nosniff");
      whenServed(request, reply, release);
      await pipeline.arrive(request, reply);
      if (mayHaveFiles(request.exchange))
        whenServed(request, reply, () => void removeFiles(request.raw));
      request.exchange.admittedAt = performance.now();
    },
    async serve(request, reply) {
      noteReceived(request.exchange);
      const serving = pipeline.serve(request, reply);
      request.exchange.serving = serving;
      const answered = await serving;
      request.exchange.done?.();
      return answered;
    },
    async refuse(error, request, reply) {
      // fastify would close the connection, and who is still sending could lose the answer (RFC 9112, section 9.6): what
      // comes is dropped instead, for as long as a request may take to arrive.
      if (isDropped(request.raw)) reply.removeHeader("connection");
      noteReceived(request.exchange);
      const { content, refusal } = await pipeline.refuse(error, request, reply);
      request.exchange.done?.();
      const { callerGone } = request.exchange;
      const held = refusal === null ? undefined : heldRefusals.hold(refusal, callerGone);
      if (held !== undefined) {
        const since = performance.now();
        await held;
        request.exchange.heldMs = performance.now() - since;
      }
      return reply.send(content);
    },
  };
}

function mayHaveFiles({ negotiated }: Exchange): boolean {
  const mediaType = negotiated?.body?.mediaType;
  return mediaType !== undefined && hasFiles(bodyFormatOf(mediaType));
}

/** Does something when a request has ended. A submission is sent to its end although its caller has gone. */
function whenServed({ exchange }: FastifyRequest, { raw }: FastifyReply, work: () => void): void {
  // Its failure is answered elsewhere.
  const closed = async (): Promise<void> => {
    await exchange.serving?.catch(() => undefined);
    work();
  };
  if (raw.closed) void closed();
  else raw.once("close", () => void closed());
}

/** What happens between a request's admission and what comes next is the arrival of its body. */
function noteReceived(exchange: Exchange): void {
  const { admittedAt } = exchange;
  if (admittedAt !== undefined) exchange.receivedMs ??= performance.now() - admittedAt;
}

/** Aborts when the connection ends before the answer has left, or has ended already. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
