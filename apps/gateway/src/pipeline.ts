import { type CheckedInput, kindPolicies } from "@insurance-gateway/core/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Authenticate } from "./authentication/authenticate.ts";
import type { Caller } from "./authentication/caller.ts";
import { permit } from "./authentication/permit.ts";
import type { LimitsConfiguration } from "./configuration/file.ts";
import type { Tenants } from "./connections/tenants.ts";
import { failureOf } from "./logging/failure.ts";
import type { Logger } from "./logging/logger.ts";
import { refusalOf } from "./problems/from-error.ts";
import { problemOf } from "./problems/problem.ts";
import { Refusal } from "./problems/refusal.ts";
import type { Reference } from "./reference/open-reference.ts";
import type { LimitHeaders } from "./resilience/caller-limits.ts";
import type { Shedding } from "./resilience/shedding.ts";
import type { ProviderRoute } from "./routing/route.ts";
import type { FindRoute } from "./routing/route-table.ts";
import { keyStateUnknown } from "./submissions/answers.ts";
import { idempotencyKeyOf } from "./submissions/identity.ts";
import type { Submissions } from "./submissions/submissions.ts";
import { serverTiming } from "./tracing/server-timing.ts";
import { headersFor } from "./tracing/trace-context.ts";
import type { UpstreamAnswer } from "./upstream/answer.ts";
import type { CallOrigin } from "./upstream/attempt.ts";
import type { Quotas } from "./usage/quotas.ts";
import { guard } from "./validation/guard.ts";
import { isKnown } from "./validation/known-answer.ts";
import { negotiate } from "./validation/negotiate.ts";
import { pathOf, readTarget, searchOf } from "./validation/target.ts";

/** What counts for a request from its arrival to its end. */
export interface RequestSettings {
  readonly findRoute: FindRoute;
  readonly limits: LimitsConfiguration;
  /** Null where the reference is not served. */
  readonly reference: Reference | null;
}

/** What the pipeline works with. */
export interface PipelineParts {
  readonly authenticate: Authenticate;
  readonly logger: Logger;
  readonly submissions: Pick<Submissions, "submit" | "refused" | "pseudonym">;
  /** The prefix of every path, or "". */
  readonly basePath: string;
  readonly tenants: Tenants;
  readonly shedding: Pick<Shedding, "admit">;
  readonly quotas: Pick<Quotas, "admit">;
  /** Is called for every valid search, before it is sent. */
  readonly searched: (
    route: ProviderRoute,
    caller: Caller,
    input: CheckedInput,
    requestId: string,
  ) => void;
}

/**
 * The way of a request, from top to bottom. Whatever a step refuses is thrown as a Refusal and answered by
 * `refuse`, so that reading the steps is reading the rules.
 */
export interface Pipeline {
  /** Before the body is read: who is it, where does it go, can it be taken? */
  arrive(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** With the body: is it valid, was it sent before, what does the insurer say? */
  serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Instead of an answer: a problem, or the answer of the submission that the request's key belongs to. */
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Refused>;
}

/** A request that is refused. */
export interface Refused {
  /** Null where the stored answer of an earlier request is sent instead. */
  readonly refusal: Refusal | null;
  /** The body of the answer; status and headers are set. */
  readonly content: string;
}

/** Makes the pipeline. */
export function createPipeline({
  authenticate,
  basePath,
  logger,
  quotas,
  searched,
  shedding,
  submissions,
  tenants,
}: PipelineParts): Pipeline {
  return {
    async arrive(request, reply) {
      const { findRoute, limits, reference } = request.exchange.settings;

      // Shed: what is too much is refused before it costs anything.
      shedding.admit(request.exchange.waitedMs);

      // Guard: what no request may be.
      guard(request.raw, limits);

      // Read: the reference's pages are for everybody, and hold nothing of anybody.
      // A path that could be another's is none of theirs, and is refused where every path is looked at.
      const { path = "" } = readTarget(request.originalUrl) ?? {};
      const page = reference?.find(request.method, path) ?? null;
      if (page !== null) {
        request.exchange.page = await page;
        return;
      }

      // Authenticate: before the path is looked at, so that nothing can be learnt without a token.
      request.exchange.caller = await authenticate({
        authorization: request.headers.authorization,
        address: request.ip,
      });
      request.exchange.pseudonym = submissions.pseudonym(request.exchange.caller);

      // Route: 404 for an unknown path, 405 for another method.
      const found = findRoute(request.method, pathOf(request));
      request.exchange.found = found;

      // Admit: 403 without the scope or a connection, 429 for one too many, 415 and 406 for what it does not take or give.
      const { route } = found;
      const { caller } = request.exchange;
      if ("endpoint" in route) {
        permit(caller, { segment: route.segment, kind: route.endpoint.kind });
        request.exchange.connection = tenants.connectionOf(caller, route.segment);
      } else tenants.admit(caller);
      const limited = await route.limitCaller(caller);
      reply.headers(limited);
      const { connection } = request.exchange;
      if (!("endpoint" in route) || connection === undefined) return;
      request.exchange.negotiated = negotiate(route.endpoint, request.headers, limits.bodyBytes);

      // Count: what was taken; 429 once the connection's quota of requests is used up.
      const { endpoint, name, segment } = route;
      const place = { connection, segment, endpoint: name, kind: endpoint.kind };
      const admitted = await quotas.admit(place);
      reply.headers(joined(limited, admitted.headers));
      request.exchange.failed = admitted.failed;
    },

    async serve(request, reply) {
      const { page } = request.exchange;
      if (page !== undefined) return page.answer(request, reply);

      // Found on arrival, after its token was checked: what has not arrived is never served.
      const { caller, connection, found } = request.exchange;
      if (found === undefined || caller === undefined)
        throw new TypeError("The request was not admitted");
      const { route, params } = found;
      if (!("endpoint" in route))
        return reply
          .header("cache-control", "no-store")
          .send(await route.answer({ caller, params }));

      if (connection === undefined) throw new TypeError("The request has no connection");

      // Validate: every fault at once; nothing invalid leaves the gateway.
      const { body, negotiated } = request.exchange;
      const checked = route.validate({
        params,
        search: searchOf(request),
        headers: request.raw.headersDistinct,
        body,
        mediaType: negotiated?.body?.mediaType ?? null,
        jsonDepth: request.exchange.settings.limits.jsonDepth,
      });
      const accept = negotiated?.accept ?? null;
      const input = accept === null ? checked : { ...checked, accept };
      if (route.endpoint.kind === "search") searched(route, caller, input, request.id);
      const origin = originOf(request);

      // Record: a submission is on disk before its first byte leaves, and is finished whether or not its caller stays.
      // Adapt and send: the insurer's answer, checked against the declaration, or what is certain without one.
      const { actsAtInsurer } = kindPolicies[route.endpoint.kind];
      const key = actsAtInsurer ? keyOf(request) : null;
      request.exchange.submitted = actsAtInsurer;
      const answer = actsAtInsurer
        ? await submissions.submit(route, { input, origin, caller, connection, key })
        : await route.upstream.call(route.endpoint, {
            ...origin,
            connection,
            input,
            submissionId: null,
            callerGone: request.exchange.callerGone,
          });

      // Answer: JSON as the text that was checked, a document as a stream that is never buffered.
      const { bytes, content, headers, problem, status } = answer;
      if (problem !== undefined) request.exchange.problem = problem;
      reply.code(status).headers(headers);
      reply.header("server-timing", timingOf(request));
      if (
        route.endpoint.kind === "lookup" &&
        isKnown(request.headers["if-none-match"], headers.etag)
      )
        return reply.code(304).removeHeader("content-type").send();
      return reply.send(bytes ?? content);
    },

    async refuse(error, request, reply) {
      const answer = await truthful(refusalOf(error), request, submissions);
      if (!(answer instanceof Refusal)) {
        if (answer.problem !== undefined) request.exchange.problem = answer.problem;
        reply.code(answer.status).headers(answer.headers);
        // The answer of a submission is JSON, stored whole.
        return { refusal: null, content: answer.content as string };
      }
      const refusal = answer;
      const route = request.exchange.found?.route;
      const provider = route !== undefined && "endpoint" in route ? route.endpoint.provider : null;
      const problem = problemOf(refusal, { requestId: request.id, provider, basePath });
      request.exchange.problem = { ...problem, ...pickReason(refusal) };
      if (refusal.cause !== undefined)
        logger.error({ requestId: request.id, failure: failureOf(refusal.cause) }, "failed");
      reply
        .code(problem.status)
        .headers({
          ...refusal.details.headers,
          "cache-control": "no-store",
          "server-timing": timingOf(request),
        })
        .type("application/problem+json; charset=utf-8");
      return { refusal, content: JSON.stringify(problem) };
    },
  };
}

/** The headers of two limits, each of which is a list (RFC 9651). */
function joined(one: LimitHeaders, other: LimitHeaders): LimitHeaders {
  return Object.fromEntries(
    Object.entries(other).map(([name, value]) => [
      name,
      one[name] === undefined ? value : `${one[name]}, ${value}`,
    ]),
  );
}

/**
 * What a refusal is for a request with an idempotency key: an earlier request with the key may have been sent, and the
 * outcome that is answered speaks of the submission.
 */
async function truthful(
  refusal: Refusal,
  request: FastifyRequest,
  submissions: Pick<Submissions, "refused">,
): Promise<Refusal | UpstreamAnswer> {
  const { caller, connection, found, submitted } = request.exchange;
  if (!hasKey(request)) return refusal;
  // A submission says by itself what is certain, except where the gateway failed or could not store it.
  if (submitted === true && refusal.code === "INTERNAL_ERROR") return keyStateUnknown(refusal);
  if (submitted === true && refusal.code !== "STORE_UNAVAILABLE") return refusal;
  // Without a caller or below its limits nothing is read: every record is somebody's, and reading costs something.
  if (caller === undefined) return keyStateUnknown(refusal);
  const route = found?.route;
  // A route that is not served any more may have sent it.
  if (route === undefined) return keyStateUnknown(refusal);
  if (!("endpoint" in route)) return refusal;
  if (!kindPolicies[route.endpoint.kind].actsAtInsurer) return refusal;
  // A token without the scope, or whose tenant has no connection, is not shown what the submission came to.
  if (refusal.code === "FORBIDDEN" || connection === undefined) return keyStateUnknown(refusal);
  const key = readableKey(request);
  return key === null ? refusal : submissions.refused(refusal, { route, caller, connection, key });
}

/** Whether a request may be a submission with a key, as far as its head says. */
function hasKey({ method, raw }: FastifyRequest): boolean {
  const methods: readonly string[] = kindPolicies.submission.methods;
  return methods.includes(method) && raw.headersDistinct["idempotency-key"] !== undefined;
}

/** No submission has a key that is not well-formed. */
function readableKey(request: FastifyRequest): string | null {
  try {
    return keyOf(request);
  } catch {
    return null;
  }
}

function pickReason({ details }: Refusal): { readonly reason?: string } {
  return details.reason === undefined ? {} : { reason: details.reason };
}

function keyOf(request: FastifyRequest): string | null {
  return idempotencyKeyOf(request.raw.headersDistinct["idempotency-key"]);
}

function originOf(request: FastifyRequest): CallOrigin {
  return {
    requestId: request.id,
    traceHeaders: headersFor(request.exchange.trace),
    scenario: request.headers["x-sandbox-scenario"]?.toString(),
    waited(milliseconds) {
      request.exchange.insurerMs = (request.exchange.insurerMs ?? 0) + milliseconds;
    },
  };
}

function timingOf({ exchange }: FastifyRequest): string {
  const { begunAt, insurerMs = 0, receivedMs = 0 } = exchange;
  const gatewayMs = performance.now() - begunAt - receivedMs - insurerMs;
  return serverTiming({ insurerMs, gatewayMs });
}
