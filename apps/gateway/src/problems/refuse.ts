import { kindPolicies } from "@insurance-gateway/core/contract";
import type { Exchange, RequestFacts } from "../listener/exchange.ts";
import { failureOf } from "../logging/failure.ts";
import type { Logger } from "../logging/logger.ts";
import type { Handled } from "../pipeline.ts";
import { keyStateUnknown } from "../submissions/answers.ts";
import { idempotencyKeyOf } from "../submissions/identity.ts";
import type { Submissions } from "../submissions/submissions.ts";
import { timingOf } from "../tracing/server-timing.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { problemOf } from "./problem.ts";
import { INTERNAL_ERROR_DETAIL, Refusal } from "./refusal.ts";

/**
 * Makes what is answered instead of what a request wanted: a problem, or the answer of the submission that its key belongs to.
 * @param facts - what was known of the request when it failed
 */
export type Refuse = (error: unknown, exchange: Exchange, facts: RequestFacts) => Promise<Handled>;

/** What refusing works with. */
export interface RefuseParts {
  readonly logger: Logger;
  readonly submissions: Pick<Submissions, "refused">;
  /** The prefix of every path, or "". */
  readonly basePath: string;
}

/** Creates the function that answers refused requests. */
export function createRefuse({ basePath, logger, submissions }: RefuseParts): Refuse {
  function logCause({ cause }: Refusal, { id }: Exchange): void {
    if (cause !== undefined) logger.error({ requestId: id, failure: failureOf(cause) }, "failed");
  }

  return async (error, exchange, facts) => {
    const refused = refusalOf(error);
    const refusal = await truthful(refused, exchange, facts, submissions).catch(
      (second: unknown) => {
        // The second error is logged below, as the cause of the problem.
        logCause(refused, exchange);
        return keyStateUnknown(refusalOf(second));
      },
    );
    if (!(refusal instanceof Refusal)) {
      const { content, headers, problem, status } = refusal;
      const answer = { status, headers: { ...facts.limits, ...headers }, content };
      return { answer, facts: { ...facts, problem } };
    }
    const route = facts.found?.route;
    const provider = route !== undefined && "endpoint" in route ? route.endpoint.provider : null;
    const problem = problemOf(refusal, { requestId: exchange.id, provider, basePath });
    logCause(refusal, exchange);
    const headers = {
      ...facts.limits,
      ...refusal.details.headers,
      "cache-control": "no-store",
      "server-timing": timingOf(exchange),
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
 * What a refusal is for a request with an idempotency key: an earlier request with the key may have been sent, and the
 * outcome that is answered speaks of the submission.
 */
async function truthful(
  refusal: Refusal,
  exchange: Exchange,
  { caller, connection, found, isSubmitted }: RequestFacts,
  submissions: Pick<Submissions, "refused">,
): Promise<Refusal | UpstreamAnswer> {
  if (!hasKey(exchange)) return refusal;
  // A submission says by itself what is certain, except where the gateway failed or could not store it.
  if (isSubmitted && refusal.code === "INTERNAL_ERROR") return keyStateUnknown(refusal);
  if (isSubmitted && refusal.code !== "STORE_UNAVAILABLE") return refusal;
  // Without a caller or below its limits nothing is read: every record is somebody's, and reading costs something.
  if (caller === undefined) return keyStateUnknown(refusal);
  const route = found?.route;
  // A route that is not served any more may have sent it.
  if (route === undefined) return keyStateUnknown(refusal);
  if (!("endpoint" in route)) return refusal;
  if (!kindPolicies[route.endpoint.kind].actsAtInsurer) return refusal;
  // A token without the scope, or whose tenant has no connection, is not shown how the submission ended.
  if (refusal.code === "FORBIDDEN" || connection === undefined) return keyStateUnknown(refusal);
  const key = readableKey(exchange);
  return key === null ? refusal : submissions.refused(refusal, { route, caller, connection, key });
}

/** Whether a request may be a submission with a key, as far as its head says. */
function hasKey({ head }: Exchange): boolean {
  const methods: readonly string[] = kindPolicies.submission.methods;
  const { headersDistinct, method = "" } = head;
  return methods.includes(method) && headersDistinct["idempotency-key"] !== undefined;
}

/** No submission has a key that is not well-formed. */
function readableKey({ head }: Exchange): string | null {
  try {
    return idempotencyKeyOf(head.headersDistinct["idempotency-key"]);
  } catch {
    return null;
  }
}

function pickReason({ details }: Refusal): { readonly reason?: string } {
  return details.reason === undefined ? {} : { reason: details.reason };
}

/** Makes a refusal of anything that was thrown; what is not known is the gateway's own fault and says nothing of itself. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL }, error);
}
