import type { Problem } from "@insurance-gateway/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";

/**
 * Writes one line for a request: these fields and no others; the route's template, never its address. It is written
 * when the answer has left or the caller has gone, and what was being done has come to an end: also then an
 * operator can see what became of a submission.
 * @returns what to call when the gateway is done with the request
 */
export function logWhenDone(
  logger: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
): () => void {
  const begun = performance.now();
  let closed = false;
  let served = false;
  const write = (): void => {
    if (!closed || !served) return;
    const route = request.exchange.found?.route;
    const problem = request.exchange.problem;
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route: route?.template ?? null,
        provider: route !== undefined && "endpoint" in route ? route.endpoint.provider : null,
        status: reply.statusCode,
        code: problem?.code ?? null,
        outcome: problem?.outcome ?? null,
        reason: problem?.reason ?? null,
        callerGone: !reply.raw.writableFinished,
        durationMs: Math.round((performance.now() - begun) * 10) / 10,
      },
      "request",
    );
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
    write();
  };
}

/** Writes the line of a request that was refused before it was read. */
export function logUnread(logger: Logger, { code, outcome, requestId, status }: Problem): void {
  logger.info({ requestId, status, code, outcome }, "request");
}
