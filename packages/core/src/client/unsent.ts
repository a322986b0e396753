import type { Endpoint } from "../contract/endpoint.ts";
import { GatewayError, RequestInvalidError } from "../errors/index.ts";
import type { SubmissionStatus } from "../own/submission-status.ts";
import { KEY_HEADER, mayBeSentKey } from "./idempotency-key.ts";
import { concluded, type SentSubmission, unknownSubmission } from "./outcome.ts";
import type { UncheckedInput } from "./request.ts";
import { isNotFound } from "./submission-queries.ts";
import { dateOf } from "./submission-results.ts";

/** Functions that find out whether an earlier call sent a key. */
export interface EarlierUse extends Pick<SentSubmission, "now" | "resolve"> {
  /** Queries the gateway for the submission with a key. */
  readonly ask: (key: string) => Promise<SubmissionStatus>;
}

/**
 * Returns the error of a request that this client refuses to send. If the application chose its key, an earlier call
 * may have made a submission with the key. Then the error has the outcome of that submission.
 */
export async function unsentError(
  endpoint: Endpoint,
  input: UncheckedInput,
  failure: RequestInvalidError,
  { ask, now, resolve }: EarlierUse,
): Promise<GatewayError> {
  const given = givenKeyIn(input);
  if (!mayBeSentKey(endpoint, given)) return failure;
  const submission = { key: given, isGiven: true, isGenerated: false, now, resolve };
  try {
    return withState(endpoint, failure, await ask(given), submission);
  } catch (error) {
    if (!GatewayError.isInstance(error)) throw error;
    if (isNotFound(error)) return failure;
    return concluded(endpoint, submission, [], { failure, head: null });
  }
}

/** Returns the key that the application passed, even if it was passed as a header by mistake. */
function givenKeyIn({ headers, idempotencyKey }: UncheckedInput): unknown {
  const named = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === KEY_HEADER);
  return idempotencyKey ?? named?.[1];
}

function withState(
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
  return unknownSubmission(endpoint, { ...submission, submissionId }, failure, dateOf(status));
}
