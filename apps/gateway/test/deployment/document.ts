import { textOf } from "./repository.ts";

/** A heading of a Markdown document. */
export interface Heading {
  readonly level: number;
  readonly title: string;
  /** The fragment of links to the heading, as GitHub creates it. */
  readonly anchor: string;
}

/** Returns the headings of a document, without lines in code blocks. */
export function headingsOf(path: string): readonly Heading[] {
  const text = textOf(path).replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/^(#+) (.+)$/gm)].map(([, marks = "", title = ""]) => ({
    level: marks.length,
    title,
    anchor: title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  }));
}

/**
 * Returns the rows of the first table below a heading, without the head, each as a list of cells.
 * @throws Error if no table follows the heading
 */
export function tableBelow(path: string, title: string): readonly (readonly string[])[] {
  const text = textOf(path);
  const heading = new RegExp(`^#+ ${title}$`, "m").exec(text);
  const [, table] =
    heading === null
      ? []
      : (/^\|.*\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)/m.exec(text.slice(heading.index)) ?? []);
  if (table === undefined) throw new Error(`${path} has no table below ${title}`);
  return table
    .trimEnd()
    .split("\n")
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Returns the parts of a text that are in backticks, except code blocks. */
export function namedIn(text: string): readonly string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)].map(
    ([, name = ""]) => name,
  );
}
