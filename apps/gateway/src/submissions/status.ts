import type { Caller } from "../authentication/caller.ts";
import { Refusal } from "../problems/refusal.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Encryption } from "./encryption.ts";
import type { Identify } from "./identity.ts";
import { decryptAnswer } from "./stored-answer.ts";

/** What telling the state of a submission works with. */
export interface StatusParts {
  readonly store: SubmissionStore;
  readonly identify: Identify;
  readonly encryption: Encryption;
  readonly time: Time;
}

/** The state of a submission as its own caller sees it; anybody else's does not exist. */
export type TellStatus = (caller: Caller, id: string) => Promise<SubmissionStatus>;

/** What `GET /submissions/{submissionId}` answers with. */
export interface SubmissionStatus {
  readonly submissionId: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly state: SubmissionRecord["state"];
  /** The insurer's own identifier, when it is known. */
  readonly insurerId: string | null;
  readonly receivedAt: string;
  readonly updatedAt: string;
  /** The answer of the submission, as long as it is kept. */
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

/** Makes it. */
export function createTellStatus({ identify, encryption, store, time }: StatusParts): TellStatus {
  return async (caller, id) => {
    const record = isUuid(id) ? await store.find(id) : null;
    if (record === null || !Buffer.from(record.caller).equals(identify.caller(caller)))
      throw new Refusal("SUBMISSION_NOT_FOUND", {
        detail:
          "You have no submission at this address; what was not sent, or is long over, is not kept.",
      });
    const expired = record.state === "in_flight" && record.leaseUntil <= time.now();
    return {
      submissionId: record.id,
      provider: record.provider,
      endpoint: record.endpoint,
      state: expired ? "outcome_unknown" : record.state,
      insurerId: record.insurerId,
      receivedAt: new Date(record.receivedAt).toISOString(),
      updatedAt: new Date(record.updatedAt).toISOString(),
      answer: answerOf(record, encryption),
    };
  };
}

function answerOf(
  { answer, id, keyId }: SubmissionRecord,
  encryption: Encryption,
): SubmissionStatus["answer"] {
  if (answer === null || keyId === null) return null;
  const { content, status } = decryptAnswer(encryption, id, answer, keyId);
  return { status, body: JSON.parse(content) };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
