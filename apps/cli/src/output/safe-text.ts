/**
 * Characters that a terminal would act on or show as something else: control characters, line and paragraph separators,
 * characters that reverse the direction of writing, and halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A text from outside as it can go to a terminal: in one line, with what is unsafe written as `\u001b`. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, escaped);
}

/** A value as JSON that can go to a terminal; it reads back as the same value. */
export function safeJson(value: unknown): string {
  // Line breaks between tokens are JSON's own; those within texts are escaped already.
  return JSON.stringify(value, null, 2).replaceAll(UNSAFE, (character) =>
    character === "\n" ? character : escaped(character),
  );
}

/** A word of a command line as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
