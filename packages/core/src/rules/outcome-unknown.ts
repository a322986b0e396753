import type { Endpoint } from "../contract/endpoint.ts";
import type { ProblemReconciliation } from "../errors/problem.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";

/** The parts of a refusal that the attempt alone proves. */
export type Observed = Pick<
  RefusalDetails,
  | "attempt"
  | "answerConnections"
  | "credentialsOutdated"
  | "credentialsRefused"
  | "headers"
  | "mismatched"
  | "reason"
  | "retryAfterSeconds"
>;

/** A submission that may have been carried out; `open-answers.ts` adds the next step. */
export function outcomeUnknown(
  endpoint: Endpoint,
  observed: Observed = {},
  cause?: unknown,
): Refusal {
  const detail = "The insurer may have received the request, and no usable answer came back.";
  const lookup = reconciliationOf(endpoint.reconcile);
  return new Refusal(
    "OUTCOME_UNKNOWN",
    { ...observed, detail, ...(lookup && { reconciliation: lookup }) },
    cause,
  );
}

/** The lookup as a problem names it: without what is the gateway's own use of it. */
export function reconciliationOf(lookup: Endpoint["reconcile"]): ProblemReconciliation | undefined {
  return lookup && { endpoint: lookup.endpoint, parameters: lookup.parameters };
}
