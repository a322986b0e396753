import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { SiteSource } from "./source.ts";

/** Renders the page of the gateway's limits. */
export function limitsPage(paths: SitePaths, { limits }: SiteSource): PageContent {
  const rows = limits.map(
    ([what, value]) => html`<tr><th scope="row">${what}</th><td>${value}</td></tr>`,
  );
  return {
    here: paths.limits,
    title: "Limits",
    summary: "How many requests, how large, and how long they may take.",
    main: html`<h1>Limits</h1>
<p class="lead">The limits that this gateway is configured with.</p>
<div class="wide" role="region" aria-label="Limits" tabindex="0"><table>
<thead><tr><th scope="col">What</th><th scope="col">How much</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>Every answer has the headers <code>RateLimit</code>, with the remaining requests, and <code>RateLimit-Policy</code>, with the
limit. A request above the limit gets <a href="${paths.error("RATE_LIMITED")}"><code>RATE_LIMITED</code></a> with <code>Retry-After</code>.</p>`,
  };
}
