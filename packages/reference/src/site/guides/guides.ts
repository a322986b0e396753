import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Heading } from "../markdown.ts";
import { type ListedGuide, listedGuides } from "./guide-list.ts";

/**
 * The folder of the guides beside the modules. The package's build copies the guides into this folder and lists their
 * headings in `guides.json`.
 */
const folder = join(
  dirname(createRequire(import.meta.url).resolve("@insurance-gateway/reference/package.json")),
  "dist/guides",
);

/** The headings of every guide by name, the title first: the content of `guides.json`. */
export type GuideHeadings = Readonly<Record<string, readonly Heading[]>>;

/** A guide without its text. */
export interface Guide extends ListedGuide {
  readonly title: string;
  /** The headings below the title. */
  readonly headings: readonly Heading[];
}

/** Reads the titles and headings of all guides, in order, from one small file. */
export function readGuides(): readonly Guide[] {
  const read: GuideHeadings = JSON.parse(readFileSync(join(folder, "guides.json"), "utf8"));
  return listedGuides.map((listed) => {
    const [title, ...headings] = read[listed.name] ?? [];
    return { ...listed, title: title?.text ?? listed.name, headings };
  });
}

/** Reads the Markdown of a guide. */
export function readGuideText({ name }: ListedGuide): string {
  return readFileSync(join(folder, `${name}.md`), "utf8");
}
