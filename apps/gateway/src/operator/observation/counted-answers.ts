import type { Difference, ObservedEndpoint, UnmatchedAnswer } from "../../events.ts";

/** A kind of answers, with the number and the times of these answers since the start of this process. */
export type CountedKind<Kind> = Kind & {
  /** The provider's path segment. */
  readonly segment: string;
  readonly endpoint: string;
  readonly count: number;
  /** The time of the first answer of this kind, in the format of RFC 3339. */
  readonly firstAt: string;
  /** The time of the last answer of this kind, in the same format. */
  readonly lastAt: string;
};

/** Insurers' answers that an operator should check, by kind. */
export interface CountedAnswers<Kind> {
  /** Counts an answer. Returns true if the answer is the first of this kind. */
  count(endpoint: ObservedEndpoint, kind: Kind): boolean;
  list(): readonly CountedKind<Kind>[];
}

/** Maximum number of kinds for one provider, because an insurer could send any number of codes and names. */
const MAX_KINDS = 500;

/**
 * Creates a counter of answers by kind.
 * @param now - returns milliseconds since 1970
 * @param merged - returns the common kind under which kinds beyond the maximum are counted
 * @param order - compares two items of the list, to sort the list
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
 * Creates the counter of insurers' refusals that match no row in `failures`. The list has the most frequent kind first.
 */
export function countUnmatchedAnswers(now: () => number): CountedAnswers<UnmatchedAnswer> {
  return createCountedAnswers(
    now,
    ({ status }) => ({ status, mediaType: "other", code: null, at: null }),
    (one, other) => other.count - one.count,
  );
}

/**
 * Creates the counter of differences between insurers' answers and the declarations. The list has the breaking
 * differences first, then the other differences, both with the latest difference first.
 */
export function countDifferences(now: () => number): CountedAnswers<Difference> {
  return createCountedAnswers(
    now,
    (difference) => ({ ...difference, pointer: "/*" }),
    (one, other) =>
      Number(other.breaking) - Number(one.breaking) || other.lastAt.localeCompare(one.lastAt),
  );
}
