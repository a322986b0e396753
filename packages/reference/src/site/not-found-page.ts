import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";

/** Renders the page for an unknown address. */
export function notFoundPage(paths: SitePaths): PageContent {
  return {
    here: "",
    title: "No such page",
    summary: "Nothing is at this address.",
    main: html`<h1>No such page</h1>
<p class="lead">Nothing is at this address: it may be mistyped, or belong to a provider that this gateway does not serve.</p>
<ul>
<li><a href="${paths.front}">All endpoints, and a search</a></li>
<li><a href="${paths.guides}">All guides</a></li>
<li><a href="${paths.errors}">All error codes</a></li>
<li><a href="${paths.collections}">Collections and documents to download</a></li>
</ul>`,
  };
}
