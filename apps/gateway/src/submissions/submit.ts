import { randomUUID } from "node:crypto";
import type { CheckedInput } from "@insurance-gateway/core/contract";
import type { Caller } from "../authentication/caller.ts";
import { Refusal } from "../problems/refusal.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { type Claimed, StoreUnavailableError } from "../store/store.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { refusalOfOwnFault } from "../upstream/outcome.ts";
import { submissionAddress } from "./addresses.ts";
import { type ConcludeParts, concludeAnswer, concludeRefusal, type Sent } from "./conclude.ts";
import { answerEarlier } from "./earlier.ts";
import { evidenceOf, sealEvidence } from "./evidence.ts";
import type { Identify, SubmissionIdentity } from "./identity.ts";
import { reached } from "./points.ts";
import { SEND_WITHIN_MS } from "./timing.ts";

/** What submitting works with. */
export interface SubmitParts extends ConcludeParts {
  readonly identify: Identify;
}

/** One submission as it was asked for. */
export interface SubmissionCall {
  readonly caller: Caller;
  readonly key: string | null;
  readonly input: CheckedInput;
  readonly requestId: string;
  readonly scenario: string | undefined;
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
  readonly claimedAt: number;
}

/** Makes the way of submissions. */
export function createSubmit(parts: SubmitParts): Submit {
  const { basePath, identify, sealer, time } = parts;
  return async (route, call) => {
    const { endpoint, name, segment } = route;
    const identity = identify.submission({ ...call, segment, endpoint: name });
    const id = randomUUID();
    const underway: Underway = {
      id,
      route,
      call,
      href: submissionAddress(basePath, id),
      endpoint,
      requestId: call.requestId,
      claimedAt: time.now(),
    };
    const claimed = await claim(parts, underway, identity);
    if (!claimed.claimed)
      return answerEarlier(
        claimed.existing,
        {
          endpoint,
          keyed: call.key !== null,
          fingerprint: identity.fingerprint,
          now: time.now(),
          href: submissionAddress(basePath, claimed.existing.id),
        },
        sealer,
      );
    reached("after_claim", id);
    const answer = await carryOut(parts, underway);
    reached("before_reply", id);
    return answer;
  };
}

async function claim(
  { recorder, sealer, store }: SubmitParts,
  { call, claimedAt, id, route }: Underway,
  identity: SubmissionIdentity,
): Promise<Claimed> {
  const evidence = evidenceOf(route.endpoint, call.input.body);
  try {
    return await store.claim({
      ...identity,
      id,
      provider: route.endpoint.provider,
      segment: route.segment,
      endpoint: route.name,
      receivedAt: claimedAt,
      leaseUntil: claimedAt + route.submissionMs + SEND_WITHIN_MS,
      evidence: evidence === null ? null : sealEvidence(sealer, id, evidence),
      keyId: sealer.keyId,
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (error.mayBeWritten) await recorder.withdraw(id);
    throw storeUnavailable();
  }
}

/** What is answered while submissions cannot be kept: without a record, nothing is sent. */
function storeUnavailable(): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail: "The gateway cannot keep a submission now, so nothing was sent; try again later.",
    headers: { "retry-after": "2" },
  });
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
  { call, claimedAt, id, route }: Underway,
): Promise<UpstreamAnswer | Refusal> {
  // The process may have been held up: once its lease could end while it sends, it must not begin.
  if (time.now() - claimedAt > SEND_WITHIN_MS) return storeUnavailable();
  const { input, requestId, scenario } = call;
  reached("before_send", id);
  try {
    const upstream = { input, requestId, scenario, reference: id, callerGone: null };
    return await route.upstream.call(route.endpoint, upstream);
  } catch (error) {
    return error instanceof Refusal ? error : refusalOfOwnFault(route.endpoint, error);
  }
}
