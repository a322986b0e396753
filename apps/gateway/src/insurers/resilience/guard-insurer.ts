import {
  type Credentials,
  CredentialsError,
  type CredentialsWait,
  type PresentedCredentials,
} from "@insurance-gateway/core/auth";
import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import type { ExchangeEnd } from "@insurance-gateway/core/transport";
import { defaultAccount } from "../../configuration/account.ts";
import type { TimeoutsConfiguration } from "../../configuration/file.ts";
import type { AttemptResult, HeldBack, Observation, ObservedEndpoint } from "../../events.ts";
import { failureOf } from "../../operator/logging/failure.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import { Refusal } from "../../problems/refusal.ts";
import type { UpstreamAnswer } from "../answers/read-answer.ts";
import type { Attempts, AttemptWay, UpstreamCall } from "../attempt/attempt.ts";
import { NO_ROOM } from "../exchange/whole-answer.ts";
import { credentialsMissing } from "../outcomes/credentials-outcome.ts";
import { attemptResults } from "../outcomes/outcome.ts";
import { type ProxyError, proxyStatus } from "../outcomes/proxy-status.ts";
import type { Breaker } from "./breaker.ts";
import type { Bulkhead } from "./bulkhead.ts";

/** What the attempts of one account are made with; breaker and bulkhead are the insurer's, whichever account calls. */
export interface GuardedAttemptParts {
  readonly attempts: Attempts;
  readonly breaker: Breaker;
  readonly bulkhead: Bulkhead;
  readonly credentials: Credentials;
  readonly settings: AttemptWay["settings"];
  readonly observation: Observation;
  readonly logger: Pick<Logger, "error" | "warn">;
  readonly observed: (endpoint: Endpoint) => ObservedEndpoint;
  readonly timeouts: TimeoutsConfiguration;
  /** How long the insurer maintains its service from now on, in milliseconds; 0 when it does not. */
  readonly maintainedMs: () => number;
}

/** Makes one attempt, unless the insurer is to be left alone or has enough to do; throws a Refusal. */
export type GuardedAttempt = (
  endpoint: Endpoint,
  call: UpstreamCall,
  /** The time that is left, in milliseconds, asked for when the attempt begins. */
  leftMs: () => number,
) => Promise<UpstreamAnswer>;

/** An insurer that has not answered within this part of the time of a call is too slow; sooner, nothing is proved. */
const PATIENCE = 1 / 3;

/** Makes attempts that hold a place of the bulkhead until nothing more comes, and report the result to the breaker. */
export function createGuardedAttempt(parts: GuardedAttemptParts): GuardedAttempt {
  const { attempts, breaker, logger, maintainedMs, observation, observed, settings, timeouts } =
    parts;
  const patienceMs = (actsAtInsurer: boolean): number =>
    (actsAtInsurer ? timeouts.submissionMs : timeouts.totalMs) * PATIENCE;
  const holdBack = (endpoint: Endpoint, by: HeldBack, retryInMs: number): Refusal => {
    observation.heldBack(observed(endpoint), by);
    return heldBack(by, retryInMs);
  };

  return async (endpoint, call, leftMs) => {
    const { actsAtInsurer } = kindPolicies[endpoint.kind];
    // What changes nothing may be tried: an insurer often answers reads in its maintenance.
    const maintained = actsAtInsurer ? maintainedMs() : 0;
    if (maintained > 0) throw holdBack(endpoint, "maintenance", maintained);
    // Before the queue: while the insurer is left alone nobody needs to wait.
    const isProbe = call.once?.probe === true;
    const closedForMs = isProbe ? 0 : breaker.closedForMs(actsAtInsurer);
    if (closedForMs > 0) throw holdBack(endpoint, "breaker", closedForMs);
    // Most calls find a place and credentials, so that they wait for nothing.
    const entry = enterNow(parts, call) ?? (await enter(parts, call, leftMs));
    if (entry === null) throw holdBack(endpoint, "bulkhead", 0);
    const { leave, shown } = entry;
    const withinMs = leftMs();
    if (withinMs <= 0) {
      leave();
      throw holdBack(endpoint, "bulkhead", 0);
    }
    const admission = isProbe ? breaker.admitProbe() : breaker.admit(actsAtInsurer);
    if (!admission.admitted) {
      leave();
      throw holdBack(endpoint, "breaker", admission.retryInMs);
    }

    const begun = performance.now();
    const conclude = (result: AttemptResult, durationMs: number): void => {
      leave();
      admission.settle(result);
      observation.attemptEnded({ ...observed(endpoint), result, durationMs });
    };
    let hasWaitedForRoom = false;
    const make = async (leftMs: number, onNewConnection: boolean): Promise<UpstreamAnswer> => {
      try {
        return await attempts.make(endpoint, call, {
          withinMs: leftMs,
          credentials: shown,
          settings,
          onNewConnection,
          waitsForRoom() {
            hasWaitedForRoom = true;
          },
        });
      } catch (error) {
        if (!isForeign(error)) throw error;
        reportMismatch(parts, endpoint, call, error);
        // A submission is sent only once, and so is a query that proves an outcome: it has a new connection already.
        if (onNewConnection || actsAtInsurer || call.once !== undefined) throw error;
        return await make(Math.max(1, begun + withinMs - performance.now()), true);
      }
    };
    let answer: UpstreamAnswer;
    try {
      answer = await make(withinMs, false);
    } catch (error) {
      const durationMs = performance.now() - begun;
      if (error instanceof Refusal && error.details.reason === NO_ROOM)
        observation.answerRefused(observed(endpoint));
      const hadTime = durationMs > patienceMs(actsAtInsurer) && !hasWaitedForRoom;
      conclude(resultOfError(error, hadTime, isOver(durationMs, withinMs)), durationMs);
      throw withReplacement(error, shown);
    }
    const durationMs = performance.now() - begun;
    if (answer.whenEnded === undefined) conclude("answered", durationMs);
    else
      answer.whenEnded((ended) => {
        try {
          conclude(resultOf(ended), durationMs);
        } catch (error) {
          // It is the gateway's own fault and no reason to break the document, which the insurer has sent.
          logger.error({ requestId: call.requestId, failure: failureOf(error) }, "failed");
        }
      });
    return answer;
  };
}

/**
 * What an attempt without an answer says about the insurer.
 * @param hadTime - whether the insurer had enough time to answer: the attempt waited neither for its place, until little
 *   of its time was left, nor for room for the answer
 * @param isTimeOver - whether the attempt's own time has ended
 */
function resultOfError(error: unknown, hadTime: boolean, isTimeOver: boolean): AttemptResult {
  const result = error instanceof Refusal ? error.details.attempt : undefined;
  if (result === "cancelled" && hadTime) return "failed";
  if (result === "failed" && !hadTime && isTimeOver) return "cancelled";
  return result ?? "cancelled";
}

/** Whether the time of an attempt has ended; a timer may fire up to a millisecond early. */
function isOver(durationMs: number, withinMs: number): boolean {
  return durationMs >= withinMs - 1;
}

/** A place of the bulkhead, and the credentials that count now. */
interface Entry {
  readonly leave: () => void;
  readonly shown: PresentedCredentials;
}

function enterNow(
  { bulkhead, credentials }: GuardedAttemptParts,
  { account }: UpstreamCall,
): Entry | null {
  const shown = credentials.current();
  if (shown === null) return null;
  const leave = bulkhead.enterNow(account);
  return leave && { leave, shown };
}

/** Waits for credentials without a place, then for a place; null when none comes free in time. */
async function enter(
  { bulkhead, credentials }: GuardedAttemptParts,
  { callerGone, account }: UpstreamCall,
  leftMs: () => number,
): Promise<Entry | null> {
  for (let hasWaited = false; ; ) {
    if (credentials.current() === null) {
      hasWaited = true;
      await ready(credentials, { timeoutMs: leftMs(), signal: callerGone });
    }
    const leave = await bulkhead.enter(account, Math.max(0, leftMs()), hasWaited);
    if (leave === null) return null;
    const shown = credentials.current();
    if (shown !== null) return { leave, shown };
    // They ended, or were refused, while this call waited for its place.
    leave();
  }
}

async function ready(credentials: Credentials, wait: CredentialsWait): Promise<void> {
  try {
    await credentials.ready(wait);
  } catch (error) {
    throw CredentialsError.isInstance(error) ? credentialsMissing(error.fault) : error;
  }
}

/** Has credentials renewed that the insurer refused. */
function withReplacement(error: unknown, shown: PresentedCredentials): unknown {
  if (!(error instanceof Refusal) || error.details.credentialsOutdated !== true) return error;
  return shown.refused()
    ? new Refusal(error.code, { ...error.details, credentialsReplaced: true }, error.cause)
    : error;
}

/** Whether an answer was refused because it belongs to another call, or may do so. */
function isForeign(error: unknown): error is Refusal {
  return error instanceof Refusal && error.details.mismatched !== undefined;
}

/** Counts and logs the fields in which an answer differs from its call, without their values. */
function reportMismatch(
  { logger, observation, observed }: GuardedAttemptParts,
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

/** What a document came to: one that its reader did not take in time is not the insurer's failure. */
function resultOf({ failure, heldUp }: ExchangeEnd): AttemptResult {
  if (failure === null) return "answered";
  return heldUp ? "cancelled" : attemptResults[failure.reason];
}

const texts: Readonly<Record<HeldBack, { readonly detail: string; readonly error: ProxyError }>> = {
  breaker: {
    detail: "The insurer has failed again and again and is left alone for now; nothing was sent.",
    error: "destination_unavailable",
  },
  maintenance: {
    detail:
      "The insurer maintains its service until Retry-After is over and takes no submissions; nothing was sent.",
    error: "destination_unavailable",
  },
  bulkhead: {
    detail: "Too many calls of this insurer are under way; nothing was sent.",
    error: "connection_limit_reached",
  },
};

/** Whether a call was not sent, because of the calls before it or beside it, or the insurer's maintenance. */
export function isHeldBack({ details: { reason } }: Refusal): boolean {
  return reason !== undefined && Object.hasOwn(texts, reason);
}

/** A call that was not sent, because of the calls before it or beside it, or the insurer's maintenance. */
function heldBack(by: HeldBack, retryInMs: number): Refusal {
  const { detail, error } = texts[by];
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail,
    reason: by,
    headers: {
      ...proxyStatus({ error }),
      "retry-after": String(Math.max(1, Math.ceil(retryInMs / 1_000))),
    },
  });
}
