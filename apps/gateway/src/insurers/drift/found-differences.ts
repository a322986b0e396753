import type { Difference, ObservedEndpoint } from "../../events.ts";

/** A difference that answers to an endpoint have, and how often this process saw it. */
export interface FoundDifference extends Difference {
  readonly segment: string;
  readonly endpoint: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The differences that this process has found since it started. */
export interface FoundDifferences {
  /** Counts a difference. Returns whether it is new. */
  count(observed: ObservedEndpoint, difference: Difference): boolean;
  /** Lists the differences: breaking ones first, then the last seen first. */
  list(): readonly FoundDifference[];
}

/** Maximum of separate differences of one insurer: an answer with invented names could have any number. */
const MAX_OF_SEGMENT = 500;
/** Replaces the pointer of every further difference. */
const OTHER_PLACES = "/*";

/** Creates an empty list. @param now - milliseconds since 1970 */
export function createFoundDifferences(now: () => number): FoundDifferences {
  const found = new Map<string, FoundDifference>();
  const countOf = (segment: string): number =>
    [...found.values()].filter((one) => one.segment === segment).length;
  return {
    count({ endpoint, segment }, { breaking, kind, pointer }) {
      const isSeparate =
        found.has(keyOf({ segment, endpoint, breaking, kind, pointer })) ||
        countOf(segment) < MAX_OF_SEGMENT;
      const place = {
        segment,
        endpoint,
        breaking,
        kind,
        pointer: isSeparate ? pointer : OTHER_PLACES,
      };
      const key = keyOf(place);
      const known = found.get(key);
      const at = now();
      found.set(key, {
        ...place,
        count: (known?.count ?? 0) + 1,
        firstAt: known?.firstAt ?? at,
        lastAt: at,
      });
      return known === undefined;
    },
    list: () =>
      [...found.values()].toSorted(
        (one, other) => Number(other.breaking) - Number(one.breaking) || other.lastAt - one.lastAt,
      ),
  };
}

type DifferencePlace = Omit<FoundDifference, "count" | "firstAt" | "lastAt">;

function keyOf({ breaking, endpoint, kind, pointer, segment }: DifferencePlace): string {
  return JSON.stringify([segment, endpoint, pointer, kind, breaking]);
}
