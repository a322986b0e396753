import { createHash } from "node:crypto";

/** The identity of a submission: tool, input and idempotency key. */
export interface SubmissionIdentity {
  readonly tool: string;
  readonly parts: unknown;
  readonly idempotencyKey: string;
}

/**
 * This MCP server's knowledge about a submission before a call. `sent`: this server sent the submission. `key sent`:
 * this server sent the idempotency key with another input. `not known`: this server sent neither, but another process
 * may have sent the key.
 */
export type SentState = "sent" | "key sent" | "not known";

/** The submissions that this server has sent. */
export interface SentSubmissions {
  /** Records a submission. Must be called before the first byte is sent. */
  add(submission: SubmissionIdentity): void;
  find(submission: SubmissionIdentity): SentState;
}

/** Maximum number of remembered submissions: more than a client sends over one connection. */
const MAX_SUBMISSIONS = 10_000;

/**
 * Remembers the digests of submissions, and forgets the oldest digest if there are more than the limit.
 * @param limit - maximum number of remembered submissions
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

/** Returns a digest of a submission, which is independent of the order of fields in JSON objects. */
export function digestOf({ idempotencyKey, parts, tool }: SubmissionIdentity): string {
  return digest([tool, idempotencyKey, parts]);
}

/** Returns the digest of a tool and an idempotency key, because each endpoint has separate keys. */
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
