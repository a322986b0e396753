import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { SiteSource } from "./source.ts";

/** How much, how large and how long. */
export function limitsPage(paths: SitePaths, { limits }: SiteSource): PageContent {
  const rows = limits.map(
    ([what, value]) => html`<tr><th scope="row">${what}</th><td>${value}</td></tr>`,
  );
  return {
    here: paths.limits,
    title: "Limits",
    summary: "How many requests, how large, and how long they may take.",
    main: html`<h1>Limits</h1>
<p class="lead">As this gateway is configured.</p>
<div class="wide" role="region" aria-label="Limits" tabindex="0"><table>
<thead><tr><th scope="col">What</th><th scope="col">How much</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>Every answer carries <code>RateLimit</code> with what is left and <code>RateLimit-Policy</code> with the limit. One request too
many is answered <a href="${paths.error("RATE_LIMITED")}"><code>RATE_LIMITED</code></a> with <code>Retry-After</code>.</p>`,
  };
}
