import type { Endpoint } from "../contract/endpoint.ts";
import { actsAtInsurer } from "../contract/kinds.ts";
import {
  ConnectionError,
  type GatewayError,
  type Outcome,
  type RetryAdvice,
} from "../errors/index.ts";
import {
  ANSWER_UNREAD,
  nothingSent,
  setupFaultOf,
  TransportError,
} from "../transport/transport.ts";
import { isObjectOrList } from "./object-or-list.ts";
import type { RemedyTexts } from "./options.ts";
import { endpointNameOf } from "./request.ts";

/** Returns the outcome of a call without a usable answer, and the advice for the calling program. */
export function outcomeWithoutAnswer(
  endpoint: Endpoint,
  sent: boolean,
): { readonly outcome: Outcome; readonly retry: RetryAdvice; readonly advice: string } {
  if (!sent)
    return {
      outcome: "not_sent",
      retry: "safe",
      advice: "Nothing was sent: it is safe to try again.",
    };
  if (!actsAtInsurer(endpoint))
    return {
      outcome: "unknown",
      retry: "safe",
      advice: "The call changes nothing at the insurer: it is safe to try again.",
    };
  // The OutcomeUnknownError that replaces this error contains the advice, because that error depends on all attempts.
  return { outcome: "unknown", retry: "same_key", advice: "" };
}

/** Returns the outcome of a call that would fail again until somebody corrects the configuration. */
function configurationOutcome(
  remedy = "the connection is set up wrongly.",
): ReturnType<typeof outcomeWithoutAnswer> {
  return { outcome: "not_sent", retry: "never", advice: `Nothing was sent: ${remedy}` };
}

/**
 * Creates the error for a request without an answer, or with an incomplete answer.
 * @param error - a TransportError, or any value that the calling program's own transport threw
 * @param requestId - the request id in the head of the incomplete answer
 * @param remedies - the texts for wrong connection settings
 */
export function connectionError(
  endpoint: Endpoint,
  error: unknown,
  requestId: string | null = null,
  remedies: RemedyTexts = {},
): ConnectionError {
  const known = TransportError.isInstance(error);
  const { detail, phase, reason } = known ? error : assumedFault;
  const setupFault = known ? setupFaultOf(error) : null;
  const { advice, outcome, retry } =
    setupFault === null
      ? outcomeWithoutAnswer(endpoint, !nothingSent(phase))
      : configurationOutcome(remedies[setupFault]);
  const isOfSignal = known && reason === "cancelled" && isTimeoutReason(error.cause);
  const special =
    detail === ANSWER_UNREAD ? UNREAD_ANSWER_TEXT : isOfSignal ? SIGNAL_TIMEOUT_TEXT : null;
  const text =
    special ??
    textsByReason[reason] ??
    `The connection to the gateway failed (${detail ?? phase}).`;
  return new ConnectionError(
    {
      code: isOfSignal ? "TIMEOUT" : (codesByReason[reason] ?? "CONNECTION_FAILED"),
      outcome,
      retry,
      message: `${text} ${advice}`.trim(),
      provider: endpoint.provider,
      endpoint: endpointNameOf(endpoint),
      requestId,
    },
    known ? error.cause : error,
  );
}

/**
 * Phase and reason that the client assumes for an error that is not a TransportError. Such an error does not show
 * whether the request was sent, so the client assumes that it may have been sent.
 */
const assumedFault: Pick<TransportError, "detail" | "phase" | "reason"> = {
  phase: "wait",
  reason: "failed",
  detail: "the transport's own error is the `cause`",
};

/**
 * Creates the error of a call that was cancelled before its next attempt. The error has the outcome of the last
 * attempt.
 * @param reason - the calling program's reason for the cancellation
 */
export function cancelledWhileWaiting(failure: GatewayError, reason: unknown): ConnectionError {
  const { code, endpoint, outcome, provider, requestId, retry } = failure;
  const [ownCode, end] = isTimeoutReason(reason)
    ? ["TIMEOUT", "The time limit of the call's signal passed"]
    : ["CANCELLED", "The call was cancelled"];
  const message = `${end} while it waited to try again after ${code}.`;
  const facts = { code: ownCode, outcome, retry, message, provider, endpoint, requestId };
  return new ConnectionError(facts, reason);
}

/** Reports whether `AbortSignal.timeout()` aborted a signal, by the signal's reason. */
function isTimeoutReason(reason: unknown): boolean {
  return isObjectOrList(reason) && "name" in reason && reason.name === "TimeoutError";
}

const SIGNAL_TIMEOUT_TEXT = "The call took longer than its signal allows.";

const UNREAD_ANSWER_TEXT =
  "The gateway answered, and the application did not read the answer in time: read it faster, or raise `timeout`.";

/** Error codes by the reason of the failure. Default: CONNECTION_FAILED. */
const codesByReason: Readonly<Record<string, string>> = {
  timeout: "TIMEOUT",
  cancelled: "CANCELLED",
};

/** Message texts by the reason of the failure. */
const textsByReason: Readonly<Record<string, string>> = {
  timeout: "The gateway did not answer in time; `timeout` sets how long a call may take.",
  cancelled: "The call was cancelled.",
};
