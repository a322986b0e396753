import type { Endpoint } from "../contract/endpoint.ts";
import {
  GatewayError,
  OutcomeUnknownError,
  ProblemError,
  type ProblemLookup,
} from "../errors/index.ts";

/**
 * The error that the failed tries of one call come to: the last, unless an earlier try of a submission left more open
 * than the last one tells. A try that came to nothing says nothing about the one before it.
 * @param idempotencyKey - what every try was sent with; null for what is no submission
 * @param failures - of the tries in their order, at least one
 */
export function concluded(
  endpoint: Endpoint,
  idempotencyKey: string | null,
  failures: readonly unknown[],
): unknown {
  const last = failures.at(-1);
  if (idempotencyKey === null || !GatewayError.isInstance(last)) return last;
  if (last.outcome === "rejected" || last.outcome === "executed") return last;
  const known = failures.filter((failure) => GatewayError.isInstance(failure));
  const unknown = known.findLast(({ outcome }) => outcome === "unknown");
  if (unknown !== undefined)
    return new OutcomeUnknownError(unknown, idempotencyKey, lookupOf(endpoint, known));
  return known.findLast(({ retry }) => retry === "same_key") ?? last;
}

function lookupOf(endpoint: Endpoint, failures: readonly GatewayError[]): ProblemLookup | null {
  const told = failures.findLast(
    (failure) => ProblemError.isInstance(failure) && failure.lookup !== null,
  );
  if (ProblemError.isInstance(told)) return told.lookup;
  if (endpoint.lookup === undefined) return null;
  const { endpoint: search, parameters } = endpoint.lookup;
  return { endpoint: search, parameters };
}
