import { type Html, html } from "../html.ts";
import type { PageContent } from "../layout.ts";
import { renderMarkdown } from "../markdown.ts";
import type { SitePaths } from "../paths.ts";
import type { Language } from "../words/language.ts";
import type { ListedGuide } from "./guide-list.ts";
import { type Guide, readGuideText } from "./guides.ts";

const readers: readonly (readonly [ListedGuide["reader"], string])[] = [
  ["developer", "For developers of applications"],
  ["operator", "For operators of the gateway"],
];

/** Renders the list of all guides. */
export function guidesPage(paths: SitePaths, guides: readonly Guide[]): PageContent {
  return {
    here: paths.guides,
    title: "Guides",
    summary: "How to call the gateway, prepare for failures, and run the gateway.",
    main: html`<h1>Guides</h1>
<p class="lead">How to call the gateway, prepare for failures, and run it.</p>
${readers.map(([reader, name]) => html`<h2>${name}</h2>${guideList(paths, guides, reader, "en")}`)}`,
  };
}

/** Lists the guides for a kind of reader, each with its subject. */
export function guideList(
  paths: SitePaths,
  guides: readonly Guide[],
  reader: ListedGuide["reader"],
  language: Language,
): Html {
  const own = guides.filter((guide) => guide.reader === reader);
  return html`<ul class="cards">${own.map(
    ({ idea, name, title }) =>
      html`<li class="card"><h3 lang="en"><a href="${paths.guide(name)}">${title}</a></h3><p>${idea[language]}</p></li>`,
  )}</ul>`;
}

/** Renders a guide with its table of contents. */
export function guidePage(paths: SitePaths, guide: Guide): PageContent {
  const { headings, idea, name, title } = guide;
  const sections = headings.filter(({ depth }) => depth === 2);
  const contents = html`<nav class="contents" aria-label="On this page"><p>On this page</p>
<ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;
  return {
    here: paths.guides,
    shape: "guide",
    title,
    summary: idea.en,
    main: html`<p class="trail"><a href="${paths.guides}">Guides</a></p>
<h1>${title}</h1>
${sections.length > 1 ? contents : null}
<article>${renderMarkdown(readGuideText(guide).replace(/^# .*$/m, ""), (href) => href.replace(/^([\w-]+)\.md/, "$1"))}
<p class="note"><a href="${paths.guide(name)}.md">This page as Markdown</a></p></article>`,
  };
}
