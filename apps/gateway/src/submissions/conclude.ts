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
import { replay } from "./answers.ts";
import { type Ending, settlementOf } from "./ending.ts";
import { pseudonymOf } from "./identity.ts";
import { ANSWERED_LATE, correctFailed } from "./recorder.ts";
import type { Submission, SubmitParts } from "./submission.ts";

/** Writes that the insurer carried it out, then returns its answer. */
export async function concludeAnswer(
  parts: SubmitParts,
  submission: Submission,
  answered: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  const { answerConnections, closed, content, createdAt, headers, insurerId = null } = answered;
  // A submission's answer is JSON, read whole; only a document is a stream.
  const text = content as string;
  const answer = successAnswer(
    { status: answered.status, content: text },
    headers,
    submission.href,
  );
  const ending: Ending = {
    state: "succeeded",
    insurerId,
    unique: submission.route.unique,
    rivals: rivalsAt(parts, submission, createdAt),
    closed,
    answer,
  };
  return (await conclude(parts, submission, ending, answerConnections)) ?? answer;
}

/** Writes what a refusal proves, then throws it; returns an answer only where another ending was written before. */
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
  if (outcome === "unknown") throw await leaveUnknown(parts, submission, refusal);
  const wasExecuted = outcome === "executed";
  const final = wasExecuted ? withAddress(refusal, submission.href) : refusal;
  const other = await conclude(
    parts,
    submission,
    {
      state: wasExecuted ? "succeeded" : "failed",
      insurerId: refusal.details.insurerId ?? null,
      unique: submission.route.unique,
      rivals: wasExecuted ? rivalsAt(parts, submission, refusal.details.createdAt) : null,
      answer: storedProblem(submission, final),
    },
    refusal.details.answerConnections,
  );
  if (other !== null) return other;
  throw final;
}

/** Which submissions of other accounts may have created what an answer names. */
function rivalsAt(
  { clock, days }: SubmitParts,
  { record, route }: Submission,
  createdAt: unknown,
): RivalTimes {
  const request = { from: record.receivedAt, until: clock.now().at };
  return rivalsOf(instantsOf(createdAt, days), request, route.endpoint.settleAfterMs ?? 0);
}

/** Writes an ending; returns another answer when it had ended before, and throws when it cannot be written now. */
async function conclude(
  parts: SubmitParts,
  submission: Submission,
  ending: Ending,
  answerConnections?: AnswerConnections,
): Promise<UpstreamAnswer | null> {
  const { id } = submission.record;
  const settlement = settlementOf(parts, id, parts.clock.now(), ending);
  const settled = await parts.recorder.settle(settlement, submission.record);
  if (settled === "settled") return null;
  // An answer that is not on disk must not be given: after a crash it could not be given again.
  if (settled === "later") throw unknownFor(parts, submission);
  if (settled === "not_open") return endedBefore(parts, submission, settlement);
  const owner = settled === "contested" ? null : settled.owner;
  if (owner !== null && isRecognised(submission, owner, answerConnections))
    return concludeDuplicate(parts, submission, owner);
  answerConnections?.close();
  reportForeign(parts, submission, owner);
  const unknown = outcomeUnknown(submission.route.endpoint);
  throw await leaveUnknown(parts, submission, unknown, 0, settlement.insurerId);
}

/**
 * Whether an insurer that answers with the identifier of another submission has recognised the same application: of the same
 * content and account, on a new connection. Otherwise the answer may be the other one's, and proves nothing about this one.
 */
function isRecognised(
  { record }: Submission,
  owner: IdentifierOwner,
  answerConnections: AnswerConnections | undefined,
): boolean {
  const isSame = Buffer.from(owner.contentDigest).equals(record.contentDigest);
  return isSame && isOfSameAccount(owner, record) && answerConnections?.areNew !== false;
}

/** Logs and counts an answer that may be another submission's. @param owner - null for an open one of another account */
function reportForeign(
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

/** The insurer has recognised a submission as one that it carried out before. */
async function concludeDuplicate(
  parts: SubmitParts,
  submission: Submission,
  owner: IdentifierOwner,
): Promise<UpstreamAnswer | null> {
  const { record, route } = submission;
  const isOwn = Buffer.from(owner.caller).equals(record.caller);
  const refusal = alreadyCreated(isOwn ? submissionAddress(parts.basePath, owner.id) : null);
  const answer = storedProblem(submission, refusal);
  const ending: Ending = { state: "failed", insurerId: null, unique: route.unique, answer };
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
  const { clock, encryption, logger, recorder, store } = parts;
  const { href, record } = submission;
  try {
    const found = await store.find(record.id);
    if (found === null) {
      if (await recorder.restore(record, settlement)) return null;
      throw unknownFor(parts, submission);
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
    // The insurer did act: a record that says otherwise would have the same content sent again.
    if (settlement.state === "succeeded" && found.state === "failed") {
      if (await correctFailed(store, found, settlement, clock.now(), ANSWERED_LATE)) return null;
      throw unknownFor(parts, submission);
    }
    return replay(found, href, encryption);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw unknownFor(parts, submission);
    throw error;
  }
}

/**
 * Writes that the outcome is unknown, and plans the query that finds it out; returns what its caller is answered.
 * @param answeredId - the identifier in an answer that may be another submission's
 */
async function leaveUnknown(
  { clock, logger, recorder }: SubmitParts,
  submission: Submission,
  refusal: Refusal,
  queryAfterMs: number = refusal.details.mismatched !== undefined ? 0 : FIRST_QUERY_AFTER_MS,
  answeredId: string | null = null,
): Promise<Refusal> {
  const { call, record, route } = submission;
  const moment = clock.now();
  // Without a query, a person has to resolve it, from now on.
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
  return unknownFor({ clock }, submission, refusal, nextQueryAt);
}

/** The refusal of a submission that may have been carried out, for its own caller. */
export function unknownFor(
  { clock }: Pick<SubmitParts, "clock">,
  { asker, href, route }: Submission,
  observed?: Refusal,
  nextQueryAt: number = clock.now().running + FIRST_QUERY_AFTER_MS,
): Refusal {
  const facts: AnswerFacts = { endpoint: route.endpoint, href, running: clock.now().running };
  return openRefusal({ state: "outcome_unknown", nextQueryAt }, asker, facts, observed);
}

function storedProblem({ call, record }: Submission, refusal: Refusal): StoredAnswer {
  const { requestId } = call.origin;
  return problemAnswer(refusal, { provider: record.provider, requestId });
}
