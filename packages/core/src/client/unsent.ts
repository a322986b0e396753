import type { Endpoint } from "../contract/endpoint.ts";
import { GatewayError, RequestInvalidError } from "../errors/index.ts";
import type { SubmissionStatus } from "../own/submission-status.ts";
import { KEY_HEADER, mayBeEarlierKey } from "./idempotency-key.ts";
import { errorAfterAttempts, type SentSubmission, unknownOutcomeError } from "./outcome.ts";
import type { UncheckedInput } from "./request.ts";
import { isNotFound } from "./submission-queries.ts";
import { nextQueryTimeOf } from "./submission-results.ts";

/** Functions that find out whether an earlier call sent a key. */
export interface EarlierCallQuery extends Pick<SentSubmission, "now" | "resolve"> {
  /** Queries the gateway for the submission with a key. */
  readonly ask: (key: string) => Promise<SubmissionStatus>;
}

/**
 * Returns the error of a request that this client refuses to send. If the calling program chose the key, an earlier
 * call may have sent a submission with this key. In this case the error has the outcome of the earlier submission.
 */
export async function unsentError(
  endpoint: Endpoint,
  input: UncheckedInput,
  failure: RequestInvalidError,
  { ask, now, resolve }: EarlierCallQuery,
): Promise<GatewayError> {
  const given = chosenKeyIn(input);
  if (!mayBeEarlierKey(endpoint, given)) return failure;
  const submission = { key: given, isGiven: true, isGenerated: false, now, resolve };
  try {
    return withEarlierOutcome(endpoint, failure, await ask(given), submission);
  } catch (error) {
    if (!GatewayError.isInstance(error)) throw error;
    if (isNotFound(error)) return failure;
    return errorAfterAttempts(endpoint, submission, [], { failure, head: null });
  }
}

/** Returns the key that the calling program passed, even if the key was passed as a header by mistake. */
function chosenKeyIn({ headers, idempotencyKey }: UncheckedInput): unknown {
  const named = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === KEY_HEADER);
  return idempotencyKey ?? named?.[1];
}

/** Returns the error with the outcome that the status of the earlier submission proves. */
function withEarlierOutcome(
  endpoint: Endpoint,
  failure: RequestInvalidError,
  status: SubmissionStatus,
  submission: SentSubmission,
): GatewayError {
  const { insurerId, state, submissionId } = status;
  if (state === "succeeded" || state === "failed")
    return new RequestInvalidError(failure, failure.errors, {
      outcome: state === "succeeded" ? "executed" : "rejected",
      submissionId,
      insurerId,
    });
  return unknownOutcomeError(
    endpoint,
    { ...submission, submissionId },
    failure,
    nextQueryTimeOf(status),
  );
}
