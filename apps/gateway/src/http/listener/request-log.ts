import type { ServerResponse } from "node:http";
import type { Problem } from "@insurance-gateway/core";
import { createFixedWindows } from "../../callers/fixed-windows.ts";
import { defaultAccount } from "../../configuration/account.ts";
import type { Observation, ObservedEndpoint, ObservedRequest } from "../../events.ts";
import type { LogFields } from "../../operator/logging/fields.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import type { RequestFacts } from "../../pipeline/facts.ts";
import type { ProviderRoute } from "../../routing/route.ts";
import type { Exchange } from "../exchange.ts";

/** A request that both its connection and the gateway have finished. */
export interface EndedRequest {
  readonly exchange: Exchange;
  readonly facts: RequestFacts;
  readonly response: Pick<ServerResponse, "statusCode" | "writableFinished">;
  /** When the gateway had finished the request, by the clock of `performance.now()`. */
  readonly servedAt: number;
  /** True if the gateway, not the caller, ended the connection before the answer was sent. */
  readonly isBrokenOff: boolean;
}

/**
 * Logs a request, with the route's template and never its address, and reports it to the metrics. Both happen after
 * the answer was sent or the caller disconnected, and after the work has ended, so that an operator always sees the
 * result of a submission.
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
    segment: otherSegment(declared),
    endpoint: declared?.name ?? null,
    // The default account needs no name: a provider has it if there are no others.
    account: account === defaultAccount ? undefined : account,
    status,
    code,
    outcome,
    callerGone,
    reason: problem?.reason ?? null,
    durationMs: tenths(durationMs),
    insurerMs: insurerMs === undefined ? null : tenths(insurerMs),
  });
  if (code !== null) countFailure?.();
  const endpoint = declared && observedOf(declared);
  if (endpoint !== null && code === "RATE_LIMITED") observation.rateLimited(endpoint);
  observation.requestEnded({
    status,
    code,
    outcome,
    callerGone,
    endpoint,
    // Only an admitted request, which has a function that counts its failure, belongs to an account.
    account: countFailure === undefined ? null : (account ?? null),
    durationMs,
    insurerMs: insurerMs ?? 0,
    ownMs: Math.max(0, servedAt - begunAt - receivedMs - (insurerMs ?? 0)),
  });
}

/** Returns the report of a request whose caller disconnected before the start: nothing of it was read. */
export function goneBeforeBegin(waitedMs: number): ObservedRequest {
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

/** Logs a request that was refused before it was read, and reports it to the metrics. */
export function logUnread(
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

/** Returns the segment if the configuration gives the provider another segment than its id. */
function otherSegment(route: ProviderRoute | null): string | undefined {
  return route === null || route.segment === route.endpoint.provider ? undefined : route.segment;
}

function observedOf({ endpoint, name, segment }: ProviderRoute): ObservedEndpoint {
  return { segment, endpoint: name, kind: endpoint.kind };
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Maximum of log lines in a second for one kind of refusal without a caller. */
const MAX_A_SECOND = 100;
const SECOND_MS = 1_000;

/** Writes the line of a request. */
export type LogRequestLine = (fields: LogFields) => void;

/**
 * Limits the log lines of refusals without a known caller, because anybody can cause them: 482,000 in a flood. The
 * next line of the same kind states the number of skipped lines (`skipped`). Metrics count all refusals.
 */
export function createRequestLines(logger: Pick<Logger, "info">): LogRequestLine {
  const windows = createFixedWindows();
  const skipped = new Map<string, number>();
  return (fields) => {
    const { caller = null, code = null, reason = null } = fields;
    if (caller !== null || code === null) return logger.info(fields, "request");
    // Codes and reasons are words of the gateway.
    const kind = `${code} ${reason}`;
    const before = skipped.get(kind) ?? 0;
    if (windows.count(kind, SECOND_MS).count > MAX_A_SECOND)
      return void skipped.set(kind, before + 1);
    skipped.delete(kind);
    logger.info(before === 0 ? fields : { ...fields, skipped: before }, "request");
  };
}
