/** The three ways to write an instant in a header: today's, and the two that must still be understood. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8}(?:, \d\d[ -][A-Z][a-z]{2}[ -](?:\d\d|\d{4}) \d\d:\d\d:\d\d GMT| [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

/**
 * The seconds to wait by a `Retry-After`: whole seconds of at most five digits, or an instant in the future (RFC 9110,
 * section 10.2.3). Null for anything else.
 */
export function secondsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d{1,5}$/.test(retryAfter)) return Number(retryAfter);
  if (!HTTP_DATE.test(retryAfter)) return null;
  // The oldest form names no zone, and would be read as local time.
  const instant = Date.parse(`${retryAfter.replace(/ GMT$/, "")} GMT`);
  const seconds = Math.ceil((instant - Date.now()) / 1_000);
  return seconds > 0 && seconds < 100_000 ? seconds : null;
}
