import type { Logger } from "../operator/logging/logger.ts";
import type { SubmissionStore } from "../store/store.ts";

// A segment that was renamed or removed may have submissions without an outcome. No query looks for their results any more.

/** How many submissions a fault names. */
const NAMED = 5;
/** How many submissions are read to name some of them. */
const READ = 1_000;

/**
 * The faults of a configuration without some segments: for each of them that has submissions without an outcome, one that
 * lists them.
 */
export async function faultsWithout(
  store: Pick<SubmissionStore, "list">,
  segments: readonly string[],
): Promise<readonly string[]> {
  if (segments.length === 0) return [];
  const open = await store.list(["in_flight", "outcome_unknown", "needs_review"], READ);
  return segments.flatMap((segment) => {
    const ids = open.flatMap((one) => (one.segment === segment ? [one.id] : []));
    if (ids.length === 0) return [];
    const others = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
    return [
      `providers: the segment ${segment} has submissions without an outcome: ${ids.slice(0, NAMED).join(", ")}${others}; keep it until they are concluded`,
    ];
  });
}

/** Logs which segments that are not served have submissions without an outcome. */
export async function reportUnserved(
  store: Pick<SubmissionStore, "countUnknown">,
  served: readonly string[],
  logger: Logger,
): Promise<void> {
  for (const { count, segment } of await store.countUnknown())
    if (!served.includes(segment))
      logger.error(
        { segment, submissions: count },
        "submissions of a segment without a provider have an unknown outcome",
      );
}
