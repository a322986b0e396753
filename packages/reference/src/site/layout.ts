import { finder } from "./finder.ts";
import { type Html, html } from "./html.ts";
import type { SitePaths } from "./paths.ts";
import type { Language, Text } from "./words/language.ts";
import { layoutWords } from "./words/layout-words.ts";

/** The parts of a page. */
export interface PageContent {
  readonly title: string;
  /** One sentence for search engines and links. */
  readonly summary: string;
  readonly main: Html;
  /** The page's entry in the navigation. */
  readonly here: string;
  /** The language of the page. Default: English. */
  readonly language?: Language;
  /** The address of the same page in the other language, if there is one. */
  readonly translation?: string;
  /** A class of the page's body for a special layout. Endpoint pages have a switch for the labels of fields. */
  readonly shape?: "endpoint" | "guide";
  /** The links before the navigation, each to a part of the same page: `["try-it", "Try it"]`. */
  readonly skipTo?: readonly (readonly [id: string, name: string])[];
  /** True if the search field is part of the page's content instead of the header. */
  readonly hasOwnSearch?: boolean;
  /** The names of further scripts besides the script of every page. */
  readonly scripts?: readonly string[];
}

/** Renders a page: the content between the parts that every page has. */
export function layout(
  paths: SitePaths,
  {
    hasOwnSearch = false,
    here,
    language = "en",
    main,
    scripts = [],
    shape,
    skipTo = [],
    summary,
    title,
    translation,
  }: PageContent,
): string {
  const say = (text: Text): string => text[language];
  const words = layoutWords;
  const entries: readonly NavigationEntry[] = [
    [paths.catalogue, words.providers],
    [paths.provider(""), words.gateway],
    [paths.guides, words.guides],
    [paths.errors, words.errors],
    [paths.outcomes, words.outcomes],
    ...(paths.hasSandbox ? sandboxEntries(paths) : []),
    [paths.limits, words.limits],
    [paths.collections, words.collections],
  ];
  const links = entries.map(
    ([href, name]) =>
      html`<li><a href="${href}"${href === here ? html` aria-current="page"` : null}>${say(name)}</a></li>`,
  );
  const hasLabels = shape === "endpoint";
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${title} · Insurance Gateway</title>
<link rel="stylesheet" href="${paths.asset("style.css")}">
<link rel="icon" href="${paths.asset("icon.svg")}" type="image/svg+xml">
${translation === undefined ? null : html`<link rel="alternate" hreflang="${otherOf(language)}" href="${translation}">`}
${hasLabels ? html`<script src="${paths.asset("labels.js")}"></script>` : null}
${["page.js", ...scripts].map((name) => html`<script type="module" src="${paths.asset(name)}"></script>`)}
</head>
<body${shape === undefined ? null : html` class="${shape}"`}>
${skipTo.map(([id, name]) => html`<a class="skip" href="#${id}">${name}</a>`)}
<a class="skip" href="#main">${say(words.toContent)}</a>
<header class="top">
<a class="name" href="${language === "el" ? paths.greekFront : paths.front}"><img src="${paths.asset("icon.svg")}" alt="" width="26" height="26">Insurance Gateway</a>
<button type="button" class="menu" popovertarget="pages">${say(words.menu)}</button>
<nav id="pages" popover aria-label="${say(words.pages)}"><ul>${links}</ul></nav>
${hasOwnSearch ? null : finder(language, language === "el" ? "Αναζήτηση" : "Search")}
${hasLabels ? html`<button type="button" class="switch scripted" id="labels" aria-pressed="false">${say(words.labels)}</button>` : null}
${translation === undefined ? null : html`<a class="button switch" lang="${otherOf(language)}" hreflang="${otherOf(language)}" href="${translation}">${languageNames[otherOf(language)]}</a>`}
</header>
<main id="main">
${main}
</main>
<footer class="bottom">
<p>${say(words.generated)}</p>
<p><a href="${paths.file("llms.txt")}">llms.txt</a> · <a href="${paths.file("openapi.json")}">OpenAPI</a></p>
</footer>
</body>
</html>
`.markup;
}

type NavigationEntry = readonly [href: string, name: Text];

function sandboxEntries(paths: SitePaths): readonly NavigationEntry[] {
  return [
    [paths.lostAnswer, layoutWords.lostAnswer],
    [paths.sandbox, layoutWords.sandbox],
  ];
}

const languageNames: Readonly<Record<Language, string>> = { en: "English", el: "Ελληνικά" };

function otherOf(language: Language): Language {
  return language === "el" ? "en" : "el";
}
