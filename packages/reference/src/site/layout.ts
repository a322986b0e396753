import { type Html, html } from "./html.ts";
import type { SitePaths } from "./paths.ts";

/** What a page of ours is made of. */
export interface PageContent {
  readonly title: string;
  /** One sentence, for search engines and links. */
  readonly summary: string;
  readonly main: Html;
  /** The page's entry in the navigation. */
  readonly here: string;
  /** A class of the page's body, for pages with a layout of their own. */
  readonly shape?: "endpoint";
  /** Links before the navigation, each to a part of this page: `["try-it", "Try it"]`. */
  readonly skipTo?: readonly (readonly [id: string, name: string])[];
  /** The names of scripts beside the one that every page has. */
  readonly scripts?: readonly string[];
}

/** Puts a page's content between the parts that every page has. */
export function layout(
  paths: SitePaths,
  { here, main, scripts = [], shape, skipTo = [], summary, title }: PageContent,
): string {
  const entries: readonly (readonly [string, string])[] = [
    [paths.front, "Overview"],
    [paths.catalogue, "Catalogue"],
    [paths.outcomes, "Outcomes"],
    [paths.errors, "Errors"],
    [paths.sandbox, "Sandbox"],
    [paths.limits, "Limits"],
    [paths.collections, "Collections"],
  ];
  const links = entries.map(
    ([href, name]) =>
      html`<li><a href="${href}"${href === here ? html` aria-current="page"` : null}>${name}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${title} · Insurance Gateway</title>
<link rel="stylesheet" href="${paths.asset("style.css")}">
<link rel="icon" href="${paths.asset("icon.svg")}" type="image/svg+xml">
${["page.js", ...scripts].map((name) => html`<script type="module" src="${paths.asset(name)}"></script>`)}
</head>
<body${shape === undefined ? null : html` class="${shape}"`}>
${skipTo.map(([id, name]) => html`<a class="skip" href="#${id}">${name}</a>`)}
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="name" href="${paths.front}">Insurance Gateway</a>
<nav aria-label="Pages"><ul>${links}</ul></nav>
</header>
<main id="main">
${main}
</main>
<footer class="bottom">
<p>Generated from the declarations that the gateway itself uses.</p>
<p><a href="${paths.file("llms.txt")}">llms.txt</a> · <a href="${paths.file("openapi.json")}">OpenAPI</a></p>
</footer>
</body>
</html>
`.markup;
}
