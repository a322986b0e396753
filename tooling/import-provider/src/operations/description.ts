import { type JsonObject, textOf } from "../document/references.ts";

/**
 * Returns the text of an operation's doc comment: the summary as a sentence of its own, because lists show the first
 * sentence, the note on deprecation, which a long description must not push out, and the description, without a
 * beginning that repeats the summary.
 */
export function descriptionOf(operation: JsonObject): string {
  const summary = textOf(operation.summary)?.trim() ?? "";
  const description = textOf(operation.description)?.trim() ?? "";
  const deprecated = operation.deprecated === true ? "Deprecated by the insurer." : "";
  return [sentence(summary), deprecated, withoutRepeated(summary, description)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A description without its first paragraph, or the beginning of that, if it has the words of the summary. */
function withoutRepeated(summary: string, description: string): string {
  if (summary === "") return description;
  const [first = ""] = description.split(/\r?\n[ \t]*\r?\n/);
  // A full stop may belong to an abbreviation, so that each is tried that is near the summary's length.
  const beginning = first.slice(0, 2 * summary.length + 2);
  const ends = [...beginning.matchAll(/[.!?](?=\s)/g)].map(({ index }) => index + 1);
  const repeated = [...ends, first.length].find(
    (end) => wordsOf(first.slice(0, end)) === wordsOf(summary),
  );
  return repeated === undefined ? description : description.slice(repeated).trimStart();
}

/** Begins with a capital, unless the first word is a name such as iOS or get_policies, and ends with a full stop. */
function sentence(text: string): string {
  const begun = text.replace(
    /^\p{Ll}+(?![\p{L}\p{N}_]|[.:]\S)/u,
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
  return begun === "" || /[.!?;:…]$/.test(begun) ? begun : `${begun}.`;
}

/** A text without what does not distinguish it for a reader. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replace(/[.!\s]+$/, "")
    .toLowerCase();
}
