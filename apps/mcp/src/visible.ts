/** Controls, bidirectional marks, line separators, and whatever else is drawn as nothing (Unicode, UAX #44). */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text with every character that is not seen, or that changes how others are seen, written as `\u202e`. Written JSON
 * stays JSON of the same value.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
