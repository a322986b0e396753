/** The charset of an insurer's requests. */
export type Charset = "utf-8" | "iso-8859-7" | "windows-1253";

/** Encodes texts in a charset. */
export interface CharsetWriter {
  /** Reports whether the charset has every character of a text. */
  readonly carries: (text: string) => boolean;
  /**
   * Encodes a text as bytes, or returns the text itself for UTF-8. The function never replaces a character.
   * @throws TypeError for a character that the charset does not have
   */
  readonly write: (text: string) => string | Uint8Array;
}

/** Creates the encoder of a charset. */
export function charsetWriter(charset: Charset): CharsetWriter {
  if (charset === "utf-8") return { carries: (text) => text.isWellFormed(), write: (text) => text };
  const bytes = byteTable(charset);
  return {
    carries: (text) => Array.from(text).every((character) => bytes.has(character)),
    write: (text) =>
      Uint8Array.from(Array.from(text), (character) => {
        const byte = bytes.get(character);
        if (byte === undefined)
          throw new TypeError(`${charset} does not have every character of the text`);
        return byte;
      }),
  };
}

/** Encodes a JSON text. A character that the charset does not have is always in a JSON string and becomes an escape. */
export function encodeJson(json: string, charset: Charset): string | Uint8Array {
  if (charset === "utf-8") return json;
  const { carries, write } = charsetWriter(charset);
  return write(
    json.replaceAll(/[\u0080-\uffff]/g, (unit) =>
      carries(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}

/** The byte of each character of a single-byte charset, derived from its decoder (WHATWG Encoding). */
function byteTable(charset: Charset): ReadonlyMap<string, number> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const characters = Array.from(new TextDecoder(charset).decode(bytes));
  const table = characters.map((character, byte) => [character, byte] as const);
  return new Map(table.filter(([character]) => character !== REPLACEMENT_CHARACTER));
}

/** The character that a decoder returns for a byte without a character in the charset. */
const REPLACEMENT_CHARACTER = "\uFFFD";
