/**
 * Returns a text in Unicode NFC, in linear time. NFC itself takes quadratic time for a long run of combining marks,
 * so the text is composed in parts that end with at most 30 marks (UAX 15, stream-safe text).
 */
export function nfc(text: string): string {
  return text.replaceAll(/\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu, (part) => part.normalize("NFC"));
}
