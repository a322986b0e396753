import type { RequestToken, TokenSupplier } from "../auth/token-source.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { GatewayError, ProblemError, ResponseInvalidError, TokenError } from "../errors/index.ts";
import {
  type CancellationSignal,
  realTime,
  setupFaultOf,
  type Transport,
  TransportError,
  type TransportResponse,
  type TransportTime,
} from "../transport/transport.ts";
import { type ResponseHead, responseHeadOf } from "./answer.ts";
import { cancelledWhileWaiting, connectionError } from "./failure.ts";
import { callHook } from "./hooks.ts";
import type { SubmissionKey } from "./idempotency-key.ts";
import type { GatewayOptions, RemedyTexts } from "./options.ts";
import type { FailedAttempt } from "./outcome.ts";
import { endpointNameOf, type PreparedRequest } from "./request.ts";

/** Settings and functions that all attempts of one call share. */
export interface AttemptContext {
  readonly transport: Transport;
  readonly tokens: TokenSupplier;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Returns the final error of a call after failed attempts. */
  readonly conclude: (
    submission: SubmissionKey | null,
    earlier: readonly FailedAttempt[],
    last: FailedAttempt,
  ) => GatewayError;
  readonly remedies: RemedyTexts | undefined;
  readonly signal?: CancellationSignal;
  readonly onAttempt?: GatewayOptions["onAttempt"];
}

/** Maximum number of attempts that get no answer from the gateway. */
const MAX_UNANSWERED_ATTEMPTS = 3;
/** Wait before the second attempt, in milliseconds. The wait doubles with each further attempt. */
const FIRST_BACKOFF_MS = 100;
/** Longest wait before another attempt if the gateway names no wait, in milliseconds. */
const LONGEST_BACKOFF_MS = 2_000;

/**
 * Sends a request until `read` accepts the answer, always with the same idempotency key. Within the time limit of the
 * call, the client retries if the gateway advises a retry and names a wait. The client also retries, with at most three
 * attempts, if the connection fails or a load balancer answers instead of the gateway. Both kinds of retries are safe:
 * a key never takes effect twice, and calls without a key change nothing. Only the gateway retries calls to insurers,
 * so that the retries of two layers do not multiply.
 */
export async function sendWithRetries<Answer>(
  endpoint: Endpoint,
  request: PreparedRequest,
  context: AttemptContext,
  read: (response: TransportResponse) => Promise<Answer>,
): Promise<Answer> {
  const { time = realTime } = context.transport;
  const deadline = time.elapsed() + context.timeoutMs;
  const key = request.submission?.key ?? null;
  let earlier: readonly FailedAttempt[] = [];
  let unanswered = 0;
  let isRenewed = false;
  for (let count = 1; ; count++) {
    const startedAt = time.elapsed();
    let head: ResponseHead | null = null;
    let token: RequestToken | null = null;
    const reportEnd = (code: string | null, retryInMs: number | null): void =>
      callHook(context.onAttempt, {
        provider: endpoint.provider,
        endpoint: endpointNameOf(endpoint),
        attempt: count,
        durationMs: time.elapsed() - startedAt,
        status: head?.status ?? null,
        requestId: head?.requestId ?? null,
        code,
        retryInMs,
      });
    try {
      token = await nextToken(endpoint, context, deadline);
      const response = await sendAttempt(request, token, context, deadline);
      head = responseHeadOf(response, key);
      const answer = await read(response);
      reportEnd(null, null);
      return answer;
    } catch (error) {
      const failed = failedAttemptOf(endpoint, head, error, context.remedies);
      if (isStoredAnswer(failed)) earlier = [];
      const conclusion = context.conclude(request.submission, earlier, failed);
      // The refused token is replaced even if the request cannot be repeated, so that the next call has a new token.
      const isReplaced = head?.status === 401 && token?.refused() === true;
      if (isReplaced && !isRenewed && request.isRepeatable) {
        isRenewed = true;
        earlier = [...earlier, failed];
        reportEnd(failed.failure.code, 0);
        continue;
      }
      if (!ProblemError.isInstance(error)) unanswered++;
      const isLast = unanswered >= MAX_UNANSWERED_ATTEMPTS || !request.isRepeatable;
      const advisedMs = isLast ? null : waitAfterFailureMs(error, count);
      const waitMs = advisedMs !== null && time.elapsed() + advisedMs < deadline ? advisedMs : null;
      reportEnd(failed.failure.code, waitMs);
      if (waitMs === null) throw conclusion;
      earlier = [...earlier, failed];
      await pause(time, waitMs, [context.signal], () => {
        const failure = cancelledWhileWaiting(conclusion, context.signal?.reason);
        return context.conclude(request.submission, earlier, { failure, head: null });
      });
    }
  }
}

function failedAttemptOf(
  endpoint: Endpoint,
  head: ResponseHead | null,
  error: unknown,
  remedies: RemedyTexts | undefined,
): FailedAttempt {
  const failure = GatewayError.isInstance(error)
    ? error
    : connectionError(endpoint, error, head?.requestId ?? null, remedies);
  return { failure, head };
}

/**
 * Reports whether a problem is a stored answer. A stored answer is the final result of the submission, even if earlier
 * attempts had an unknown outcome.
 */
function isStoredAnswer({ failure, head }: FailedAttempt): boolean {
  return head?.headers["idempotency-replayed"] === "true" && ProblemError.isInstance(failure);
}

/** Gets the token of an attempt, within the time limit of the call. */
async function nextToken(
  endpoint: Endpoint,
  { signal, tokens, transport: { time = realTime } }: AttemptContext,
  deadline: number,
): Promise<RequestToken> {
  const token = await tokens.next(deadline - time.elapsed(), signal);
  if ("headers" in token) return token;
  throw new TokenError({
    provider: endpoint.provider,
    endpoint: endpointNameOf(endpoint),
    message: `Nothing was sent: the ${token.fault}.`,
    retry: token.mayPass ? "safe" : "never",
  });
}

/** Sends one attempt of a call, with its token and the remaining time. */
async function sendAttempt(
  request: PreparedRequest,
  token: RequestToken,
  { transport, signal, userAgent }: AttemptContext,
  deadline: number,
): Promise<TransportResponse> {
  const { time = realTime } = transport;
  const timeoutMs = deadline - time.elapsed();
  // No time is left for an answer. The client does not send, so that the outcome `not_sent` is certain.
  if (!(timeoutMs > 0)) throw new TransportError("connect", "timeout");
  const { isRepeatable: _, submission, ...sent } = request;
  return transport.send({
    ...sent,
    headers: {
      "user-agent": userAgent,
      ...(submission === null ? {} : preferHeader(timeoutMs)),
      ...request.headers,
      ...token.headers,
    },
    // A submission on a connection that the gateway is closing would have an unknown outcome.
    connection: submission === null ? "any" : "fresh",
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

/**
 * Time left between the latest moment at which the gateway answers and the call's time limit, in milliseconds. It is
 * half of the time limit if the limit is less than 4 s.
 */
const ANSWER_MARGIN_MS = 2_000;
/** Longest wait that the gateway accepts, in seconds. */
const MAX_PREFERRED_WAIT_SECONDS = 45;

/**
 * Returns the header `prefer`, which asks the gateway to answer a submission before the call's time limit, even if the
 * outcome is still unknown (RFC 7240, section 4.3).
 */
function preferHeader(timeoutMs: number): Readonly<Record<string, string>> {
  const seconds = Math.floor((timeoutMs - Math.min(ANSWER_MARGIN_MS, timeoutMs / 2)) / 1_000);
  return seconds < 1 ? {} : { prefer: `wait=${Math.min(seconds, MAX_PREFERRED_WAIT_SECONDS)}` };
}

/**
 * Returns the wait before the next attempt in milliseconds, or null if no attempt may follow.
 * @param count - number of attempts so far
 */
function waitAfterFailureMs(error: unknown, count: number): number | null {
  const longestMs = Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), LONGEST_BACKOFF_MS);
  const backoffMs = longestMs * (0.5 + Math.random() / 2);
  if (!ProblemError.isInstance(error)) return isTemporary(error) ? backoffMs : null;
  const isAdvised = error.retry === "safe" || error.retry === "same_key";
  // The backoff prevents a storm of requests after a Retry-After of 0.
  return isAdvised && error.retryAfterSeconds !== null
    ? Math.max(error.retryAfterSeconds * 1_000, backoffMs)
    : null;
}

/** Statuses with which a load balancer answers if it cannot reach a gateway or limits its clients. */
const BALANCER_STATUSES: readonly number[] = [429, 502, 503, 504];

/** Reports whether something before the gateway failed, so that another attempt may reach the gateway. */
function isTemporary(error: unknown): boolean {
  if (ResponseInvalidError.isInstance(error)) return BALANCER_STATUSES.includes(error.status);
  return TransportError.isInstance(error) && error.reason === "failed" && !isPermanent(error);
}

/** Reports whether a retry would fail again: the transport is closed or cannot write, or the configuration is wrong. */
function isPermanent(error: TransportError): boolean {
  return (
    setupFaultOf(error) !== null ||
    /^(CLOSED|UND_ERR_(INVALID_ARG|DESTROYED|CLOSED))$/.test(error.detail ?? "")
  );
}

/**
 * Waits for a number of milliseconds, by the given clock.
 * @throws the value that `reason` returns if a signal ends the wait
 */
export function pause(
  time: Pick<TransportTime, "after">,
  milliseconds: number,
  signals: readonly (CancellationSignal | undefined)[],
  reason: () => unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      for (const signal of signals) signal?.removeEventListener("abort", stop);
    };
    const stop = (): void => {
      end();
      reject(reason());
    };
    const cancel = time.after(milliseconds, () => {
      end();
      resolve();
    });
    for (const signal of signals) signal?.addEventListener("abort", stop);
    if (signals.some((signal) => signal?.aborted)) stop();
  });
}

/** Version of this package, which the build inserts. */
declare const PACKAGE_VERSION: string | undefined;

/** Returns the value of the header `user-agent`: the version of this package and the runtime. */
export function userAgent(): string {
  const version = typeof PACKAGE_VERSION === "undefined" ? "source" : PACKAGE_VERSION;
  // In Node 24, `navigator.userAgent` is `Node.js/24`. A browser sends its own `user-agent` header instead of this header.
  const runtime = globalThis.navigator?.userAgent ?? "";
  return `insurance-gateway-core/${version} ${runtime}`.trim();
}
