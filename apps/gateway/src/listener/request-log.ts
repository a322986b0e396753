import type { ServerResponse } from "node:http";
import type { Problem } from "@insurance-gateway/core";
import { defaultConnection } from "../connections/connection.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation, ObservedEndpoint, ObservedRequest } from "../observation/observation.ts";
import type { Route } from "../routing/route.ts";
import type { Exchange } from "./exchange.ts";

/** A request that its connection and the gateway are done with. */
export interface EndedRequest {
  readonly exchange: Exchange;
  readonly response: Pick<ServerResponse, "statusCode" | "writableFinished">;
  /** When the gateway was done with it, by the clock of `performance.now()`. */
  readonly servedAt: number;
}

/**
 * Writes one line for a request, with the route's template and never its address, and tells the observation. Both
 * happen when the answer has left or the caller has gone, and what was being done has come to an end: also then an
 * operator can see what became of a submission.
 */
export function logRequest(
  { exchange, response, servedAt }: EndedRequest,
  logger: Logger,
  observation: Observation,
): void {
  const { begunAt, heldMs, insurerMs, problem, receivedMs = 0 } = exchange;
  const ended = {
    status: response.statusCode,
    code: problem?.code ?? null,
    outcome: problem?.outcome ?? null,
    callerGone: !response.writableFinished,
  };
  const durationMs = performance.now() - begunAt;
  const route = exchange.found?.route;
  logger.info(
    {
      requestId: exchange.id,
      traceId: exchange.trace.traceId,
      caller: exchange.pseudonym ?? null,
      method: exchange.head.method ?? null,
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
  observation.requestEnded({
    ...ended,
    endpoint,
    // Only what was taken has what counts its failure.
    connection: exchange.failed === undefined ? null : (exchange.connection ?? null),
    durationMs,
    insurerMs: insurerMs ?? 0,
    ownMs: Math.max(0, servedAt - begunAt - receivedMs - (insurerMs ?? 0)),
  });
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
