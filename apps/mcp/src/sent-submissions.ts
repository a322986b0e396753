import { type Confirmable, digestOf, keyDigestOf } from "./digests.ts";

/**
 * What is known of a submission before a call: the very same was let through before; one with its key may have been; or
 * it is new to this server.
 */
export type Standing = "sent" | "key sent" | "new";

/** The submissions that a server has let through. */
export interface SentSubmissions {
  /** Notes that it is let through; it is to be called before its first byte leaves. */
  note(submission: Confirmable): void;
  standingOf(submission: Confirmable): Standing;
}

/** A server on one connection sees fewer. */
const MOST_NOTED = 10_000;

/**
 * Remembers submissions by their digests. Once some had to be forgotten, any may be one of those, and none is called new.
 * @param most - how many are remembered
 */
export function createSentSubmissions(most: number = MOST_NOTED): SentSubmissions {
  // In the order in which they were noted, so that the first is the oldest.
  const digests = new Set<string>();
  const keys = new Set<string>();
  let forgotten = false;
  return {
    note(submission) {
      digests.add(digestOf(submission));
      keys.add(keyDigestOf(submission));
      for (const noted of [digests, keys])
        for (const oldest of noted) {
          if (noted.size <= most) break;
          noted.delete(oldest);
          forgotten = true;
        }
    },
    standingOf(submission) {
      if (digests.has(digestOf(submission))) return "sent";
      return forgotten || keys.has(keyDigestOf(submission)) ? "key sent" : "new";
    },
  };
}
