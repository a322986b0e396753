import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { openRefusal } from "../rules/open-answers.ts";
import { FIRST_QUERY_AFTER_MS } from "../rules/query-times.ts";
import { Refusal } from "../rules/refusal.ts";
import { refusalOfFailure } from "../rules/request-failure.ts";
import { problemAnswer, successAnswer } from "../rules/stored-answer.ts";
import { freesKey, withAddress } from "../rules/submission-refusals.ts";
import { TransportError } from "../transport/transport.ts";
import { applyTimeLimit, type GatewayAnswer, gatewayAnswerOf } from "./insurer-answer.ts";
import { type FakeStoredSubmission, hrefOf, storeResult } from "./kept-submission.ts";
import type { SimulatedAnswer } from "./simulated-insurer.ts";

/** The gateway's default time limits of calls to insurers, in milliseconds. */
export const INSURER_TIMEOUT_MS = { submission: 45_000, other: 15_000 } as const;

/** Returns the end of the exchange with the insurer, and the time until this end in milliseconds. */
export function exchangeEndOf(
  endpoint: Endpoint,
  input: CheckedInput,
  answer: SimulatedAnswer,
  isAnswerLost: boolean,
): { readonly ended: GatewayAnswer | Refusal; readonly afterMs: number } {
  if (isAnswerLost) {
    const reset = new TransportError("wait", "failed", "ECONNRESET");
    return { ended: refusalOfFailure(endpoint, reset), afterMs: 0 };
  }
  const { afterMs, answer: inTime } = applyTimeLimit(answer, INSURER_TIMEOUT_MS.submission);
  try {
    return { ended: gatewayAnswerOf(endpoint, input, inTime), afterMs };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ended: error, afterMs };
  }
}

/** Stores the result of a submission, or its unknown outcome. */
export function storeExchangeEnd(record: FakeStoredSubmission): void {
  const { asker, ended, endsAt, requestId, route } = record;
  const { endpoint } = route;
  const href = hrefOf(record);
  record.updatedAt = endsAt;
  if (!(ended instanceof Refusal)) {
    const { content, headers, status } = ended;
    const answer = successAnswer({ status, content: String(content) }, headers, href);
    storeResult(record, "succeeded", answer, ended);
    record.own = answer;
    return;
  }
  const { outcome } = ended.facts;
  if (outcome === "unknown") {
    record.state = "outcome_unknown";
    record.unknownAt = endsAt;
    const queryAfterMs = ended.details.mismatched === undefined ? FIRST_QUERY_AFTER_MS : 0;
    record.nextQueryAt = endsAt + (endpoint.reconcile === undefined ? 0 : queryAfterMs);
    record.own = openRefusal(
      { state: "outcome_unknown", nextQueryAt: record.nextQueryAt },
      asker,
      { endpoint, href, running: endsAt },
      ended,
    );
    return;
  }
  record.own = outcome === "executed" ? withAddress(ended, href) : ended;
  if (freesKey(ended)) return;
  const { insurerId = null } = ended.details;
  const answer = problemAnswer(record.own, { provider: endpoint.provider, requestId });
  storeResult(record, outcome === "executed" ? "succeeded" : "failed", answer, { insurerId });
}
