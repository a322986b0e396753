/** The three date formats of HTTP headers. Two are obsolete, but a client must accept them (RFC 9110, section 5.6.7). */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8}(?:, \d\d[ -][A-Z][a-z]{2}[ -](?:\d\d|\d{4}) \d\d:\d\d:\d\d GMT| [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

/**
 * Returns the wait in a `Retry-After` header, in seconds: whole seconds of at most five digits, or a date in the future
 * (RFC 9110, section 10.2.3). Returns null for any other value.
 */
export function parseRetryAfterSeconds(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d{1,5}$/.test(retryAfter)) return Number(retryAfter);
  if (!HTTP_DATE.test(retryAfter)) return null;
  // The oldest format has no time zone and would be parsed as local time.
  const instant = Date.parse(`${retryAfter.replace(/ GMT$/, "")} GMT`);
  const seconds = Math.ceil((instant - Date.now()) / 1_000);
  return seconds > 0 && seconds < 100_000 ? seconds : null;
}
