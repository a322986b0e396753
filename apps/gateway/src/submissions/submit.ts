import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  contentStateUnknown,
  createsAtInsurer,
  identifierSeries,
  keyReused,
  notInRestoredStore,
  otherAccount,
  outcomeUnknown,
  Refusal,
  refusalOfOwnFault,
  runningRefusal,
  sameContentOf,
  submissionAddress,
  withNormalForms,
} from "@insurance-gateway/core/runtime";
import { accountRemovedRefusal } from "../accounts/tenants.ts";
import type { Caller } from "../callers/caller.ts";
import type { Retention } from "../configuration/submission-store.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { isOfSameAccount } from "../store/claim.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { ClaimRule, NewSubmission } from "../store/record.ts";
import type { ClaimResult } from "../store/store.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import { answerEarlier } from "./answers.ts";
import { concludeAnswer, concludeRefusal, unknownOutcomeRefusal } from "./conclude.ts";
import type { SubmissionDigests } from "./identity.ts";
import { encryptMatchFields, matchFieldsOf, searchedValuesNotMatched } from "./match.ts";
import { waitForAnswer } from "./preferred-wait.ts";
import type { Submission, SubmissionCall, SubmitParts } from "./submission.ts";

/** A step of a submission that the gateway publishes. */
export type SubmissionStep = "after_claim" | "before_send" | "after_answer" | "before_reply";

/** Diagnostics channel whose subscribers are called synchronously at each step, for tracing and tests. */
const stepChannel = channel("insurance-gateway:submission");

/** Publishes that a submission has reached a step. */
function publishStep(point: SubmissionStep, submissionId: string): void {
  if (stepChannel.hasSubscribers) stepChannel.publish({ point, submissionId });
}

/**
 * Function that claims, sends and concludes a submission. The claim is on disk before the first byte is sent, and the
 * result is on disk before the caller gets the answer. A caller that disconnects or stops waiting does not stop the
 * submission.
 */
export type Submit = (route: ProviderRoute, call: SubmissionCall) => RunningSubmission;

/** A submission that the gateway is processing. */
export interface RunningSubmission {
  /** The caller's answer. Rejects with a Refusal that reports the proven facts about the outcome. */
  readonly answer: Promise<UpstreamAnswer>;
  /** Settles when the submission has ended. If the caller stops waiting, the submission ends after `answer` settles. */
  readonly ended: Promise<unknown>;
}

/**
 * Longest time from arrival to sending, in milliseconds. The lease (`leaseUntil`) ends this long after the submission's
 * deadline.
 */
const MAX_WAIT_BEFORE_SEND_MS = 15_000;

/** Returns the function that claims, sends and concludes submissions. */
export function createSubmit(parts: SubmitParts): Submit {
  return (route, call) => {
    const claimed = Promise.withResolvers<Submission>();
    const ended = runSubmission(parts, route, call, claimed.resolve);
    const { waitMs } = call;
    if (waitMs === null) return { answer: ended, ended };
    // Even after the preferred wait, the caller waits for the claim: only then can the gateway report the submission.
    const answer = waitForAnswer(ended, waitMs, async () => {
      const { asker, href } = await claimed.promise;
      return runningRefusal(asker, {
        endpoint: route.endpoint,
        href,
        running: parts.clock.now().running,
      });
    });
    return { answer, ended };
  };
}

/** @param onClaim - function that is called after the claim of a submission that will be sent */
async function runSubmission(
  parts: SubmitParts,
  route: ProviderRoute,
  call: SubmissionCall,
  onClaim: (submission: Submission) => void,
): Promise<UpstreamAnswer> {
  const begun = await claimOrAnswer(parts, route, call);
  if ("answer" in begun) return begun.answer;
  const { submission } = begun;
  onClaim(submission);
  const { id } = submission.record;
  try {
    publishStep("after_claim", id);
    const received = await send(parts, submission);
    publishStep("after_answer", id);
    return received instanceof Refusal
      ? await concludeRefusal(parts, submission, received)
      : await concludeAnswer(parts, submission, received);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The submission may have been sent before the fault in the gateway occurred.
    throw unknownOutcomeRefusal(parts, submission, outcomeUnknown(route.endpoint, {}, error));
  } finally {
    publishStep("before_reply", id);
  }
}

/** Claims a submission, or answers the request from an earlier submission with the same key or content. */
async function claimOrAnswer(
  parts: SubmitParts,
  route: ProviderRoute,
  call: SubmissionCall,
): Promise<{ readonly submission: Submission } | { readonly answer: UpstreamAnswer }> {
  const submission = createSubmission(parts, route, call);
  const result = await claim(parts, submission);
  if (result.claimed) return { submission };
  if (result.relation === "over_quota")
    throw parts.quotas.submissionRefused(submission.record, result);
  return { answer: answerExisting(parts, submission, result) };
}

function createSubmission(
  { basePath, clock, days, encryption, identity, time }: SubmitParts,
  route: ProviderRoute,
  call: SubmissionCall,
): Submission {
  const { endpoint, name, segment, submissionMs, upstream } = route;
  const { caller, account, input, key, origin } = call;
  const { provider } = endpoint;
  const id = randomUUID();
  const { at, running } = clock.now();
  const fields = matchFieldsOf(endpoint, input);
  const searched = searchedValuesNotMatched(endpoint, fields);
  const scenario = upstream.sandbox ? (origin.scenario ?? null) : null;
  const creates = createsAtInsurer(endpoint);
  const series = identifierSeries(name, endpoint);
  const hasMatchFields = Object.keys(fields.same).length > 0;
  const contentDigest = identity.content({
    provider,
    endpoint: name,
    input: { ...input, body: withNormalForms(endpoint, input.body) },
    scenario,
  });
  const content = { content: contentDigest.toString("hex") };
  return {
    route,
    call,
    begunAt: { elapsed: time.elapsed(), now: time.now() },
    asker: key === null ? "same_content" : "same_key",
    href: submissionAddress(basePath, id),
    record: {
      id,
      caller: identity.caller(caller),
      keyDigest: key === null ? null : keyDigestOf(identity, route, caller, key.key),
      hasChosenKey: key?.isGenerated === false,
      contentDigest,
      // Only an endpoint that creates an item needs the digest, because only created items can be confused.
      matchDigest: creates
        ? identity.match(provider, series, hasMatchFields ? fields.same : content)
        : null,
      searchDigest:
        endpoint.reconcile === undefined || searched === undefined
          ? null
          : identity.search(provider, endpoint.reconcile.endpoint, searched),
      series,
      provider,
      segment,
      account,
      endpoint: name,
      creates,
      receivedAt: at,
      receivedRunning: running,
      day: days.dayOf(at),
      leaseUntil: running + submissionMs + MAX_WAIT_BEFORE_SEND_MS,
      matchFields: encryptMatchFields(encryption, id, fields),
      keyId: encryption.keyId,
    },
  };
}

/** Returns the digest of a request's idempotency key, together with the request's caller and endpoint. */
export function keyDigestOf(
  identity: Pick<SubmissionDigests, "key">,
  { endpoint, name }: Pick<ProviderRoute, "endpoint" | "name">,
  caller: Caller,
  key: string,
): Uint8Array {
  return identity.key({ caller, provider: endpoint.provider, endpoint: name }, key);
}

async function claim(
  parts: SubmitParts,
  { call, record, route }: Submission,
): Promise<ClaimResult> {
  const { quotas, recorder, retention, store } = parts;
  try {
    const quota = quotas.submissionsPerDay(record);
    return await store.claim(record, { ...claimRuleOf(route.endpoint, record, retention), quota });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (error.mayBeWritten) await recorder.withdraw(record.id);
    const refusal = storeUnavailableRefusal(error);
    // If the request has a key, `Submissions.refused` reads the key's record again.
    throw call.key === null ? contentStateUnknown(refusal, route.endpoint) : refusal;
  }
}

function claimRuleOf(
  endpoint: Endpoint,
  { receivedRunning }: NewSubmission,
  { sameContentMs }: Retention,
): Omit<ClaimRule, "quota"> {
  const sameContent = sameContentOf(endpoint);
  const isOnce = sameContent === "once" && sameContentMs > 0;
  return {
    compared: sameContent !== "none",
    succeededSince: isOnce ? receivedRunning - sameContentMs : Number.MAX_SAFE_INTEGER,
  };
}

function answerExisting(
  { requestQuery, basePath, clock, encryption }: SubmitParts,
  { record, route }: Submission,
  {
    existing,
    relation,
  }: Exclude<
    Extract<ClaimResult, { readonly claimed: false }>,
    { readonly relation: "over_quota" }
  >,
): UpstreamAnswer {
  if (relation === "no_account") throw accountRemovedRefusal();
  if (relation === "not_restored") throw notInRestoredStore();
  const hasOtherContent = !Buffer.from(existing.contentDigest).equals(record.contentDigest);
  if (hasOtherContent) throw keyReused();
  const hasOwnKey = relation === "same_content" && record.keyDigest !== null;
  if (!isOfSameAccount(existing, record)) throw otherAccount(hasOwnKey ? "not_sent" : "unknown");
  requestQuery(existing);
  const href = submissionAddress(basePath, existing.id);
  const facts = { endpoint: route.endpoint, href, running: clock.now().running };
  return answerEarlier(existing, relation, facts, encryption);
}

/** Sends a submission once. Returns the insurer's answer, or the Refusal that describes what happened. */
async function send(
  { time }: SubmitParts,
  { begunAt, call, record, route }: Submission,
): Promise<UpstreamAnswer | Refusal> {
  // After a delay of the process, the lease could end during the sending. The clock may be set back, and the elapsed
  // time does not advance while the machine sleeps, so the longer of both times counts.
  const passedMs = Math.max(time.now() - begunAt.now, time.elapsed() - begunAt.elapsed);
  const leftMs = MAX_WAIT_BEFORE_SEND_MS - passedMs;
  if (leftMs < 0) return storeUnavailableRefusal();
  const beginBy = performance.now() + leftMs;
  const { account, input, origin } = call;
  publishStep("before_send", record.id);
  try {
    const upstream = {
      ...origin,
      account,
      input,
      submissionId: record.id,
      callerGone: null,
      beginBy,
    };
    return await route.upstream.call(route.endpoint, upstream);
  } catch (error) {
    return error instanceof Refusal ? error : refusalOfOwnFault(route.endpoint, error);
  }
}
