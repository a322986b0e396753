/**
 * Characters that a terminal would execute or display in a misleading way: control characters, line and paragraph
 * separators, characters that reverse the direction of writing, and halves of surrogate pairs.
 */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Makes an external text safe for a terminal: on one line, with unsafe characters as escapes such as `\u001b`. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE_CHARACTERS, escapeCharacter);
}

/** Returns JSON that is safe for a terminal and that is parsed to the same value. */
export function safeJson(value: unknown): string {
  // The remaining line breaks are outside strings, because JSON escapes line breaks in strings.
  return JSON.stringify(value, null, 2).replaceAll(UNSAFE_CHARACTERS, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/** Quotes a word of a command line for a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
