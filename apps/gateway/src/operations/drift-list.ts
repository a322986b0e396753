import type { DriftList } from "../drift/stored-drift.ts";
import type { DriftRecord } from "../store/drift.ts";

/** One difference between an insurer's answers and their declaration, as the operator sees it. */
export interface ShownDifference extends Omit<DriftRecord, "firstAt" | "lastAt"> {
  /** Instants of RFC 3339. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** The differences, as the operator's address lists them: breaking ones first, then the last seen first. */
export interface ShownDrift {
  readonly items: readonly ShownDifference[];
  /** False while the store is unavailable. */
  readonly complete: boolean;
}

/** Writes the list for the operator's address. */
export function driftShown({ complete, items }: DriftList): ShownDrift {
  return {
    items: items.map(({ firstAt, lastAt, ...difference }) => ({
      ...difference,
      firstAt: new Date(firstAt).toISOString(),
      lastAt: new Date(lastAt).toISOString(),
    })),
    complete,
  };
}
