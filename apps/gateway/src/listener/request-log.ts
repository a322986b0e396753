import type { Problem } from "@insurance-gateway/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { defaultConnection } from "../connections/connection.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation, ObservedEndpoint, ObservedRequest } from "../observation/observation.ts";
import type { Route } from "../routing/route.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Writes one line for a request, with the route's template and never its address, and tells the observation. Both
 * happen when the answer has left or the caller has gone, and what was being done has come to an end: also then an
 * operator can see what became of a submission.
 * @returns what to call when the gateway is done with the request
 */
export function logWhenDone(
  logger: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  observation: Observation,
): () => void {
  const begun = request.exchange.begunAt;
  let closed = false;
  let served = false;
  let servedAt = begun;
  const write = (): void => {
    if (!closed || !served) return;
    const { exchange } = request;
    const { heldMs, insurerMs, problem } = exchange;
    const ended = {
      status: reply.statusCode,
      code: problem?.code ?? null,
      outcome: problem?.outcome ?? null,
      callerGone: !reply.raw.writableFinished,
    };
    const durationMs = performance.now() - begun;
    const route = exchange.found?.route;
    logger.info(
      {
        requestId: request.id,
        traceId: exchange.trace.traceId,
        caller: exchange.pseudonym ?? null,
        method: request.method,
        route: exchange.page?.template ?? route?.template ?? null,
        ...namesOf(route),
        ...connectionIn(exchange),
        ...ended,
        reason: problem?.reason ?? null,
        durationMs: tenths(durationMs),
        insurerMs: insurerMs === undefined ? null : tenths(insurerMs),
        ...(heldMs === undefined ? {} : { heldMs: tenths(heldMs) }),
      },
      "request",
    );
    if (ended.code !== null) exchange.failed?.();
    const endpoint = observedIn(route);
    if (endpoint !== null && ended.code === "RATE_LIMITED") observation.rateLimited(endpoint);
    const { receivedMs = 0 } = exchange;
    const ownMs = Math.max(0, servedAt - begun - receivedMs - (insurerMs ?? 0));
    observation.requestEnded({
      ...ended,
      endpoint,
      // Only what was taken has what counts its failure.
      connection: exchange.failed === undefined ? null : (exchange.connection ?? null),
      durationMs,
      insurerMs: insurerMs ?? 0,
      ownMs,
    });
  };
  reply.raw.once("close", () => {
    closed = true;
    // A body that never came whole leaves nothing to be served.
    served ||= !request.raw.complete;
    write();
  });
  return () => {
    if (served) return;
    served = true;
    servedAt = performance.now();
    write();
  };
}

/** A request whose caller went away before it was begun: nothing of it was read. */
export function goneBeforeTurn(waitedMs: number): ObservedRequest {
  return {
    endpoint: null,
    connection: null,
    status: 499,
    code: null,
    outcome: null,
    callerGone: true,
    durationMs: waitedMs,
    insurerMs: 0,
    ownMs: waitedMs,
  };
}

/** Writes the line of a request that was refused before it was read, and tells the observation. */
export function logUnread(
  logger: Logger,
  { code, outcome, requestId, status }: Problem,
  observation: Observation,
): void {
  logger.info({ requestId, status, code, outcome }, "request");
  observation.requestEnded({
    endpoint: null,
    connection: null,
    status,
    code,
    outcome,
    callerGone: false,
    durationMs: 0,
    insurerMs: 0,
    ownMs: 0,
  });
}

/** The segment is named where the configuration gives the provider another one. */
function namesOf(route: Route | undefined): {
  readonly provider: string | null;
  readonly segment?: string;
  readonly endpoint: string | null;
} {
  if (route === undefined || !("endpoint" in route)) return { provider: null, endpoint: null };
  const { endpoint, name, segment } = route;
  const { provider } = endpoint;
  return { provider, ...(segment === provider ? {} : { segment }), endpoint: name };
}

/** The default connection is not named: it is the only one there. */
function connectionIn({ connection }: Exchange): { readonly connection?: string } {
  return connection === undefined || connection === defaultConnection ? {} : { connection };
}

function observedIn(route: Route | undefined): ObservedEndpoint | null {
  if (route === undefined || !("endpoint" in route)) return null;
  return { segment: route.segment, endpoint: route.name, kind: route.endpoint.kind };
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
