/** Seconds to wait if an insurer asks for a later retry without naming a time. */
const RETRY_AFTER_SECONDS = 5;

/** Longest `Retry-After` for a caller, in seconds, even if an insurer names a longer time. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/** Returns the header Retry-After for a caller. */
export function retryAfterOf(seconds: number | null): string {
  return String(Math.min(seconds ?? RETRY_AFTER_SECONDS, LONGEST_RETRY_AFTER_SECONDS));
}

/**
 * Reads the insurer's header Retry-After as seconds: a number, or a date (RFC 9110, section 10.2.3). Longer times than
 * in the client (`client/retry-after.ts`) are read, too, so that the gateway never repeats a call too early.
 */
export function retryAfterIn(text: string): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
