import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Logger } from "../logging/logger.ts";
import type { Refusal } from "../problems/refusal.ts";
import type { NewSubmission, Settlement } from "../store/record.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { replay } from "./earlier.ts";
import type { Recorder } from "./recorder.ts";
import {
  type Ending,
  problemAnswer,
  type SettlementParts,
  settlementOf,
  successAnswer,
} from "./settlements.ts";
import { FIRST_QUERY_AFTER_MS } from "./timing.ts";
import { afterQuery, unknownForNow, withAddress } from "./unknown.ts";

/** What concluding works with. */
export interface ConcludeParts extends SettlementParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly time: Time;
  readonly logger: Logger;
}

/** A submission that was to be sent. */
export interface Sent {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly href: string;
  readonly requestId: string;
  /** What it was claimed with. */
  readonly claim: NewSubmission;
}

/** Writes that the insurer carried it out, then gives its answer. */
export async function concludeAnswer(
  parts: ConcludeParts,
  sent: Sent,
  { content, headers, insurerId, status }: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  // A submission's answer is JSON, read whole; only a document is a stream.
  const text = content as string;
  const answer = successAnswer({ status, content: text }, headers, sent.href);
  const ending = { state: "succeeded", insurerId: insurerId ?? null, answer } as const;
  return (await keep(parts, sent, ending)) ?? answer;
}

/** Writes what a refusal proves about a submission, then throws it; gives an answer only where another ending was there first. */
export async function concludeRefusal(
  parts: ConcludeParts,
  sent: Sent,
  refusal: Refusal,
): Promise<UpstreamAnswer> {
  const { outcome, retry } = refusal.facts;
  // Nothing was taken, and the same may be taken later: the key is free again.
  if (outcome === "not_sent" || (outcome === "rejected" && retry === "safe")) {
    await parts.recorder.withdraw(sent.id);
    throw refusal;
  }
  if (outcome === "unknown") throw await leaveUnknown(parts, sent, refusal);
  const shown = outcome === "executed" ? withAddress(refusal, sent.href) : refusal;
  const other = await keep(parts, sent, {
    state: outcome === "executed" ? "succeeded" : "failed",
    insurerId: refusal.details.insurerId ?? null,
    answer: problemAnswer(shown, sent, parts.basePath),
  });
  if (other !== null) return other;
  throw shown;
}

async function leaveUnknown(
  { logger, recorder, time }: ConcludeParts,
  { endpoint, href, id, requestId }: Sent,
  refusal: Refusal,
): Promise<Refusal> {
  const at = time.now();
  // Without a lookup it is a person's at once.
  const nextQueryAt = endpoint.reconcile === undefined ? at : at + FIRST_QUERY_AFTER_MS;
  await recorder.markUnknown(id, at, nextQueryAt);
  logger.warn({ submissionId: id, requestId }, "the outcome of a submission is unknown");
  return withAddress(refusal, href, afterQuery(endpoint, nextQueryAt, at));
}

/** Writes an ending; gives another answer when it had ended before, and throws when it cannot be written now. */
async function keep(
  parts: ConcludeParts,
  sent: Sent,
  ending: Pick<Ending, "state" | "insurerId" | "answer">,
): Promise<UpstreamAnswer | null> {
  const settlement = settlementOf(parts, { id: sent.id, at: parts.time.now(), ...ending });
  const settled = await parts.recorder.settle(settlement);
  if (settled === true) return null;
  // What is not on disk must not be said: after a crash it could not be said again.
  if (settled === "later") throw unknownForNow(sent.endpoint, sent.href);
  return endedBefore(parts, sent, settlement);
}

/** It is settled already, or gone: a database that failed over to a copy behind it has lost the claim. */
async function endedBefore(
  { logger, encryption, store }: ConcludeParts,
  { claim, endpoint, href, id }: Sent,
  settlement: Settlement,
): Promise<UpstreamAnswer | null> {
  try {
    const record = await store.find(id);
    if (record === null) {
      logger.error({ submissionId: id }, "the store has lost a submission; it is written anew");
      const anew = await store.claim(claim);
      if (anew.claimed && (await store.settle(settlement))) return null;
      throw unknownForNow(endpoint, href);
    }
    if (record.state !== settlement.state)
      logger.error(
        { submissionId: id, state: record.state, evidence: settlement.state },
        "a submission was settled otherwise before its insurer answered",
      );
    return replay(record, href, encryption);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw unknownForNow(endpoint, href);
    throw error;
  }
}
