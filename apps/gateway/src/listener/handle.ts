import type { IncomingMessage, ServerResponse } from "node:http";
import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Caller } from "../authentication/caller.ts";
import { failureOf } from "../logging/failure.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation } from "../observation/observation.ts";
import type { Answer, Handled, Pipeline, RequestSettings } from "../pipeline.ts";
import { createRandomIds } from "../random.ts";
import type { Held } from "../reload/generations.ts";
import type { DelayedRejections } from "../resilience/delayed-rejections.ts";
import { traceOf } from "../tracing/trace-context.ts";
import { CallerTooSlowError } from "../upstream/whole-answer.ts";
import type { Bodies, ExpectedBody, ReceivedBody } from "./body.ts";
import { type Exchange, NOTHING_KNOWN, type Waits } from "./exchange.ts";
import { logRequest } from "./request-log.ts";
import { sendAnswer } from "./send-answer.ts";
import type { Turns } from "./turns.ts";
import { endIfUnread } from "./unread-bodies.ts";

/** Answers one request, which waited so many milliseconds to be begun. */
export type Handle = (request: IncomingMessage, response: ServerResponse, waitedMs: number) => void;

/** The parts that answering requests needs. */
export interface HandleParts {
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  readonly observation: Observation;
  readonly delayedRejections: Pick<DelayedRejections, "hold">;
  readonly bodies: Pick<Bodies, "read" | "remove">;
  readonly turns: Pick<Turns, "begin" | "send">;
  /** Returns the address that a request comes from. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Takes the settings for one request. */
  readonly takeSettings: () => Held<RequestSettings>;
}

/** Methods whose body means nothing (RFC 9110, section 9.3): it is not read. */
const WITHOUT_BODY = ["GET", "HEAD"];

/**
 * Puts around the pipeline what every request has: its identifier, its headers, and its line in the log. That line is
 * written, and the request's settings and files are given up, when its connection is done with it and the gateway too: a
 * submission is sent to its end although its caller has gone.
 */
export function createHandle(parts: HandleParts): Handle {
  const {
    addressOf,
    bodies,
    delayedRejections,
    logger,
    observation,
    pipeline,
    takeSettings,
    turns,
  } = parts;
  const ids = createRandomIds();
  return (request, response, waitedMs) => {
    const { release, value: settings } = takeSettings();
    const cancellation = createCancellation();
    const begunAt = performance.now() - waitedMs;
    let servedAt: number | null = null;
    let isEnded = false;
    let facts = NOTHING_KNOWN;
    let heldMs: number | undefined;
    let isBrokenOff = false;
    const waits: Waits = { receivedMs: undefined, insurerMs: undefined };
    let endWork = turns.begin();
    const exchange: Exchange = {
      id: ids.uuid(),
      head: request,
      begunAt,
      waitedMs,
      settings,
      callerGone: cancellation.signal,
      trace: traceOf(request.headersDistinct, ids.hex),
      address: () => addressOf(request),
      readBody: (expected, caller) => (hasBody(request) ? readBody(expected, caller) : undefined),
      waits,
    };

    function readBody(
      expected: ExpectedBody | null,
      caller: Caller | undefined,
    ): ReceivedBody | Promise<ReceivedBody> {
      const since = performance.now();
      const reading = bodies.read(request, expected, caller);
      if (!(reading instanceof Promise)) return reading;
      // The caller decides how long that takes.
      endWork();
      return reading.finally(() => {
        if (!response.closed) endWork = turns.begin();
        waits.receivedMs = performance.now() - since;
      });
    }

    function end(): void {
      if (isEnded || servedAt === null || !response.closed) return;
      isEnded = true;
      logRequest({ exchange, facts, heldMs, isBrokenOff, response, servedAt }, logger, observation);
      release();
      void bodies.remove(request);
    }
    function markServed(): void {
      servedAt ??= performance.now();
    }
    response.on("close", () => {
      endWork();
      if (!response.writableFinished) cancellation.cancel();
      end();
    });
    // What is written to a caller who has gone has no reader.
    response.on("error", () => {});

    async function answerLater(answer: Answer, held: Promise<void>): Promise<void> {
      markServed();
      endWork();
      const since = performance.now();
      await held;
      heldMs = performance.now() - since;
      send(answer);
    }
    function respond(handled: Handled): Promise<void> | undefined {
      ({ facts } = handled);
      const { answer } = handled;
      const { refusal } = answer;
      const held = refusal && delayedRejections.hold(refusal, cancellation.signal);
      if (held !== undefined) return answerLater(answer, held);
      send(answer);
    }
    function send(answer: Answer): void {
      turns.send(() => {
        endWork();
        try {
          endIfUnread(request, response);
          sendAnswer(exchange.id, answer, response, {
            failed: (error) =>
              void pipeline.refuse(error, exchange, facts).then(sendRefusal, logAndBreakOff),
            broken: breakOffWith,
          });
          markServed();
          end();
        } catch (error) {
          failed(error);
        }
      });
    }
    /** Ends a request that failed. If its refusal failed too, its line in the log has nothing of what was known. */
    function failed(error: unknown): void {
      markServed();
      logAndBreakOff(error);
      end();
    }
    /** The problem of an answer that has begun cannot be sent any more. The log and the metrics have it. */
    function breakOffWith(error: unknown): void {
      // Its request may be logged already.
      if (response.destroyed) return;
      if (error instanceof CallerTooSlowError) response.destroy();
      else void pipeline.refuse(error, exchange, facts).then(breakOffRefused, logAndBreakOff);
    }
    /** A refusal that cannot be written either is not replaced: the next one could be the same. */
    function sendRefusal(refused: Handled): void {
      ({ facts } = refused);
      sendAnswer(exchange.id, refused.answer, response, {
        failed: logAndBreakOff,
        broken: logAndBreakOff,
      });
    }
    function breakOffRefused(refused: Handled): void {
      ({ facts } = refused);
      breakOff();
    }
    function logAndBreakOff(error: unknown): void {
      logger.error({ requestId: exchange.id, failure: failureOf(error) }, "failed");
      breakOff();
    }
    function breakOff(): void {
      if (!response.destroyed) isBrokenOff = true;
      response.destroy();
    }
    pipeline.handle(exchange).then(respond).catch(failed);
  };
}

/** Whether a request has a body that is read (RFC 9112, section 6.3). */
function hasBody({ headers, method = "" }: IncomingMessage): boolean {
  if (WITHOUT_BODY.includes(method)) return false;
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return coding !== undefined || length !== "0";
}

/**
 * Makes a signal, and what aborts it. Each request has one: an AbortSignal takes five times as long to make. `aborted` is no
 * getter: V8 puts the getters of an object literal into its old generation, where each would hold its whole request in
 * memory until the next full collection of garbage.
 */
function createCancellation(): { readonly signal: CancellationSignal; cancel(): void } {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    addEventListener: (_: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: "abort", listener: () => void) => void listeners.delete(listener),
  };
  return {
    signal,
    cancel() {
      signal.aborted = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
