import { defaultConnection } from "../connections/connection.ts";
import { Refusal } from "../problems/refusal.ts";
import type { IdentifierOwner, Settlement } from "../store/record.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import type { AnswerConnections } from "../upstream/binding.ts";
import { outcomeUnknown } from "../upstream/outcome-unknown.ts";
import {
  type AnswerFacts,
  alreadyCreated,
  openRefusal,
  replay,
  submissionAddress,
} from "./answers.ts";
import { type Ending, settlementOf } from "./ending.ts";
import { pseudonymOf } from "./identity.ts";
import { FIRST_QUERY_AFTER_MS } from "./query-times.ts";
import { correctFailed } from "./recorder.ts";
import { problemAnswer, type StoredAnswer, successAnswer } from "./stored-answer.ts";
import type { Submission, SubmitParts } from "./submit.ts";

/** Writes that the insurer carried it out, then returns its answer. */
export async function concludeAnswer(
  parts: SubmitParts,
  submission: Submission,
  { answerConnections, closed, content, headers, insurerId = null, status }: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  // A submission's answer is JSON, read whole; only a document is a stream.
  const text = content as string;
  const answer = successAnswer({ status, content: text }, headers, submission.href);
  const ending: Ending = { state: "succeeded", insurerId, closed, answer };
  return (await conclude(parts, submission, ending, answerConnections)) ?? answer;
}

/** Writes what a refusal proves, then throws it; returns an answer only where another ending was written before. */
export async function concludeRefusal(
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
    refusal.details.answerConnections,
  );
  if (other !== null) return other;
  throw final;
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
  return belongsToAnother(parts, submission, settled.owner, answerConnections);
}

/**
 * The insurer's identifier is another submission's. Of the same content and on a new connection, the insurer has
 * recognised it as the same; otherwise the answer may be the other one's, and proves nothing about this submission.
 */
async function belongsToAnother(
  parts: SubmitParts,
  submission: Submission,
  owner: IdentifierOwner,
  answerConnections: AnswerConnections | undefined,
): Promise<UpstreamAnswer | null> {
  const { record, route } = submission;
  const isSame = Buffer.from(owner.contentDigest).equals(record.contentDigest);
  if (!isSame || answerConnections?.areNew === false) {
    answerConnections?.close();
    parts.logger.error(
      {
        submissionId: record.id,
        caller: pseudonymOf(record.caller),
        provider: record.provider,
        endpoint: record.endpoint,
      },
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
        "a submission was settled otherwise before its insurer answered",
      );
    // The insurer did act: a record that says otherwise would have the same content sent again.
    if (settlement.state === "succeeded" && found.state === "failed") {
      if (await correctFailed(store, found, settlement, clock.now())) return null;
      throw unknownFor(parts, submission);
    }
    return replay(found, href, encryption);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw unknownFor(parts, submission);
    throw error;
  }
}

/** Writes that the outcome is unknown, and plans the query that finds it out; returns what its caller is answered. */
async function leaveUnknown(
  { clock, logger, recorder }: SubmitParts,
  submission: Submission,
  refusal: Refusal,
  queryAfterMs: number = refusal.details.mismatched !== undefined ? 0 : FIRST_QUERY_AFTER_MS,
): Promise<Refusal> {
  const { call, record, route } = submission;
  const moment = clock.now();
  // Without a query, a person has to resolve it, from now on.
  const nextQueryAt = moment.running + (route.endpoint.reconcile === undefined ? 0 : queryAfterMs);
  await recorder.markUnknown(record.id, moment, nextQueryAt);
  logger.warn(
    {
      submissionId: record.id,
      caller: pseudonymOf(record.caller),
      requestId: call.origin.requestId,
      ...(call.connection === defaultConnection ? {} : { connection: call.connection }),
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
