import { type JsonObject, textOf } from "../document/references.ts";

/**
 * Returns the text of an operation's doc comment: the summary as a sentence of its own, because lists show the first
 * sentence, and then the description, without a first paragraph that repeats the summary.
 */
export function descriptionOf(operation: JsonObject): string {
  const summary = textOf(operation.summary)?.trim() ?? "";
  const description = textOf(operation.description)?.trim() ?? "";
  const [first = "", ...others] = description.split(/\r?\n[ \t]*\r?\n/);
  const isRepeated = summary !== "" && wordsOf(first) === wordsOf(summary);
  const deprecated = operation.deprecated === true ? "Deprecated by the insurer." : "";
  return [sentence(summary), ...(isRepeated ? others : [description]), deprecated]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Begins with a capital, unless the first word has its own, such as iOS, and ends with a full stop. */
function sentence(text: string): string {
  const begun = text.replace(
    /^\p{Ll}+(?=\s)/u,
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
