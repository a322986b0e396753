import type { ObservedEndpoint, UnmatchedAnswer } from "../../events.ts";

/** Answers of one kind that no row of `failures` matches, counted since the start of this process. */
export interface CountedAnswer extends UnmatchedAnswer {
  readonly segment: string;
  readonly endpoint: string;
  readonly count: number;
  /** Instants of RFC 3339. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** The refusals of insurers that no row of `failures` matches yet. */
export interface UnmatchedAnswers {
  count(endpoint: ObservedEndpoint, answer: UnmatchedAnswer): void;
  /** The most frequent first. */
  list(): readonly CountedAnswer[];
}

/** An insurer could invent as many codes as it likes; what comes after so many kinds is counted without its code. */
const MOST_KINDS = 500;

/** Begins to count. @param now - milliseconds since 1970 */
export function countUnmatchedAnswers(now: () => number): UnmatchedAnswers {
  const kinds = new Map<string, CountedAnswer>();
  return {
    count({ endpoint, segment }, { at, code, mediaType, status }) {
      const exact = { segment, endpoint, status, mediaType, code, at };
      const isKnown = kinds.has(JSON.stringify(exact));
      const kind =
        isKnown || kinds.size < MOST_KINDS
          ? exact
          : { ...exact, mediaType: "other", code: null, at: null };
      const key = JSON.stringify(kind);
      const instant = new Date(now()).toISOString();
      const before = kinds.get(key);
      kinds.set(key, {
        ...kind,
        count: (before?.count ?? 0) + 1,
        firstAt: before?.firstAt ?? instant,
        lastAt: instant,
      });
    },
    list: () => [...kinds.values()].toSorted((one, other) => other.count - one.count),
  };
}
