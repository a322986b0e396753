/** Longest wait that a caller can request, in seconds. A submission does not take longer by default. */
const LONGEST_WAIT_SECONDS = 45;

/**
 * Reads how long a caller wants to wait for the answer to a submission: `Prefer: wait=10` (RFC 7240, section 4.3), 1
 * to 45 seconds. Other preferences and values are ignored, as the RFC demands.
 * @param values - the header's values, one for each time it was sent
 * @returns milliseconds; null without a limit
 */
export function waitOf(values: readonly string[] | undefined): number | null {
  const preferences = (values ?? []).flatMap((value) => value.split(","));
  const [seconds] = preferences.flatMap(
    (one) => /^ *wait *= *"?(\d{1,3})"? *(;|$)/i.exec(one)?.[1] ?? [],
  );
  const wait = Number(seconds ?? 0);
  return wait >= 1 && wait <= LONGEST_WAIT_SECONDS ? wait * 1_000 : null;
}
