import { readFileSync, writeFileSync } from "node:fs";

/** A part of a document that a program writes: what is between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
export interface GeneratedSection {
  /** The document's name in `docs`, such as `performance.md`. */
  readonly document: string;
  readonly name: string;
}

/** Replaces what a document has in a section; throws an Error when it has no such section. */
export function writeSection(section: GeneratedSection, text: string): void {
  const [before, after] = around(section);
  writeFileSync(pathOf(section), before + text + after);
}

/** Throws an Error when the document has no such section. */
export function checkSection(section: GeneratedSection): void {
  around(section);
}

function around(section: GeneratedSection): readonly [before: string, after: string] {
  const text = readFileSync(pathOf(section), "utf8");
  const mark = `<!-- ${section.name}:begin -->\n`;
  const begin = text.indexOf(mark) + mark.length;
  const end = text.indexOf(`<!-- ${section.name}:end -->`, begin);
  if (begin < mark.length || end < 0)
    throw new Error(`docs/${section.document} has no section ${section.name}`);
  return [text.slice(0, begin), text.slice(end)];
}

function pathOf({ document }: GeneratedSection): URL {
  return new URL(`../../../docs/${document}`, import.meta.url);
}
