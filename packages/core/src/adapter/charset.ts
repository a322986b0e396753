/** The charset of an insurer's requests. */
export type Charset = "utf-8" | "iso-8859-7" | "windows-1253";

/** Writes texts in a charset. */
export interface CharsetWriter {
  /** Whether the charset has every character of a text. */
  readonly carries: (text: string) => boolean;
  /**
   * Writes a text as bytes, and in UTF-8 as the text that it is. Throws TypeError for a character that the charset does not
   * have, and never replaces one.
   */
  readonly write: (text: string) => string | Uint8Array;
}

/** Makes the writer of a charset. */
export function charsetWriter(charset: Charset): CharsetWriter {
  if (charset === "utf-8") return { carries: (text) => text.isWellFormed(), write: (text) => text };
  const bytes = byteTable(charset);
  return {
    carries: (text) => Array.from(text).every((character) => bytes.has(character)),
    write: (text) =>
      Uint8Array.from(Array.from(text), (character) => {
        const byte = bytes.get(character);
        if (byte === undefined) throw new TypeError(`${charset} does not have a character`);
        return byte;
      }),
  };
}

/** The byte of every character of a charset with one byte a character, from the table that reads it (WHATWG Encoding). */
function byteTable(charset: Charset): ReadonlyMap<string, number> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const characters = Array.from(new TextDecoder(charset).decode(bytes));
  const table = characters.map((character, byte) => [character, byte] as const);
  return new Map(table.filter(([character]) => character !== UNASSIGNED));
}

/** What a decoder makes of a byte that has no character. */
const UNASSIGNED = "\uFFFD";
