import {
  type Credentials,
  CredentialsError,
  type CredentialsWait,
  type PresentedCredentials,
} from "@insurance-gateway/core/auth";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { AttemptResult } from "@insurance-gateway/core/runtime";
import {
  attemptResults,
  credentialsMissing,
  kindPolicies,
  type ProxyError,
  proxyStatus,
  Refusal,
} from "@insurance-gateway/core/runtime";
import type { ExchangeEnd } from "@insurance-gateway/core/transport";
import { defaultAccount } from "../../configuration/account.ts";
import type { HeldBackReason, Observation, ObservedEndpoint } from "../../events.ts";
import { failureOf } from "../../operator/logging/failure.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";
import type { AttemptCall, Step, TimedCall, UpstreamCall } from "../call.ts";
import { NO_MEMORY_REASON } from "../exchange/whole-answer.ts";
import type { Breaker } from "./breaker.ts";
import type { Bulkhead } from "./bulkhead.ts";

/** Arguments of `guardInsurer`. All accounts of an insurer share these arguments. */
export interface GuardParts {
  readonly breaker: Breaker;
  readonly bulkhead: Bulkhead;
  readonly observation: Observation;
  readonly logger: Pick<Logger, "error" | "warn">;
  readonly observed: (endpoint: Endpoint) => ObservedEndpoint;
  /** Returns the remaining time of the insurer's maintenance, in milliseconds; 0 without maintenance. */
  readonly maintainedMs: () => number;
}

/** Share of a call's time limit after which a caller's disconnect counts as the insurer's failure. */
const PATIENCE_SHARE = 1 / 3;

/**
 * Refuses all calls while the insurer fails, and submissions during the insurer's maintenance. Limits simultaneous
 * attempts. An attempt uses its slot until the insurer has sent everything; then the breaker learns the result.
 */
export function guardInsurer(parts: GuardParts): Step<TimedCall, AttemptCall> {
  const { logger, observation, observed } = parts;
  return (next) => async (endpoint, call) => {
    const { end, shown, withinMs } = await admitAttempt(parts, endpoint, call);
    const { actsAtInsurer } = kindPolicies[endpoint.kind];
    const begun = performance.now();
    let hasWaitedForRoom = false;
    let attempt: AttemptCall = {
      ...call,
      withinMs,
      credentials: shown,
      onNewConnection: false,
      waitsForRoom() {
        hasWaitedForRoom = true;
      },
    };
    let answer: UpstreamAnswer | undefined;
    while (answer === undefined)
      try {
        answer = await next(endpoint, attempt);
      } catch (caught) {
        const durationMs = performance.now() - begun;
        const error = isForeignAnswer(caught)
          ? reportForeignAnswer(parts, endpoint, call, caught)
          : caught;
        if (isForeignAnswer(error) && mayRepeat(endpoint, attempt)) {
          const leftMs = Math.max(1, withinMs - durationMs);
          attempt = { ...attempt, withinMs: leftMs, onNewConnection: true };
          continue;
        }
        const hadTime = durationMs > patienceMs(call, actsAtInsurer) && !hasWaitedForRoom;
        end(resultOfError(error, hadTime, isTimeLimitOver(durationMs, withinMs)), durationMs);
        if (error instanceof Refusal && error.details.reason === NO_MEMORY_REASON)
          observation.answerRefused(observed(endpoint));
        throw withCredentialsReplaced(error, shown);
      }
    const durationMs = performance.now() - begun;
    if (answer.whenEnded === undefined) end("answered", durationMs);
    else
      answer.whenEnded((ended) => {
        try {
          end(resultOfTransfer(ended), durationMs);
        } catch (error) {
          // A fault in the gateway's code must not break off the document, which the insurer has sent completely.
          logger.error({ requestId: call.requestId, failure: failureOf(error) }, "failed");
        }
      });
    return answer;
  };
}

/** Reports whether an attempt may be repeated; submissions and queries that prove an outcome may not. */
function mayRepeat({ kind }: Endpoint, { once, onNewConnection }: AttemptCall): boolean {
  return !onNewConnection && once === undefined && !kindPolicies[kind].actsAtInsurer;
}

function patienceMs({ opened }: TimedCall, actsAtInsurer: boolean): number {
  const { submissionMs, totalMs } = opened.insurer.timeouts;
  return (actsAtInsurer ? submissionMs : totalMs) * PATIENCE_SHARE;
}

/** An attempt that the breaker and the bulkhead have admitted. */
interface AdmittedAttempt {
  /** The credentials that the attempt uses. */
  readonly shown: PresentedCredentials;
  /** The remaining time of the attempt, in milliseconds. */
  readonly withinMs: number;
  /** Frees the slot and records the result of the attempt; must be called once. */
  readonly end: (result: AttemptResult, durationMs: number) => void;
}

/** Waits for credentials and a slot. Throws a Refusal if the attempt is not allowed now. */
async function admitAttempt(
  { breaker, bulkhead, maintainedMs, observation, observed }: GuardParts,
  endpoint: Endpoint,
  call: TimedCall,
): Promise<AdmittedAttempt> {
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const holdBack = (by: HeldBackReason, retryInMs: number): Refusal => {
    observation.heldBack(observed(endpoint), by);
    return refusalOfHeldBack(by, retryInMs);
  };
  // During maintenance, insurers often still answer calls that change nothing, so only submissions are refused.
  const maintained = actsAtInsurer ? maintainedMs() : 0;
  if (maintained > 0) throw holdBack("maintenance", maintained);
  // Checked before the wait for a slot: a call need not wait while the breaker is open.
  const isProbe = call.once?.probe === true;
  const closedForMs = isProbe ? 0 : breaker.closedForMs(actsAtInsurer);
  if (closedForMs > 0) throw holdBack("breaker", closedForMs);
  const entry = await enterWithCredentials(bulkhead, call);
  if (entry === null) throw holdBack("bulkhead", 0);
  const { leave, shown } = entry;
  const withinMs = call.leftMs();
  if (withinMs <= 0) {
    leave();
    throw holdBack("bulkhead", 0);
  }
  const admission = isProbe ? breaker.admitProbe() : breaker.admit(actsAtInsurer);
  if (!admission.admitted) {
    leave();
    throw holdBack("breaker", admission.retryInMs);
  }
  return {
    shown,
    withinMs,
    end(result, durationMs) {
      leave();
      admission.settle(result);
      observation.attemptEnded({ ...observed(endpoint), result, durationMs });
    },
  };
}

/**
 * Returns how an attempt that failed counts for the insurer's health.
 * @param hadTime - true if the insurer had enough time for an answer: the attempt did not lose its time with the wait
 *   for a slot or for memory
 * @param isTimeOver - true if the time limit of the attempt has ended
 */
function resultOfError(error: unknown, hadTime: boolean, isTimeOver: boolean): AttemptResult {
  const result = error instanceof Refusal ? error.details.attempt : undefined;
  if (result === "cancelled" && hadTime) return "failed";
  if (result === "failed" && !hadTime && isTimeOver) return "cancelled";
  return result ?? "cancelled";
}

/** Reports whether the time limit of an attempt has ended; a timer may fire up to a millisecond early. */
function isTimeLimitOver(durationMs: number, withinMs: number): boolean {
  return durationMs >= withinMs - 1;
}

/** A slot of the bulkhead, with the credentials that were valid when the call got the slot. */
interface SlotWithCredentials {
  readonly leave: () => void;
  readonly shown: PresentedCredentials;
}

/** Waits for credentials without a slot, and then for a slot; null if no slot becomes free in time. */
async function enterWithCredentials(
  bulkhead: Bulkhead,
  { account, callerGone, leftMs, opened: { credentials } }: TimedCall,
): Promise<SlotWithCredentials | null> {
  for (let hasWaited = false; ; ) {
    if (credentials.current() === null) {
      hasWaited = true;
      await waitForCredentials(credentials, { timeoutMs: leftMs(), signal: callerGone });
    }
    const leave = await bulkhead.enter(account, Math.max(0, leftMs()), hasWaited);
    if (leave === null) return null;
    const shown = credentials.current();
    if (shown !== null) return { leave, shown };
    // The credentials expired or were refused while this call waited for a slot.
    leave();
  }
}

async function waitForCredentials(
  credentials: Pick<Credentials, "ready">,
  wait: CredentialsWait,
): Promise<void> {
  try {
    await credentials.ready(wait);
  } catch (error) {
    throw CredentialsError.isInstance(error) ? credentialsMissing(error.fault) : error;
  }
}

/** Renews the credentials after a refusal, and notes in the error whether there are new credentials. */
function withCredentialsReplaced(error: unknown, shown: PresentedCredentials): unknown {
  if (!(error instanceof Refusal) || error.details.credentialsOutdated !== true) return error;
  return shown.refused()
    ? new Refusal(error.code, { ...error.details, credentialsReplaced: true }, error.cause)
    : error;
}

/** Reports whether an answer was refused because the answer belongs, or may belong, to another call. */
function isForeignAnswer(error: unknown): error is Refusal {
  return error instanceof Refusal && error.details.mismatched !== undefined;
}

/** Reports an answer that belonged to another call to the operator. Returns the refusal, or the report's error. */
function reportForeignAnswer(
  parts: GuardParts,
  endpoint: Endpoint,
  call: UpstreamCall,
  refusal: Refusal,
): unknown {
  try {
    reportMismatch(parts, endpoint, call, refusal);
    return refusal;
  } catch (fault) {
    return fault;
  }
}

/** Counts and logs the names of the fields in which an answer differs from its call, but not their values. */
function reportMismatch(
  { logger, observation, observed }: GuardParts,
  endpoint: Endpoint,
  { account, requestId }: UpstreamCall,
  { details: { mismatched: fields = [] } }: Refusal,
): void {
  if (fields.length === 0) return;
  const place = observed(endpoint);
  for (const field of fields) observation.answerMismatched(place, field);
  const { endpoint: name, segment } = place;
  const named = account === defaultAccount ? {} : { account };
  logger.warn(
    { requestId, segment, endpoint: name, ...named, fields },
    "an insurer's answer belongs to another call",
  );
}

/** Returns how a document's transfer counts for the insurer's health: a slow reader is not the insurer's failure. */
function resultOfTransfer({ failure, heldUp }: ExchangeEnd): AttemptResult {
  if (failure === null) return "answered";
  return heldUp ? "cancelled" : attemptResults[failure.reason];
}

const heldBackTexts: Readonly<
  Record<HeldBackReason, { readonly detail: string; readonly error: ProxyError }>
> = {
  breaker: {
    detail:
      "The gateway sends no calls to this insurer for now, because it has failed repeatedly; nothing was sent.",
    error: "destination_unavailable",
  },
  maintenance: {
    detail:
      "The insurer accepts no submissions during its maintenance, until Retry-After is over; nothing was sent.",
    error: "destination_unavailable",
  },
  bulkhead: {
    detail: "Too many calls to this insurer are running; nothing was sent.",
    error: "connection_limit_reached",
  },
};

/** Reports whether a refusal was caused by other calls or by the insurer's maintenance, not by the call itself. */
export function isHeldBack({ details: { reason } }: Refusal): boolean {
  return reason !== undefined && Object.hasOwn(heldBackTexts, reason);
}

/** Creates the refusal of a call because of other calls, or because of the insurer's maintenance. */
function refusalOfHeldBack(by: HeldBackReason, retryInMs: number): Refusal {
  const { detail, error } = heldBackTexts[by];
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail,
    reason: by,
    headers: {
      ...proxyStatus({ error }),
      "retry-after": String(Math.max(1, Math.ceil(retryInMs / 1_000))),
    },
  });
}
