import {
  type AnswerFacts,
  carriedOutUnseen,
  notTaken,
  openRefusal,
  type Repetition,
  replayOf,
  type StoredAnswer,
  standingOf,
} from "@insurance-gateway/core/runtime";
import type { Encryption } from "../store/encryption.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { decryptAnswer } from "./stored-answer.ts";

/**
 * Answers a request that repeats an earlier submission. The gateway sends nothing to the insurer for such a request.
 * @throws Refusal if the earlier submission is open, or if the submission's answer is not stored any more
 */
export function answerEarlier(
  earlier: SubmissionRecord,
  asker: Repetition,
  facts: AnswerFacts,
  encryption: Encryption,
): StoredAnswer {
  const { nextQueryAt, state } = standingOf(earlier, facts.running);
  if (state !== "succeeded" && state !== "failed")
    throw openRefusal({ nextQueryAt, state }, asker, facts);
  return replayStoredAnswer(earlier, facts.href, encryption);
}

/** Returns a submission's stored answer. Without a readable answer, throws a refusal with the submission's result. */
export function replayStoredAnswer(
  record: SubmissionRecord,
  href: string,
  encryption: Encryption,
): StoredAnswer {
  const { insurerId, state } = record;
  const stored = storedAnswerOf(record, encryption);
  if (stored !== null) return replayOf(stored);
  const proof =
    record.answer === null
      ? "it was answered before, and the stored answer has expired"
      : "it was answered before, and the key that encrypted the answer is not configured here";
  throw state === "succeeded" ? carriedOutUnseen(proof, { href, insurerId }) : notTaken(proof);
}

/** Returns a submission's stored answer; null for no answer, or for an answer that no configured key decrypts. */
export function storedAnswerOf(
  { answer, id, keyId }: SubmissionRecord,
  encryption: Encryption,
): StoredAnswer | null {
  return answer !== null && keyId !== null && encryption.knows(keyId)
    ? decryptAnswer(encryption, id, answer, keyId)
    : null;
}
