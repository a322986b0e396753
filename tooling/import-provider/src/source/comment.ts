/** Maximum width of a line in a doc comment. */
const MAX_TEXT_WIDTH = 100;
/** Maximum length of a description in a doc comment. The end of a longer text is only in the insurer's document. */
const MAX_DESCRIPTION_LENGTH = 2_000;

/**
 * Returns a doc comment with a text of the document; "" for an empty text. The text cannot end the comment, begin a tag
 * or contain invisible characters.
 */
export function docComment(text: string, indent: number): string {
  const lines = linesOf(text, MAX_TEXT_WIDTH - indent);
  if (lines.length === 0) return "";
  const margin = " ".repeat(indent);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined && only.length + indent + 7 <= MAX_TEXT_WIDTH)
    return `${margin}/** ${only} */\n`;
  return [
    `${margin}/**`,
    ...lines.map((line) => `${margin} * ${line}`.trimEnd()),
    `${margin} */\n`,
  ].join("\n");
}

/** Returns the first paragraphs of a long text and the first sentences of the next paragraph. */
function shortened(text: string): string {
  if (text.length <= MAX_DESCRIPTION_LENGTH) return text;
  const paragraphs = paragraphsOf(text);
  const kept: string[] = [];
  let room = MAX_DESCRIPTION_LENGTH;
  for (const paragraph of paragraphs) {
    if (paragraph.length > room) {
      const sentences = firstSentences(paragraph, room);
      if (sentences !== "") return [...kept, sentences].join("\n\n");
      break;
    }
    kept.push(paragraph);
    room -= paragraph.length + 2;
  }
  const [first = ""] = paragraphs;
  if (kept.length === 0) return firstWords(proseOf(first));
  // A last paragraph that ends with a colon introduces omitted text, so this paragraph is also removed.
  while (kept.at(-1)?.trimEnd().endsWith(":")) kept.pop();
  return kept.length > 0 ? kept.join("\n\n") : `${first.trimEnd().slice(0, -1)} …`;
}

/** Matches the start of a code block: a fence without a further backtick on the line (CommonMark, section 4.5). */
const CODE_FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
/** Matches the start of a table or a code block. */
const NON_PROSE_START = /^\s*(?:\||`{3,}(?=[^`\n]*$)|~~~)/m;

/** Splits a text into paragraphs. Empty lines inside a code block do not end a paragraph. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[][] = [[]];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, mark] = CODE_FENCE.exec(line) ?? [];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
    if (fence === null && line.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
}

/** Returns the part of a paragraph before a table or code. */
function proseOf(paragraph: string): string {
  return paragraph.split(NON_PROSE_START, 1)[0] ?? "";
}

/** Returns the first words of a paragraph that is too long and has no short first sentence. */
function firstWords(prose: string): string {
  if (prose.length <= MAX_DESCRIPTION_LENGTH) {
    const announced = prose.trimEnd().replace(/:$/, "");
    return announced === "" ? "" : `${announced} …`;
  }
  const start = prose.slice(0, MAX_DESCRIPTION_LENGTH);
  return `${start.replace(/\s*\S*$/, "") || start} …`;
}

/**
 * Returns the first sentences of a paragraph that fit into a length, up to a table or code; "" if no sentence fits.
 * The number of a list item does not end a sentence.
 */
function firstSentences(paragraph: string, room: number): string {
  const prose = proseOf(paragraph).slice(0, Math.max(0, room) + 1);
  const found = /^.*(?<!(?:^|\n)\s*\d+)[.!?](?=\s)/s.exec(prose);
  return found?.[0] ?? "";
}

function linesOf(text: string, width: number): readonly string[] {
  const safe = shortened(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(
      /[\p{Cc}\u00a0\u1680\u2000-\u200a\u205f\u3000\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
      (character) => (character === "\n" ? "\n" : " "),
    )
    .replaceAll("*/", "*\\/")
    .replaceAll("/*", "/\\*");
  const lines = safe.split("\n").flatMap((line) => wrapped(line.trimEnd(), width - 3));
  const untagged = lines.map((line) => line.replace(/^(\s*)@/, "$1\\@"));
  return collapsed(untagged);
}

/** Breaks a line at spaces to a maximum width; tables and code stay unchanged. */
function wrapped(line: string, width: number): readonly string[] {
  if (line.length <= width || /^(\s{4}|\s*[|>`])/.test(line)) return [line];
  const indent = /^(\s*(?:[-*]|\d+\.)\s+)/.exec(line)?.[1]?.length ?? 0;
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = " ".repeat(indent) + word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** Removes empty lines at both ends and merges consecutive ones. */
function collapsed(lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "");
  const first = kept.findIndex((line) => line !== "");
  if (first === -1) return [];
  return kept.at(-1) === "" ? kept.slice(first, -1) : kept.slice(first);
}
