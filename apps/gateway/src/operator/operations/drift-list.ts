import type { FoundDifference } from "../../insurers/drift/found-differences.ts";

/** One difference between an insurer's answers and their declaration, as the operator sees it. */
export interface ShownDifference extends Omit<FoundDifference, "firstAt" | "lastAt"> {
  /** Instants of RFC 3339. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** The differences, as the operator's address lists them: breaking ones first, then the last seen first. */
export interface ShownDrift {
  readonly items: readonly ShownDifference[];
}

/** Writes the list for the operator's address. */
export function driftShown(items: readonly FoundDifference[]): ShownDrift {
  return {
    items: items.map(({ firstAt, lastAt, ...difference }) => ({
      ...difference,
      firstAt: new Date(firstAt).toISOString(),
      lastAt: new Date(lastAt).toISOString(),
    })),
  };
}
