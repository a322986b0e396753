import { Refusal } from "../problems/refusal.ts";

const MAXIMUM_CHARACTERS = 255;

/**
 * Reads the `Idempotency-Key` of a request: 1 to 255 printable ASCII characters, bare or as a quoted string
 * (RFC 9651, section 3.3.3). Gives null when there is none.
 * @param values - the header's values, one for each time it was sent
 */
export function idempotencyKeyOf(values: readonly string[] | undefined): string | null {
  if (values === undefined) return null;
  const [value = ""] = values;
  const key = unquoted(value.trim());
  if (
    values.length > 1 ||
    key === null ||
    !/^[\x20-\x7e]+$/.test(key) ||
    key.length > MAXIMUM_CHARACTERS
  )
    throw new Refusal("INVALID_REQUEST", {
      detail: `Idempotency-Key must be sent once, with 1 to ${MAXIMUM_CHARACTERS} printable ASCII characters, bare or in double quotes.`,
    });
  return key;
}

/** The characters that are meant; null for a quoted string that is not well-formed. */
function unquoted(text: string): string | null {
  if (!text.startsWith('"')) return text;
  if (!/^"([^"\\]|\\["\\])*"$/.test(text)) return null;
  return text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1");
}
