import type { Logger } from "../operator/logging/logger.ts";
import type { SubmissionStore } from "../store/store.ts";

// A segment that was renamed or removed may have open submissions. No query can find the results of these submissions.

/** Maximum of submissions that a fault lists. */
const MAX_NAMED_SUBMISSIONS = 5;
/** Maximum of open submissions that the gateway reads to find the submissions to list in faults. */
const MAX_READ_SUBMISSIONS = 1_000;

/**
 * Returns the faults of a configuration that lacks these segments: for each segment with open submissions, a fault that
 * lists the submissions.
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

/** Logs the segments that are not served although they have open submissions. */
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
