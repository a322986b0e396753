import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";

/** Writes one line for a request: these fields and no others; the route's template, never its address. */
export function logRequest(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
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
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
    },
    "request",
  );
}
