import type { Logger } from "../operator/logging/logger.ts";
import type { SubmissionStore } from "../store/store.ts";

// A segment that was renamed or removed may have open submissions. No query finds their results.

/** Maximum of submissions that a fault names. */
const MAX_NAMED_SUBMISSIONS = 5;
/** Maximum of submissions that are read to name some of them. */
const MAX_READ_SUBMISSIONS = 1_000;

/**
 * Returns the faults of a configuration without some segments: for each of these segments that has open submissions, a
 * fault that lists them.
 */
export async function faultsOfUnservedSegments(
  store: Pick<SubmissionStore, "list">,
  segments: readonly string[],
): Promise<readonly string[]> {
  if (segments.length === 0) return [];
  const open = await store.list(
    ["in_flight", "outcome_unknown", "needs_review"],
    MAX_READ_SUBMISSIONS,
  );
  return segments.flatMap((segment) => {
    const ids = open.flatMap((one) => (one.segment === segment ? [one.id] : []));
    if (ids.length === 0) return [];
    const others =
      ids.length > MAX_NAMED_SUBMISSIONS ? ` and ${ids.length - MAX_NAMED_SUBMISSIONS} more` : "";
    return [
      `providers: the segment ${segment} must stay until its open submissions are concluded: ${ids.slice(0, MAX_NAMED_SUBMISSIONS).join(", ")}${others}`,
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
        "submissions to a segment that is not served have no outcome",
      );
}
