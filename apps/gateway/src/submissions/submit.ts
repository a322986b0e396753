import { randomUUID } from "node:crypto";
import {
  type CheckedInput,
  createsAtInsurer,
  type Endpoint,
  sameContentOf,
} from "@insurance-gateway/core/contract";
import type { Caller } from "../authentication/caller.ts";
import { defaultConnection } from "../connections/connection.ts";
import { connectionRemoved } from "../connections/tenants.ts";
import type { Logger } from "../logging/logger.ts";
import { Refusal } from "../problems/refusal.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { isOfSameConnection } from "../store/claim.ts";
import type {
  ClaimRule,
  IdentifierOwner,
  NewSubmission,
  Settlement,
  SubmissionRecord,
} from "../store/record.ts";
import { type Claimed, StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import type { CallOrigin } from "../upstream/attempt.ts";
import { refusalOfOwnFault } from "../upstream/outcome.ts";
import { outcomeUnknown } from "../upstream/outcome-unknown.ts";
import type { Days } from "../usage/days.ts";
import type { Quotas } from "../usage/quotas.ts";
import {
  type AnswerFacts,
  type Asker,
  alreadyCreated,
  answerEarlier,
  keyReused,
  openRefusal,
  otherConnection,
  problemAnswer,
  replay,
  resourceBusy,
  storeUnavailable,
  submissionAddress,
  successAnswer,
} from "./answers.ts";
import type { Encryption, StoredAnswer } from "./encryption.ts";
import { type Ending, type Retention, settlementOf } from "./ending.ts";
import type { Identity } from "./identity.ts";
import { encryptMatchFields, matchFieldsOf } from "./match.ts";
import { reached } from "./points.ts";
import { FIRST_QUERY_AFTER_MS } from "./query-times.ts";
import type { Recorder } from "./recorder.ts";

/** What submissions are claimed, sent and concluded with. */
export interface SubmitParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly identity: Identity;
  readonly encryption: Encryption;
  readonly retention: Retention;
  readonly basePath: string;
  readonly time: Time;
  readonly logger: Logger;
  /** Called when somebody asks for a submission that may be of unknown outcome. */
  readonly asked: (record: SubmissionRecord) => void;
  /** How many submissions connections may make. */
  readonly quotas: Pick<Quotas, "submissionsPerDay" | "submissionRefused">;
  /** The calendar that submissions are counted by. */
  readonly days: Pick<Days, "dayOf">;
}

/** One submission as it was asked for. */
export interface SubmissionCall {
  readonly caller: Caller;
  readonly key: string | null;
  /** The id of the caller's connection. */
  readonly connection: string;
  readonly input: CheckedInput;
  readonly origin: CallOrigin;
}

/**
 * Carries a submission out: claim, send, conclude. It is claimed on disk before its first byte leaves, and its end is on
 * disk before the caller gets the answer. It goes on when the caller goes away.
 * @throws Refusal that says what is certain about the outcome
 */
export type Submit = (route: ProviderRoute, call: SubmissionCall) => Promise<UpstreamAnswer>;

/** One submission that was claimed or is to be. */
interface Submission {
  readonly route: ProviderRoute;
  readonly call: SubmissionCall;
  readonly record: NewSubmission;
  /** Who its caller is towards itself: the holder of its key, or of its content. */
  readonly asker: Asker;
  readonly href: string;
}

/** How long after its claim a submission may begin to be sent; its lease is longer than its deadline by this. */
const SEND_WITHIN_MS = 15_000;

/** Makes the carrying out of submissions. */
export function createSubmit(parts: SubmitParts): Submit {
  return async (route, call) => {
    const submission = begin(parts, route, call);
    const claimed = await claim(parts, submission);
    if (!claimed.claimed) {
      if (claimed.relation === "over_quota")
        throw parts.quotas.submissionRefused(submission.record, claimed);
      return answerExisting(parts, submission, claimed);
    }
    const { id } = submission.record;
    try {
      reached("after_claim", id);
      const sent = await sendAsOftenAsAllowed(parts, submission);
      reached("after_answer", id);
      return sent instanceof Refusal
        ? await concludeRefusal(parts, submission, sent)
        : await concludeAnswer(parts, submission, sent);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // A fault of the gateway's own: it may have been sent.
      throw unknownFor(parts, submission, outcomeUnknown(route.endpoint, {}, error));
    } finally {
      reached("before_reply", id);
    }
  };
}

function begin(
  { basePath, days, encryption, identity, time }: SubmitParts,
  route: ProviderRoute,
  call: SubmissionCall,
): Submission {
  const { endpoint, name, segment, submissionMs, upstream } = route;
  const { caller, connection, input, key, origin } = call;
  const { provider } = endpoint;
  const id = randomUUID();
  const receivedAt = time.now();
  const fields = matchFieldsOf(endpoint, input);
  const scenario = upstream.sandbox ? (origin.scenario ?? null) : null;
  return {
    route,
    call,
    asker: key === null ? "same_content" : "same_key",
    href: submissionAddress(basePath, id),
    record: {
      id,
      caller: identity.caller(caller),
      keyDigest: key === null ? null : identity.key({ caller, provider, endpoint: name }, key),
      contentDigest: identity.content({ provider, endpoint: name, input, scenario }),
      resource: identity.resource(provider, endpoint.path, input.params),
      matchDigest: fields && identity.match(provider, name, fields.query, fields.same),
      provider,
      segment,
      connection,
      endpoint: name,
      creates: createsAtInsurer(endpoint),
      receivedAt,
      day: days.dayOf(receivedAt),
      leaseUntil: receivedAt + timesOf(endpoint) * submissionMs + SEND_WITHIN_MS,
      matchFields: fields && encryptMatchFields(encryption, id, fields),
      keyId: encryption.keyId,
    },
  };
}

async function claim(
  { quotas, recorder, retention, store }: SubmitParts,
  { record, route }: Submission,
): Promise<Claimed> {
  try {
    const quota = quotas.submissionsPerDay(record);
    return await store.claim(record, { ...contentRule(route.endpoint, record, retention), quota });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (error.mayBeWritten) await recorder.withdraw(record.id);
    throw storeUnavailable();
  }
}

function contentRule(
  endpoint: Endpoint,
  { receivedAt }: NewSubmission,
  { sameContentMs }: Retention,
): Omit<ClaimRule, "quota"> {
  const sameContent = sameContentOf(endpoint);
  const isOnce = sameContent === "once" && sameContentMs > 0;
  return {
    compared: sameContent !== "none",
    succeededSince: isOnce ? receivedAt - sameContentMs : Number.MAX_SAFE_INTEGER,
  };
}

function answerExisting(
  { asked, basePath, encryption, time }: SubmitParts,
  { record, route }: Submission,
  {
    existing,
    relation,
  }: Exclude<Extract<Claimed, { readonly claimed: false }>, { readonly relation: "over_quota" }>,
): UpstreamAnswer {
  if (relation === "same_resource") throw resourceBusy();
  if (relation === "no_connection") throw connectionRemoved();
  const isOther = !Buffer.from(existing.contentDigest).equals(record.contentDigest);
  if (isOther) throw keyReused();
  if (!isOfSameConnection(existing, record)) throw otherConnection();
  asked(existing);
  const href = submissionAddress(basePath, existing.id);
  const facts = { endpoint: route.endpoint, href, now: time.now() };
  return answerEarlier(existing, relation, facts, encryption);
}

/** How often it may be sent: the insurer of a repeatable one says that a second time changes nothing. */
function timesOf({ repeatable }: Endpoint): number {
  return repeatable === true ? 2 : 1;
}

/**
 * Sends it, and a repeatable one whose outcome is unknown once more, unless a later submission to the same resource was
 * claimed meanwhile: its change would be undone. None is claimed while the second time goes on, however long it waits for
 * its turn. Only a success of the second time says something of the first.
 */
async function sendAsOftenAsAllowed(
  parts: SubmitParts,
  submission: Submission,
): Promise<UpstreamAnswer | Refusal> {
  const first = await send(parts, submission);
  if (!(first instanceof Refusal) || first.facts.outcome !== "unknown") return first;
  if (timesOf(submission.route.endpoint) === 1) return first;
  try {
    if (!(await parts.store.beginSecondSend(submission.record))) return first;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return first;
    throw error;
  }
  const second = await send(parts, submission, submission.route.submissionMs);
  return second instanceof Refusal ? first : second;
}

/**
 * Sends it, once; returns an answer or a Refusal.
 * @param afterMs - how much of its lease is used already
 */
async function send(
  { time }: SubmitParts,
  { call, record, route }: Submission,
  afterMs = 0,
): Promise<UpstreamAnswer | Refusal> {
  // The process may have been held up: once its lease could end while it sends, it must not begin.
  const leftMs = SEND_WITHIN_MS + afterMs - (time.now() - record.receivedAt);
  if (leftMs < 0) return storeUnavailable();
  const beginBy = performance.now() + leftMs;
  const { connection, input, origin } = call;
  reached("before_send", record.id);
  try {
    const upstream = {
      ...origin,
      connection,
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

/** Writes that the insurer carried it out, then returns its answer. */
async function concludeAnswer(
  parts: SubmitParts,
  submission: Submission,
  { closed, content, distrust, headers, insurerId = null, status }: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  // A submission's answer is JSON, read whole; only a document is a stream.
  const text = content as string;
  const answer = successAnswer({ status, content: text }, headers, submission.href);
  const ending: Ending = { state: "succeeded", insurerId, closed, answer };
  return (await conclude(parts, submission, ending, distrust)) ?? answer;
}

/** Writes what a refusal proves, then throws it; returns an answer only where another ending was written before. */
async function concludeRefusal(
  parts: SubmitParts,
  submission: Submission,
  refusal: Refusal,
): Promise<UpstreamAnswer> {
  const { outcome, retry } = refusal.facts;
  // Nothing was taken, and the same may be taken later: the key is free again.
  if (outcome === "not_sent" || (outcome === "rejected" && retry === "safe")) {
    await parts.recorder.withdraw(submission.record.id);
    throw refusal;
  }
  if (outcome === "unknown") throw await leaveUnknown(parts, submission, refusal);
  const wasExecuted = outcome === "executed";
  const final = wasExecuted ? withAddress(refusal, submission.href) : refusal;
  const other = await conclude(
    parts,
    submission,
    {
      state: wasExecuted ? "succeeded" : "failed",
      insurerId: refusal.details.insurerId ?? null,
      answer: storedProblem(parts, submission, final),
    },
    refusal.details.distrust,
  );
  if (other !== null) return other;
  throw final;
}

/** Writes an ending; returns another answer when it had ended before, and throws when it cannot be written now. */
async function conclude(
  parts: SubmitParts,
  submission: Submission,
  ending: Ending,
  distrust?: () => void,
): Promise<UpstreamAnswer | null> {
  const { id } = submission.record;
  const settlement = settlementOf(parts, id, parts.time.now(), ending);
  const settled = await parts.recorder.settle(settlement, submission.record);
  if (settled === "settled") return null;
  // An answer that is not on disk must not be given: after a crash it could not be given again.
  if (settled === "later") throw unknownFor(parts, submission);
  if (settled === "not_open") return endedBefore(parts, submission, settlement);
  return belongsToAnother(parts, submission, settled.owner, distrust);
}

/**
 * The insurer's identifier is another submission's. Of the same content, the insurer has recognised it as the same;
 * otherwise the answer is somebody else's, and proves nothing about this submission.
 */
async function belongsToAnother(
  parts: SubmitParts,
  submission: Submission,
  owner: IdentifierOwner,
  distrust: (() => void) | undefined,
): Promise<UpstreamAnswer | null> {
  const { record, route } = submission;
  if (!Buffer.from(owner.contentDigest).equals(record.contentDigest)) {
    distrust?.();
    parts.logger.error(
      { submissionId: record.id, provider: record.provider, endpoint: record.endpoint },
      "an insurer answered with the identifier of another submission",
    );
    throw await leaveUnknown(parts, submission, outcomeUnknown(route.endpoint), 0);
  }
  const isOwn = Buffer.from(owner.caller).equals(record.caller);
  const refusal = alreadyCreated(isOwn ? submissionAddress(parts.basePath, owner.id) : null);
  const answer = storedProblem(parts, submission, refusal);
  const ending: Ending = { state: "failed", insurerId: null, answer };
  const other = await conclude(parts, submission, ending);
  if (other !== null) return other;
  throw refusal;
}

/** It was settled before, or it is gone: a database that failed over to an older copy has lost the claim. */
async function endedBefore(
  parts: SubmitParts,
  submission: Submission,
  settlement: Settlement,
): Promise<UpstreamAnswer | null> {
  const { encryption, logger, recorder, store } = parts;
  const { href, record } = submission;
  try {
    const found = await store.find(record.id);
    if (found === null) {
      if (await recorder.restore(record, settlement)) return null;
      throw unknownFor(parts, submission);
    }
    if (found.state !== settlement.state)
      logger.error(
        { submissionId: record.id, state: found.state, answeredState: settlement.state },
        "a submission was settled otherwise before its insurer answered",
      );
    // The insurer did act: what says otherwise is the operator's to correct.
    if (settlement.state === "succeeded" && found.state === "failed")
      throw unknownFor(parts, submission);
    return replay(found, href, encryption);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw unknownFor(parts, submission);
    throw error;
  }
}

async function leaveUnknown(
  { logger, recorder, time, ...parts }: SubmitParts,
  submission: Submission,
  refusal: Refusal,
  queryAfterMs: number = refusal.details.mismatched !== undefined ? 0 : FIRST_QUERY_AFTER_MS,
): Promise<Refusal> {
  const { call, record, route } = submission;
  const at = time.now();
  // Without a query it is a person's at once.
  const nextQueryAt = route.endpoint.reconcile === undefined ? at : at + queryAfterMs;
  await recorder.markUnknown(record.id, at, nextQueryAt);
  logger.warn(
    {
      submissionId: record.id,
      requestId: call.origin.requestId,
      ...(call.connection === defaultConnection ? {} : { connection: call.connection }),
    },
    "the outcome of a submission is unknown",
  );
  return unknownFor({ ...parts, time }, submission, refusal, nextQueryAt);
}

/** The refusal of a submission that may have been carried out, for its own caller. */
function unknownFor(
  { time }: Pick<SubmitParts, "time">,
  { asker, href, route }: Submission,
  observed?: Refusal,
  nextQueryAt: number = time.now() + FIRST_QUERY_AFTER_MS,
): Refusal {
  const facts: AnswerFacts = { endpoint: route.endpoint, href, now: time.now() };
  return openRefusal({ state: "outcome_unknown", nextQueryAt }, asker, facts, observed);
}

function withAddress(refusal: Refusal, href: string): Refusal {
  const { details } = refusal;
  return new Refusal(refusal.code, { ...details, reconciliation: { href } }, refusal.cause);
}

function storedProblem(
  { basePath }: SubmitParts,
  { call, record }: Submission,
  refusal: Refusal,
): StoredAnswer {
  const { requestId } = call.origin;
  return problemAnswer(refusal, { provider: record.provider, requestId }, basePath);
}
