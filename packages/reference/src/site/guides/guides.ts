import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Heading, headingsOf } from "../markdown.ts";
import { type ListedGuide, listedGuides } from "./guide-list.ts";

/** The build of the package copies the guides beside its modules. */
const folder = join(
  dirname(createRequire(import.meta.url).resolve("@insurance-gateway/reference/package.json")),
  "dist/guides",
);

/** A guide with its text. */
export interface Guide extends ListedGuide {
  readonly title: string;
  /** The headings below the title. */
  readonly headings: readonly Heading[];
  /** The whole document. */
  readonly markdown: string;
}

/** Reads a guide. */
export function readGuide(listed: ListedGuide): Guide {
  const markdown = readFileSync(join(folder, `${listed.name}.md`), "utf8");
  const [title, ...headings] = headingsOf(markdown);
  return { ...listed, title: title?.text ?? listed.name, headings, markdown };
}

/** Reads every guide, in their order. */
export function readGuides(): readonly Guide[] {
  return listedGuides.map(readGuide);
}
