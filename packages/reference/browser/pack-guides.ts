import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listedGuides } from "../src/site/guides/guide-list.ts";
import type { GuideHeadings } from "../src/site/guides/guides.ts";
import { headingsOf } from "../src/site/markdown.ts";

/**
 * Copies the guides into `dist/guides` for installed gateways, with text in place of links to other documents. The file
 * `guides.json` has the headings of all guides, so that the gateway need not parse every guide for a list of titles.
 */
const docs = join(import.meta.dirname, "../../../docs");
const target = join(import.meta.dirname, "../dist/guides");
const FENCE = /(^```[\s\S]*?^```$)/m;
const LINK = /\[((?:`[^`]*`|[^[\]`])+)\]\(([^)\s]+)\)/g;

mkdirSync(target, { recursive: true });
const headings: GuideHeadings = Object.fromEntries(
  listedGuides.map(({ name }) => {
    const parts = readFileSync(join(docs, `${name}.md`), "utf8").split(FENCE);
    const packed = parts
      .map((part) => (part.startsWith("```") ? part : withoutLinksOut(part)))
      .join("");
    writeFileSync(join(target, `${name}.md`), packed);
    return [name, headingsOf(packed)];
  }),
);
writeFileSync(join(target, "guides.json"), JSON.stringify(headings));

function withoutLinksOut(markdown: string): string {
  return markdown.replaceAll(LINK, (link, text: string, href: string) => {
    if (/^(https?:|#)/.test(href)) return link;
    const [, file = ""] = /^([\w-]+\.md)(?:#|$)/.exec(href) ?? [];
    if (!listedGuides.some(({ name }) => file === `${name}.md`)) return text;
    // A file name as the text of a link makes sense only in the repository, so the guide's title replaces it.
    return text === file ? `[${titleOf(file)}](${href})` : link;
  });
}

function titleOf(file: string): string {
  const [, title = ""] = /^# (.*)$/m.exec(readFileSync(join(docs, file), "utf8")) ?? [];
  return title;
}
