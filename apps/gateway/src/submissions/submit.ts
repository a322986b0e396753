import { randomUUID } from "node:crypto";
import type { CheckedInput } from "@insurance-gateway/core/contract";
import type { Caller } from "../authentication/caller.ts";
import { Refusal } from "../problems/refusal.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { type Claimed, StoreUnavailableError } from "../store/store.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import type { CallOrigin } from "../upstream/attempt.ts";
import { refusalOfOwnFault } from "../upstream/outcome.ts";
import { submissionAddress } from "./addresses.ts";
import { type ConcludeParts, concludeAnswer, concludeRefusal, type Sent } from "./conclude.ts";
import { answerEarlier } from "./earlier.ts";
import type { Identify } from "./identity.ts";
import { encryptMatchFields, matchFieldsOf } from "./match-fields.ts";
import { reached } from "./points.ts";
import { storeUnavailable } from "./store-unavailable.ts";
import { SEND_WITHIN_MS } from "./timing.ts";
import { unknownForNow } from "./unknown.ts";

/** What submitting works with. */
export interface SubmitParts extends ConcludeParts {
  readonly identify: Identify;
}

/** One submission as it was asked for. */
export interface SubmissionCall {
  readonly caller: Caller;
  readonly key: string | null;
  readonly input: CheckedInput;
  readonly origin: CallOrigin;
}

/**
 * The whole way of a submission: claim, send, settle, answer. It is claimed on disk before its first byte leaves, and
 * its end is on disk before the caller hears of it. It goes on when the caller goes away.
 */
export type Submit = (route: ProviderRoute, call: SubmissionCall) => Promise<UpstreamAnswer>;

/** One submission that is under way. */
interface Underway extends Sent {
  readonly route: ProviderRoute;
  readonly call: SubmissionCall;
}

/** Makes the way of submissions. */
export function createSubmit(parts: SubmitParts): Submit {
  return async (route, call) => {
    const underway = begin(parts, route, call);
    const claimed = await claim(parts, underway);
    const { id } = claimed.claimed ? underway : claimed.existing;
    try {
      if (!claimed.claimed) return answerExisting(parts, underway, claimed.existing);
      reached("after_claim", id);
      return await carryOut(parts, underway);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // Whatever went wrong in the gateway itself: it may have been sent.
      throw unknownForNow(route.endpoint, submissionAddress(parts.basePath, id), error);
    } finally {
      if (claimed.claimed) reached("before_reply", id);
    }
  };
}

function begin(
  { basePath, identify, encryption, time }: SubmitParts,
  route: ProviderRoute,
  call: SubmissionCall,
): Underway {
  const { endpoint, name, segment, submissionMs } = route;
  const id = randomUUID();
  const receivedAt = time.now();
  const matchFields = matchFieldsOf(endpoint, call.input.body);
  return {
    id,
    route,
    call,
    endpoint,
    href: submissionAddress(basePath, id),
    requestId: call.origin.requestId,
    claim: {
      ...identify.submission({ ...call, segment, endpoint: name }),
      matchDigest:
        matchFields === null ? null : identify.matchDigest(endpoint.provider, name, matchFields),
      id,
      provider: endpoint.provider,
      segment,
      endpoint: name,
      receivedAt,
      leaseUntil: receivedAt + submissionMs + SEND_WITHIN_MS,
      matchFields: matchFields === null ? null : encryptMatchFields(encryption, id, matchFields),
      keyId: encryption.keyId,
    },
  };
}

async function claim({ recorder, store }: SubmitParts, underway: Underway): Promise<Claimed> {
  try {
    return await store.claim(underway.claim);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (error.mayBeWritten) await recorder.withdraw(underway.id);
    throw storeUnavailable();
  }
}

function answerExisting(
  { basePath, encryption, time }: SubmitParts,
  { call, claim: { fingerprint }, endpoint }: Underway,
  existing: SubmissionRecord,
): UpstreamAnswer {
  const href = submissionAddress(basePath, existing.id);
  const keyed = call.key !== null;
  return answerEarlier(
    existing,
    { endpoint, keyed, fingerprint, now: time.now(), href },
    encryption,
  );
}

async function carryOut(parts: SubmitParts, underway: Underway): Promise<UpstreamAnswer> {
  const sent = await send(parts, underway);
  reached("after_answer", underway.id);
  return sent instanceof Refusal
    ? concludeRefusal(parts, underway, sent)
    : concludeAnswer(parts, underway, sent);
}

/** Sends it; what comes of it is an answer or a Refusal. */
async function send(
  { time }: SubmitParts,
  { call, claim: { receivedAt }, id, route }: Underway,
): Promise<UpstreamAnswer | Refusal> {
  // The process may have been held up: once its lease could end while it sends, it must not begin.
  if (time.now() - receivedAt > SEND_WITHIN_MS) return storeUnavailable();
  const { input, origin } = call;
  reached("before_send", id);
  try {
    const upstream = { ...origin, input, submissionId: id, callerGone: null };
    return await route.upstream.call(route.endpoint, upstream);
  } catch (error) {
    return error instanceof Refusal ? error : refusalOfOwnFault(route.endpoint, error);
  }
}
