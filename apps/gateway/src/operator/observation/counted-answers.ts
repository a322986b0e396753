import type { Difference, ObservedEndpoint, UnmatchedAnswer } from "../../events.ts";

/** Answers of one kind, counted since the start of this process. */
export type CountedKind<Kind> = Kind & {
  /** The provider's path segment. */
  readonly segment: string;
  readonly endpoint: string;
  readonly count: number;
  /** The time of the first answer, in the format of RFC 3339. */
  readonly firstAt: string;
  /** The time of the last answer. */
  readonly lastAt: string;
};

/** Insurers' answers that an operator should check, by kind. */
export interface CountedAnswers<Kind> {
  /** Counts an answer. Returns true if it is the first of its kind. */
  count(endpoint: ObservedEndpoint, kind: Kind): boolean;
  list(): readonly CountedKind<Kind>[];
}

/** Maximum of separate kinds of one provider, because its insurer could invent any number of codes and names. */
const MAX_KINDS = 500;

/**
 * Creates an empty list.
 * @param now - returns milliseconds since 1970
 * @param merged - returns the kind under which a kind beyond the maximum is counted
 * @param order - compares two items of the list
 */
function createCountedAnswers<Kind extends object>(
  now: () => number,
  merged: (kind: Kind) => Kind,
  order: (one: CountedKind<Kind>, other: CountedKind<Kind>) => number,
): CountedAnswers<Kind> {
  const counted = new Map<string, CountedKind<Kind>>();
  const isFull = (segment: string): boolean =>
    [...counted.values()].filter((one) => one.segment === segment).length >= MAX_KINDS;
  return {
    count({ endpoint, segment }, exact) {
      const place = { segment, endpoint };
      const isSeparate = counted.has(keyOf(place, exact)) || !isFull(segment);
      const kind = isSeparate ? exact : merged(exact);
      const key = keyOf(place, kind);
      const known = counted.get(key);
      const lastAt = new Date(now()).toISOString();
      const { count = 0, firstAt = lastAt } = known ?? {};
      counted.set(key, { ...place, ...kind, count: count + 1, firstAt, lastAt });
      return known === undefined;
    },
    list: () => [...counted.values()].toSorted(order),
  };
}

function keyOf(place: object, kind: object): string {
  return JSON.stringify([place, kind]);
}

/**
 * Counts the refusals of insurers that match no row in `failures`. The list is sorted by number, most frequent first.
 */
export function countUnmatchedAnswers(now: () => number): CountedAnswers<UnmatchedAnswer> {
  return createCountedAnswers(
    now,
    ({ status }) => ({ status, mediaType: "other", code: null, at: null }),
    (one, other) => other.count - one.count,
  );
}

/**
 * Counts the differences between answers and their declarations. The list has breaking differences first, then the
 * latest ones.
 */
export function countDifferences(now: () => number): CountedAnswers<Difference> {
  return createCountedAnswers(
    now,
    (difference) => ({ ...difference, pointer: "/*" }),
    (one, other) =>
      Number(other.breaking) - Number(one.breaking) || other.lastAt.localeCompare(one.lastAt),
  );
}
