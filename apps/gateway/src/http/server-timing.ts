import type { IncomingRequest } from "./exchange.ts";

/** The two parts of the time that a request took, in milliseconds. */
export interface RequestTiming {
  /** The wait for insurers. */
  readonly insurerMs: number;
  /** The time that the gateway itself needed. */
  readonly gatewayMs: number;
}

/** Returns the value of the header `Server-Timing` for a request that is answered now. */
export function serverTimingOf({
  begunAt,
  waits,
}: Pick<IncomingRequest, "begunAt" | "waits">): string {
  const { insurerMs = 0, receivedMs = 0 } = waits;
  const gatewayMs = performance.now() - begunAt - receivedMs - insurerMs;
  return formatServerTiming({ insurerMs, gatewayMs });
}

/** Formats the value of `Server-Timing` (W3C Server Timing, section 3): `insurer;dur=12.3, gateway;dur=0.8`. */
export function formatServerTiming({ gatewayMs, insurerMs }: RequestTiming): string {
  return `insurer;dur=${formatMilliseconds(insurerMs)}, gateway;dur=${formatMilliseconds(gatewayMs)}`;
}

function formatMilliseconds(milliseconds: number): string {
  return String(Math.round(Math.max(0, milliseconds) * 10) / 10);
}
