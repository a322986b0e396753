import { type JsonObject, textOf } from "../document/references.ts";

/**
 * Returns the text of an operation's doc comment: the summary as a separate sentence, because lists show the first
 * sentence; the note on deprecation, before a long description that could be cut; and the description without a
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

/** Returns a description, without the first paragraph or sentence if this part repeats the summary. */
function withoutRepeated(summary: string, description: string): string {
  if (summary === "") return description;
  const [first = ""] = description.split(/\r?\n[ \t]*\r?\n/);
  // A full stop may belong to an abbreviation, so every full stop near the summary's length is tried.
  const beginning = first.slice(0, 2 * summary.length + 2);
  const ends = [...beginning.matchAll(/[.!?](?=\s)/g)].map(({ index }) => index + 1);
  const repeated = [...ends, first.length].find(
    (end) => wordsOf(first.slice(0, end)) === wordsOf(summary),
  );
  return repeated === undefined ? description : description.slice(repeated).trimStart();
}

/**
 * Returns a sentence with a full stop and a capital letter, unless the first word is a name such as iOS or
 * get_policies.
 */
function sentence(text: string): string {
  const begun = text.replace(
    /^\p{Ll}+(?![\p{L}\p{N}_]|[.:]\S)/u,
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
  return begun === "" || /[.!?;:…]$/.test(begun) ? begun : `${begun}.`;
}

/** Returns the words of a text for a comparison without case and punctuation. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replace(/[.!\s]+$/, "")
    .toLowerCase();
}
