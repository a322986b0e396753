import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Logger } from "pino";
import type { Refusal } from "../problems/refusal.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { UpstreamAnswer } from "../upstream/answer.ts";
import { outcomeUnknown } from "../upstream/outcome.ts";
import { retryAfter, withAddress } from "./earlier.ts";
import type { Recorder } from "./recorder.ts";
import {
  type Ending,
  problemAnswer,
  type SettlementParts,
  settlementOf,
  successAnswer,
} from "./settlements.ts";
import { openAnswer, replayed } from "./stored-answer.ts";
import { FIRST_LOOKUP_AFTER_MS } from "./timing.ts";

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
}

/** Writes that the insurer carried it out, then gives its answer. */
export async function concludeAnswer(
  parts: ConcludeParts,
  sent: Sent,
  { content, headers, reference, status }: UpstreamAnswer,
): Promise<UpstreamAnswer> {
  // A submission's answer is JSON, read whole; only a document is a stream.
  const text = content as string;
  const answer = successAnswer({ status, content: text }, headers, sent.href);
  const ending = { state: "succeeded", reference: reference ?? null, answer } as const;
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
    reference: refusal.details.reference ?? null,
    answer: problemAnswer(shown, sent, parts.basePath),
  });
  if (other !== null) return other;
  throw shown;
}

async function leaveUnknown(
  { logger, recorder, time }: ConcludeParts,
  { href, id, requestId }: Sent,
  refusal: Refusal,
): Promise<Refusal> {
  const at = time.now();
  const nextLookupAt = at + FIRST_LOOKUP_AFTER_MS;
  await recorder.markUnknown(id, at, nextLookupAt);
  logger.warn({ submissionId: id, requestId }, "the outcome of a submission is unknown");
  return withAddress(refusal, href, retryAfter(nextLookupAt, at));
}

/** Writes an ending; gives another answer when it had ended before, and throws when it cannot be written now. */
async function keep(
  parts: ConcludeParts,
  { endpoint, href, id }: Sent,
  ending: Pick<Ending, "state" | "reference" | "answer">,
): Promise<UpstreamAnswer | null> {
  const at = parts.time.now();
  const settled = await parts.recorder.settle(settlementOf(parts, { id, at, ...ending }));
  if (settled === true) return null;
  const other = settled === "later" ? null : await endedBefore(parts, id, ending.state);
  // What is not on disk must not be said: after a crash it could not be said again.
  if (other === null) throw withAddress(outcomeUnknown(endpoint), href, { "retry-after": "2" });
  return other;
}

async function endedBefore(
  { logger, sealer, store }: ConcludeParts,
  id: string,
  state: Ending["state"],
): Promise<UpstreamAnswer | null> {
  try {
    const record = await store.find(id);
    if (record !== null && record.state !== state)
      logger.error(
        { submissionId: id, state: record.state, evidence: state },
        "a submission was settled otherwise before its insurer answered",
      );
    if (record === null || record.answer === null || record.keyId === null) return null;
    return replayed(openAnswer(sealer, id, record.answer, record.keyId));
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null;
    throw error;
  }
}
