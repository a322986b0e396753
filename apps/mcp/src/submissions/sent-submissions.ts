import { createHash } from "node:crypto";

/** The identity of a submission: the same tool, input and key. */
export interface SubmissionIdentity {
  readonly tool: string;
  readonly parts: unknown;
  readonly idempotencyKey: string;
}

/**
 * This server's knowledge of a submission before a call: it sent it with the same input; it sent its key with another input;
 * or it sent neither. Then another process may have sent the key, or this one before it was started again.
 */
export type SentState = "sent" | "key sent" | "not known";

/** The submissions that this server has sent. */
export interface SentSubmissions {
  /** Records a submission. Call it before the first byte is sent. */
  add(submission: SubmissionIdentity): void;
  find(submission: SubmissionIdentity): SentState;
}

/** More submissions than one connection sends. */
const MAX_SUBMISSIONS = 10_000;

/**
 * Remembers submissions by their digests. At the limit it forgets the oldest.
 * @param limit - how many it remembers
 */
export function createSentSubmissions(limit: number = MAX_SUBMISSIONS): SentSubmissions {
  // A Set keeps the order of insertion, so its first element is the oldest.
  const digests = new Set<string>();
  const keys = new Set<string>();
  return {
    add(submission) {
      digests.add(digestOf(submission));
      keys.add(keyDigestOf(submission));
      for (const remembered of [digests, keys])
        for (const oldest of remembered) {
          if (remembered.size <= limit) break;
          remembered.delete(oldest);
        }
    },
    find(submission) {
      if (digests.has(digestOf(submission))) return "sent";
      return keys.has(keyDigestOf(submission)) ? "key sent" : "not known";
    },
  };
}

/** Returns the same digest for the same JSON, in whatever order the fields of its objects are. */
export function digestOf({ idempotencyKey, parts, tool }: SubmissionIdentity): string {
  return digest([tool, idempotencyKey, parts]);
}

/** The digest of a tool and a key: each endpoint has its own keys. */
function keyDigestOf({ idempotencyKey, tool }: SubmissionIdentity): string {
  return digest([tool, idempotencyKey]);
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash("sha256").update(text).digest("hex");
}
