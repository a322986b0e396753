import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listedGuides } from "../src/site/guides/guide-list.ts";

/** Copies the guides into `dist/guides`, so that an installed gateway has them. Links that lead out of them become text. */
const docs = join(import.meta.dirname, "../../../docs");
const target = join(import.meta.dirname, "../dist/guides");
const FENCE = /(^```[\s\S]*?^```$)/m;
const LINK = /\[((?:`[^`]*`|[^[\]`])+)\]\(([^)\s]+)\)/g;

mkdirSync(target, { recursive: true });
for (const { name } of listedGuides) {
  const parts = readFileSync(join(docs, `${name}.md`), "utf8").split(FENCE);
  const packed = parts.map((part) => (part.startsWith("```") ? part : withoutLinksOut(part)));
  writeFileSync(join(target, `${name}.md`), packed.join(""));
}

function withoutLinksOut(markdown: string): string {
  return markdown.replaceAll(LINK, (link, text: string, href: string) => {
    if (/^(https?:|#)/.test(href)) return link;
    const [, file = ""] = /^([\w-]+\.md)(?:#|$)/.exec(href) ?? [];
    if (!listedGuides.some(({ name }) => file === `${name}.md`)) return text;
    // In the repository a file name is a good name of a link; a reader of the guides has never seen the file.
    return text === file ? `[${titleOf(file)}](${href})` : link;
  });
}

function titleOf(file: string): string {
  const [, title = ""] = /^# (.*)$/m.exec(readFileSync(join(docs, file), "utf8")) ?? [];
  return title;
}
