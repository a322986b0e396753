import { Refusal } from "../problems/refusal.ts";

/**
 * Reads a body of text.
 * @throws Refusal INVALID_REQUEST when it is not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal("INVALID_REQUEST", { detail: "The body is not UTF-8; send text in UTF-8." });
  }
}

/**
 * Reads a form in the URL's encoding as its fields.
 * @throws Refusal INVALID_REQUEST for what two readers could decode in two ways
 */
export function readUrlEncoded(bytes: Uint8Array): Iterable<readonly [string, string]> {
  const text = Buffer.from(bytes).toString("latin1");
  if (!isPercentEncoded(text))
    throw new Refusal("INVALID_REQUEST", {
      detail: "The form must be percent-encoded UTF-8 (application/x-www-form-urlencoded).",
    });
  // A question mark at the beginning would be left out.
  return new URLSearchParams(text.replace(/^\?/, "%3F"));
}

function isPercentEncoded(text: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(text)) return false;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
