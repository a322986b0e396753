import type { Endpoint } from "../contract/endpoint.ts";
import type { ProblemReconciliation } from "../errors/problem.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";

/** The parts of a refusal that describe only the attempt: the request to the insurer and its failure. */
export type AttemptFacts = Pick<
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

/** Returns the refusal for a submission that the insurer may have carried out. `open-answers.ts` adds the next step. */
export function outcomeUnknown(
  endpoint: Endpoint,
  observed: AttemptFacts = {},
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

/** Returns the reconciliation search as a problem shows it, without the parts that only the gateway uses. */
export function reconciliationOf(lookup: Endpoint["reconcile"]): ProblemReconciliation | undefined {
  return lookup && { endpoint: lookup.endpoint, parameters: lookup.parameters };
}
