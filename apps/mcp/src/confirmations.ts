import { randomBytes } from "node:crypto";
import { type Confirmable, digestOf } from "./digests.ts";

/** The codes with which submissions are confirmed where the MCP client cannot ask a person. */
export interface Confirmations {
  /** Makes a code that confirms this submission for ten minutes. */
  open(submission: Confirmable): string;
  /** Whether a code is one for this submission; it holds for every repeat, which the same key makes safe. */
  holds(code: string, submission: Confirmable): boolean;
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
    open(submission) {
      for (const [code, { until }] of codes)
        if (until <= now() || codes.size >= MOST_CODES) codes.delete(code);
      const code = randomBytes(16).toString("hex");
      codes.set(code, { digest: digestOf(submission), until: now() + CODE_HOLDS_MS });
      return code;
    },
    holds(code, submission) {
      const held = codes.get(code);
      return held !== undefined && held.until > now() && held.digest === digestOf(submission);
    },
  };
}
