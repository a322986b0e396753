import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";

/** In place of a page that there is not. */
export function notFoundPage(paths: SitePaths): PageContent {
  return {
    here: "",
    title: "No such page",
    summary: "The reference has no page at this address.",
    main: html`<h1>No such page</h1>
<p class="lead">The reference has nothing at this address: it may be mistyped, or belong to a provider that this gateway does not serve.</p>
<ul>
<li><a href="${paths.front}">All providers, and a search for endpoints</a></li>
<li><a href="${paths.errors}">All problem codes</a></li>
<li><a href="${paths.collections}">Collections and documents to download</a></li>
</ul>`,
  };
}
