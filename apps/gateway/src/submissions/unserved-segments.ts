import type { Logger } from "../operator/logging/logger.ts";
import type { SubmissionStore } from "../store/store.ts";

// A segment that was renamed or removed may have open submissions. No query finds their results.

/** Maximum of submissions that a fault names. */
const NAMED = 5;
/** Maximum of submissions that are read to name some of them. */
const READ = 1_000;

/**
 * Returns the faults of a configuration without some segments: for each of these segments that has open submissions, a
 * fault that lists them.
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
      `providers: the segment ${segment} must stay until its open submissions are concluded: ${ids.slice(0, NAMED).join(", ")}${others}`,
    ];
  });
}

/** Logs the segments that are not served and have open submissions. */
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
