import { createHash, randomBytes } from "node:crypto";

/** What a code stands for: the same tool, input and key, and nothing else. */
export interface Pending {
  readonly tool: string;
  readonly parts: unknown;
  readonly idempotencyKey: string;
}

/** The codes with which submissions are confirmed where the MCP client cannot ask a person. */
export interface Confirmations {
  /** Makes the code that confirms this submission, once and for ten minutes. */
  open(pending: Pending): string;
  /** Uses a code up, and says whether it was the one for this submission. */
  take(code: string, pending: Pending): boolean;
}

/** How long a code holds, in milliseconds. */
export const CODE_HOLDS_MS = 600_000;
/** So many codes are open at one time; one more, and the oldest holds no longer. */
const MOST_CODES = 100;

/**
 * Keeps the codes of one server. Of a submission it keeps a digest, never the submission.
 * @param now - a clock that never goes back, in milliseconds
 */
export function createConfirmations(now: () => number = () => performance.now()): Confirmations {
  // In the order in which they were made, so that the first is the oldest.
  const codes = new Map<string, { readonly digest: string; readonly until: number }>();
  return {
    open(pending) {
      for (const [code, { until }] of codes)
        if (until <= now() || codes.size >= MOST_CODES) codes.delete(code);
      const code = randomBytes(16).toString("hex");
      codes.set(code, { digest: digestOf(pending), until: now() + CODE_HOLDS_MS });
      return code;
    },
    take(code, pending) {
      const held = codes.get(code);
      codes.delete(code);
      return held !== undefined && held.until > now() && held.digest === digestOf(pending);
    },
  };
}

/** The same for the same JSON, in whatever order its fields were written. */
function digestOf({ idempotencyKey, parts, tool }: Pending): string {
  const text = JSON.stringify([tool, idempotencyKey, parts], (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(text).digest("hex");
}
