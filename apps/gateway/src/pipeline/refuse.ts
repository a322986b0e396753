import {
  contentNotCompared,
  contentStateUnknown,
  type ErrorPages,
  idempotencyKeyOf,
  keyStateUnknown,
  kindPolicies,
  maySubmit,
  problemOf,
  Refusal,
  refusalOf,
} from "@insurance-gateway/core/runtime";
import type { IncomingRequest } from "../http/exchange.ts";
import { serverTimingOf } from "../http/server-timing.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import { failureOf } from "../operator/logging/failure.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { Submissions } from "../submissions/submissions.ts";
import type { PipelineResult, RequestFacts } from "./facts.ts";

/**
 * Creates the answer to a failed request: a problem, or the stored answer of the submission with the request's key.
 * @param facts - the facts about the request that were known when it failed
 */
export type Refuse = (
  error: unknown,
  exchange: IncomingRequest,
  facts: RequestFacts,
) => Promise<PipelineResult>;

/** Arguments of `createRefuse`. */
export interface RefuseParts {
  readonly logger: Logger;
  readonly submissions: Pick<Submissions, "refused">;
  readonly pages: () => ErrorPages;
}

/** Creates the function that answers failed requests. */
export function createRefuse({ logger, pages, submissions }: RefuseParts): Refuse {
  function logCause({ cause }: Refusal, { id }: IncomingRequest): void {
    if (cause !== undefined) logger.error({ requestId: id, failure: failureOf(cause) }, "failed");
  }

  return async (error, exchange, facts) => {
    const refused = refusalOf(error);
    const refusal = await withSubmissionState(refused, exchange, facts, {
      submissions,
      isFault: refused !== error,
    }).catch((second: unknown) => {
      // Creating the problem has failed, too; this second error is logged below as the cause of the problem.
      logCause(refused, exchange);
      return keyStateUnknown(refusalOf(second));
    });
    if (!(refusal instanceof Refusal)) {
      const { content, headers, problem, status } = refusal;
      const answer = { status, headers: { ...facts.limits, ...headers }, content };
      return { answer, facts: { ...facts, problem } };
    }
    const route = facts.found?.route;
    const provider = route !== undefined && "endpoint" in route ? route.endpoint.provider : null;
    const problem = problemOf(refusal, { requestId: exchange.id, provider, pages: pages() });
    logCause(refusal, exchange);
    const headers = {
      ...facts.limits,
      ...refusal.details.headers,
      "cache-control": "no-store",
      "server-timing": serverTimingOf(exchange),
      "content-type": "application/problem+json; charset=utf-8",
    };
    const content = JSON.stringify(problem);
    return {
      answer: { status: problem.status, headers, content, refusal },
      facts: { ...facts, problem: { ...problem, ...pickReason(refusal) } },
    };
  };
}

/**
 * Adds to a refusal the facts about earlier submissions: the gateway may have sent an earlier request with the same
 * key, or with the same content if neither request has a key.
 */
async function withSubmissionState(
  refusal: Refusal,
  exchange: IncomingRequest,
  { caller, account, found, isSubmitted }: RequestFacts,
  { isFault, submissions }: Pick<RefuseParts, "submissions"> & { readonly isFault: boolean },
): Promise<Refusal | UpstreamAnswer> {
  if (!mayBeSubmission(exchange, found)) return refusal;
  const route = found?.route;
  if (!hasIdempotencyKey(exchange)) {
    if (!isSubmitted) return contentNotCompared(refusal);
    // A submission's own refusal states the outcome, unless the gateway failed before it had compared the content.
    return isFault && route !== undefined && "endpoint" in route
      ? contentStateUnknown(refusal, route.endpoint)
      : refusal;
  }
  // This request, or an earlier request with the same key, may have been sent before the error.
  if (isSubmitted && refusal.code === "INTERNAL_ERROR") return keyStateUnknown(refusal);
  if (isSubmitted && refusal.code !== "STORE_UNAVAILABLE") return refusal;
  // Stored submissions belong to callers, so no submission is read for a request without a known caller.
  if (caller === undefined) return keyStateUnknown(refusal);
  // The submission may have been sent by a route that the gateway no longer serves.
  if (route === undefined) return keyStateUnknown(refusal);
  if (!("endpoint" in route)) return refusal;
  // A caller without the scope, or without an account, may not learn the result of the submission.
  if (refusal.code === "FORBIDDEN" || account === undefined) return keyStateUnknown(refusal);
  const key = readableKeyOf(exchange);
  return key === null
    ? contentNotCompared(refusal)
    : submissions.refused(refusal, { route, caller, account, key });
}

/** Reports whether a request may be a submission, judged by its method and route. */
function mayBeSubmission({ head }: IncomingRequest, found: RequestFacts["found"]): boolean {
  if (!maySubmit(head.method ?? "")) return false;
  const route = found?.route;
  if (route === undefined) return true;
  return "endpoint" in route && kindPolicies[route.endpoint.kind].actsAtInsurer;
}

function hasIdempotencyKey({ head }: IncomingRequest): boolean {
  return head.headersDistinct["idempotency-key"] !== undefined;
}

/** Returns the idempotency key of a request; null if the key is malformed, in which case no submission can have it. */
function readableKeyOf({ head }: IncomingRequest): string | null {
  try {
    return idempotencyKeyOf(head.headersDistinct["idempotency-key"])?.key ?? null;
  } catch {
    return null;
  }
}

function pickReason({ details }: Refusal): { readonly reason?: string } {
  return details.reason === undefined ? {} : { reason: details.reason };
}
