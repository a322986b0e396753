const REMOVED = "[removed]";

/** Nine digits that no hexadecimal name goes on from: identifiers of requests and traces are no tax numbers. */
const NINE_DIGITS = /(?<![0-9a-f])\d{9}(?![0-9a-f])/g;
const TOKEN = /eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)*/g;
const EMAIL = /[\p{L}\p{N}._%+'-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,24}/gu;
/** A day, and not the instant of a line. */
const DAY = /(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?![\dT])/g;

/**
 * Takes out of a text what looks like a Greek tax number (AFM), a day of birth, a JSON Web Token or an e-mail address:
 * the last net. A line that has nothing of it costs little.
 */
export function scrub(text: string): string {
  let left = text;
  if (left.includes("eyJ")) left = left.replace(TOKEN, REMOVED);
  if (left.includes("@") || left.includes("%40")) left = left.replace(EMAIL, REMOVED);
  return left
    .replace(DAY, REMOVED)
    .replace(NINE_DIGITS, (digits) => (isAfm(digits) ? REMOVED : digits));
}

/** Whether nine digits have the check digit of a tax number: the others, weighted 256 down to 2, modulo 11, modulo 10. */
function isAfm(digits: string): boolean {
  const sum = Array.from(digits.slice(0, 8), Number).reduce(
    (total, digit, index) => total + digit * 2 ** (8 - index),
    0,
  );
  return (sum % 11) % 10 === Number(digits[8]);
}
