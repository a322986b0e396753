import type { AnswerConnections, RivalTimes } from "@insurance-gateway/core/runtime";
import {
  type AnswerFacts,
  alreadyCreated,
  FIRST_QUERY_AFTER_MS,
  freesKey,
  identifierOf,
  instantsOf,
  openRefusal,
  outcomeUnknown,
  problemAnswer,
  type Refusal,
  rivalsOf,
  type StoredAnswer,
  submissionAddress,
  successAnswer,
  withAddress,
} from "@insurance-gateway/core/runtime";
import { defaultAccount } from "../configuration/account.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import { isOfSameAccount } from "../store/claim.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { IdentifierOwner, Settlement } from "../store/record.ts";
import { replayStoredAnswer } from "./answers.ts";
import { buildSettlement, type Conclusion } from "./build-settlement.ts";
import { pseudonymOf } from "./identity.ts";
import { ANSWERED_LATE_REASON, correctFailed } from "./recorder.ts";
import type { Submission, SubmitParts } from "./submission.ts";

/** Stores that the insurer executed a submission, and then returns the answer for the caller. */
export async function concludeAnswer(
  parts: SubmitParts,
  submission: Submission,
  answered: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  const { answerConnections, closed, content, createdAt, headers, insurerId = null } = answered;
  // The answer to a submission is JSON, and the gateway has read it as a whole. Only a document is a stream.
  const text = content as string;
  const answer = successAnswer(
    { status: answered.status, content: text },
    headers,
    submission.href,
  );
  const conclusion: Conclusion = {
    state: "succeeded",
    insurerId,
    unique: submission.route.unique,
    rivals: rivalTimesAt(parts, submission, createdAt),
    closed,
    answer,
  };
  return (await storeConclusion(parts, submission, conclusion, answerConnections)) ?? answer;
}

/**
 * Stores the result that a refusal proves, and throws the refusal. If the submission already has a stored result,
 * returns the answer of that result.
 */
export async function concludeRefusal(
  parts: SubmitParts,
  submission: Submission,
  refusal: Refusal,
): Promise<UpstreamAnswer> {
  const { outcome } = refusal.facts;
  if (freesKey(refusal)) {
    await parts.recorder.withdraw(submission.record.id);
    throw refusal;
  }
  if (outcome === "unknown") throw await storeUnknownOutcome(parts, submission, refusal);
  const wasExecuted = outcome === "executed";
  const shown = wasExecuted ? withAddress(refusal, submission.href) : refusal;
  const earlier = await storeConclusion(
    parts,
    submission,
    {
      state: wasExecuted ? "succeeded" : "failed",
      insurerId: refusal.details.insurerId ?? null,
      unique: submission.route.unique,
      rivals: wasExecuted ? rivalTimesAt(parts, submission, refusal.details.createdAt) : null,
      answer: problemToStore(submission, shown),
    },
    refusal.details.answerConnections,
  );
  if (earlier !== null) return earlier;
  throw shown;
}

/** Returns the times within which another account's submission may have created the item that the answer names. */
function rivalTimesAt(
  { clock, days }: SubmitParts,
  { record, route }: Submission,
  createdAt: unknown,
): RivalTimes {
  const request = { from: record.receivedAt, until: clock.now().at };
  return rivalsOf(instantsOf(createdAt, days), request, route.endpoint.settleAfterMs ?? 0);
}

/** Stores a result. Returns the earlier answer for a concluded submission. Throws if the store cannot write. */
async function storeConclusion(
  parts: SubmitParts,
  submission: Submission,
  conclusion: Conclusion,
  answerConnections?: AnswerConnections,
): Promise<UpstreamAnswer | null> {
  const { id } = submission.record;
  const settlement = buildSettlement(parts, id, parts.clock.now(), conclusion);
  const settled = await parts.recorder.settle(settlement, submission.record);
  if (settled === "settled") return null;
  // The gateway must not return an answer that is not on disk, because a crash would lose the answer.
  if (settled === "later") throw unknownOutcomeRefusal(parts, submission);
  if (settled === "not_open") return answerEndedSubmission(parts, submission, settlement);
  const owner = settled === "contested" ? null : settled.owner;
  if (owner !== null && isRecognisedDuplicate(submission, owner, answerConnections))
    return concludeDuplicate(parts, submission, owner);
  answerConnections?.close();
  reportForeignAnswer(parts, submission, owner);
  const unknown = outcomeUnknown(submission.route.endpoint);
  throw await storeUnknownOutcome(parts, submission, unknown, 0, settlement.insurerId);
}

/**
 * Reports whether an insurer that answers with another submission's identifier has recognised a repeated application:
 * equal content and account, on a new connection. In other cases, the answer may belong to the other submission, and
 * proves nothing.
 */
function isRecognisedDuplicate(
  { record }: Submission,
  owner: IdentifierOwner,
  answerConnections: AnswerConnections | undefined,
): boolean {
  const isSame = Buffer.from(owner.contentDigest).equals(record.contentDigest);
  return isSame && isOfSameAccount(owner, record) && answerConnections?.areNew !== false;
}

/** Logs and counts an answer that may belong to another submission. @param owner - null for an open submission */
function reportForeignAnswer(
  { logger, observation }: SubmitParts,
  { record, route }: Submission,
  owner: IdentifierOwner | null,
): void {
  const { endpoint, name, segment } = route;
  const { at } = identifierOf(endpoint) ?? { at: "" };
  observation.answerMismatched({ segment, endpoint: name, kind: endpoint.kind }, at);
  logger.error(
    {
      submissionId: record.id,
      caller: pseudonymOf(record.caller),
      provider: record.provider,
      endpoint: record.endpoint,
    },
    owner === null
      ? "an insurer's answer may be the result of another account's open submission"
      : "an insurer answered with the identifier of another submission; if the insurer numbers each account or each resource separately, declare this in `compare.identifiers` or `insurerId`",
  );
}

/** Concludes a submission for which the insurer answered with an equal, earlier submission. */
async function concludeDuplicate(
  parts: SubmitParts,
  submission: Submission,
  owner: IdentifierOwner,
): Promise<UpstreamAnswer | null> {
  const { record, route } = submission;
  const isOwn = Buffer.from(owner.caller).equals(record.caller);
  const refusal = alreadyCreated(isOwn ? submissionAddress(parts.basePath, owner.id) : null);
  const answer = problemToStore(submission, refusal);
  const conclusion: Conclusion = { state: "failed", insurerId: null, unique: route.unique, answer };
  const earlier = await storeConclusion(parts, submission, conclusion);
  if (earlier !== null) return earlier;
  throw refusal;
}

/** Answers a submission that was concluded before, or that the store lost by a failover to an older copy. */
async function answerEndedSubmission(
  parts: SubmitParts,
  submission: Submission,
  settlement: Settlement,
): Promise<UpstreamAnswer | null> {
  const { clock, encryption, logger, recorder, store } = parts;
  const { href, record } = submission;
  try {
    const found = await store.find(record.id);
    if (found === null) {
      if (await recorder.restore(record, settlement)) return null;
      throw unknownOutcomeRefusal(parts, submission);
    }
    if (found.state !== settlement.state)
      logger.error(
        {
          submissionId: record.id,
          caller: pseudonymOf(record.caller),
          state: found.state,
          answeredState: settlement.state,
        },
        "a submission already had a different result when its insurer answered",
      );
    // The insurer executed the submission. If the record stayed failed, the gateway would send the same content again.
    if (settlement.state === "succeeded" && found.state === "failed") {
      if (await correctFailed(store, found, settlement, clock.now(), ANSWERED_LATE_REASON))
        return null;
      throw unknownOutcomeRefusal(parts, submission);
    }
    return replayStoredAnswer(found, href, encryption);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw unknownOutcomeRefusal(parts, submission);
    throw error;
  }
}

/**
 * Stores that the outcome is unknown, plans the query that finds the result, and returns the caller's refusal.
 * @param answeredId - the identifier in an answer that may belong to another submission
 */
async function storeUnknownOutcome(
  { clock, logger, recorder }: SubmitParts,
  submission: Submission,
  refusal: Refusal,
  queryAfterMs: number = refusal.details.mismatched !== undefined ? 0 : FIRST_QUERY_AFTER_MS,
  answeredId: string | null = null,
): Promise<Refusal> {
  const { call, record, route } = submission;
  const moment = clock.now();
  // For an endpoint without a query, an operator must resolve the submission.
  const nextQueryAt = moment.running + (route.endpoint.reconcile === undefined ? 0 : queryAfterMs);
  await recorder.markUnknown(record.id, moment, nextQueryAt, answeredId);
  logger.warn(
    {
      submissionId: record.id,
      caller: pseudonymOf(record.caller),
      requestId: call.origin.requestId,
      ...(call.account === defaultAccount ? {} : { account: call.account }),
    },
    "the outcome of a submission is unknown",
  );
  return unknownOutcomeRefusal({ clock }, submission, refusal, nextQueryAt);
}

/** Returns the refusal for the caller of a submission that the insurer may have executed. */
export function unknownOutcomeRefusal(
  { clock }: Pick<SubmitParts, "clock">,
  { asker, href, route }: Submission,
  observed?: Refusal,
  nextQueryAt: number = clock.now().running + FIRST_QUERY_AFTER_MS,
): Refusal {
  const facts: AnswerFacts = { endpoint: route.endpoint, href, running: clock.now().running };
  return openRefusal({ state: "outcome_unknown", nextQueryAt }, asker, facts, observed);
}

function problemToStore({ call, record }: Submission, refusal: Refusal): StoredAnswer {
  const { requestId } = call.origin;
  return problemAnswer(refusal, { provider: record.provider, requestId });
}
