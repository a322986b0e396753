import type { ServerResponse } from "node:http";
import type { Problem } from "@insurance-gateway/core";
import { createFixedWindows } from "../../callers/fixed-windows.ts";
import { defaultAccount } from "../../configuration/account.ts";
import type { Observation, ObservedEndpoint, ObservedRequest } from "../../events.ts";
import type { LogFields } from "../../operator/logging/fields.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import type { RequestFacts } from "../../pipeline/facts.ts";
import type { ProviderRoute } from "../../routing/route.ts";
import type { IncomingRequest } from "../exchange.ts";

/** A request whose connection and whose work in the gateway have both ended. */
export interface EndedRequest {
  readonly exchange: IncomingRequest;
  readonly facts: RequestFacts;
  readonly response: Pick<ServerResponse, "statusCode" | "writableFinished">;
  /** Time at which the gateway finished its work on the request, by `performance.now()`. */
  readonly servedAt: number;
  /** True if the gateway, not the caller, ended the connection before the answer was sent. */
  readonly isBrokenOff: boolean;
}

/**
 * Writes the log line of a request, with the route's template and never with its path, and reports the request to the
 * metrics. Both happen after the connection and the gateway's work have ended, so that the line always has the result
 * of a submission.
 */
export function logRequest(
  { exchange, facts, isBrokenOff, response, servedAt }: EndedRequest,
  log: LogRequestLine,
  observation: Observation,
): void {
  const { begunAt, waits } = exchange;
  const { insurerMs, receivedMs = 0 } = waits;
  const { account, countFailure, problem } = facts;
  const status = response.statusCode;
  const { code = null, outcome = null } = problem ?? {};
  const callerGone = !response.writableFinished && !isBrokenOff;
  const durationMs = performance.now() - begunAt;
  const route = facts.found?.route;
  const declared = route !== undefined && "endpoint" in route ? route : null;
  log({
    requestId: exchange.id,
    traceId: exchange.trace.traceId,
    caller: facts.pseudonym,
    method: exchange.head.method ?? null,
    route: facts.pageTemplate ?? route?.template ?? null,
    provider: declared?.endpoint.provider ?? null,
    segment: unusualSegment(declared),
    endpoint: declared?.name ?? null,
    // The line omits the default account, which is a provider's only account unless others are configured.
    account: account === defaultAccount ? undefined : account,
    status,
    code,
    outcome,
    callerGone,
    reason: problem?.reason ?? null,
    durationMs: roundToTenths(durationMs),
    insurerMs: insurerMs === undefined ? null : roundToTenths(insurerMs),
  });
  if (code !== null) countFailure?.();
  const endpoint = declared && observedEndpointOf(declared);
  if (endpoint !== null && code === "RATE_LIMITED") observation.rateLimited(endpoint);
  observation.requestEnded({
    status,
    code,
    outcome,
    callerGone,
    endpoint,
    // Only an admitted request belongs to an account and has `countFailure`.
    account: countFailure === undefined ? null : (account ?? null),
    durationMs,
    insurerMs: insurerMs ?? 0,
    ownMs: Math.max(0, servedAt - begunAt - receivedMs - (insurerMs ?? 0)),
  });
}

/** Returns the report of a request that the gateway had not begun to read when the caller disconnected. */
export function reportOfGoneCaller(waitedMs: number): ObservedRequest {
  return {
    endpoint: null,
    account: null,
    status: 499,
    code: null,
    outcome: null,
    callerGone: true,
    durationMs: waitedMs,
    insurerMs: 0,
    ownMs: waitedMs,
  };
}

/** Logs a request that was refused before it could be read, and reports it to the metrics. */
export function logUnreadRequest(
  log: LogRequestLine,
  { code, outcome, requestId, status }: Problem,
  observation: Observation,
): void {
  log({ requestId, status, code, outcome });
  observation.requestEnded({
    endpoint: null,
    account: null,
    status,
    code,
    outcome,
    callerGone: false,
    durationMs: 0,
    insurerMs: 0,
    ownMs: 0,
  });
}

/** Returns the provider's path segment if it differs from the provider's id; otherwise undefined. */
function unusualSegment(route: ProviderRoute | null): string | undefined {
  return route === null || route.segment === route.endpoint.provider ? undefined : route.segment;
}

function observedEndpointOf({ endpoint, name, segment }: ProviderRoute): ObservedEndpoint {
  return { segment, endpoint: name, kind: endpoint.kind };
}

function roundToTenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Maximum number of log lines in a second for one kind of refusal without a known caller. */
const MAX_LINES_PER_SECOND = 100;
const SECOND_MS = 1_000;

/** Writes the log line of a request, or skips it above the limit. */
export type LogRequestLine = (fields: LogFields) => void;

/**
 * Creates the writer of log lines. Anybody can cause refusals without a known caller (482,000 in one flood), so the
 * writer limits their lines. The next line for the same refusal counts the skipped lines (`skipped`).
 */
export function createRequestLogger(logger: Pick<Logger, "info">): LogRequestLine {
  const windows = createFixedWindows();
  const skipped = new Map<string, number>();
  return (fields) => {
    const { caller = null, code = null, reason = null } = fields;
    if (caller !== null || code === null) return logger.info(fields, "request");
    // Codes and reasons are fixed words of the gateway, so the number of kinds is limited.
    const refusalKind = `${code} ${reason}`;
    const skippedBefore = skipped.get(refusalKind) ?? 0;
    if (windows.count(refusalKind, SECOND_MS).count > MAX_LINES_PER_SECOND)
      return void skipped.set(refusalKind, skippedBefore + 1);
    skipped.delete(refusalKind);
    logger.info(skippedBefore === 0 ? fields : { ...fields, skipped: skippedBefore }, "request");
  };
}
