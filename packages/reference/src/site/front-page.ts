import { operationsOf } from "../document/provider-document.ts";
import { TOKEN_PLACEHOLDER } from "../snippets/sample-request.ts";
import { snippetsOf } from "../snippets/snippets.ts";
import { tokenBar } from "./form/token-bar.ts";
import { type Html, html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage, SiteSource } from "./source.ts";

/** What the service is, a first call, the search, and every provider. */
export function frontPage(paths: SitePaths, source: SiteSource): PageContent {
  const { providers } = source;
  const endpoints = providers.reduce((sum, provider) => sum + endpointCount(provider), 0);
  return {
    here: paths.front,
    title: "Reference",
    summary: "One HTTP gateway in front of many insurers: its endpoints, errors and test values.",
    main: html`<div class="hero">
<h1>One address for every insurer</h1>
<p class="lead">Lookups, quotes, applications and documents of ${providers.length} providers behind one base address and one token:
motor, travel, life and pension. Every failure says whether the insurer acted.</p>
</div>
${search(endpoints)}
${quickStart(paths, source)}
${catalogue(paths, providers)}`,
  };
}

function endpointCount({ document }: ProviderOnPage): number {
  return document === null ? 0 : operationsOf(document).length;
}

function search(endpoints: number): Html {
  return html`<search class="finder">
<label for="search">Search ${endpoints} endpoints</label>
<div class="field"><input id="search" type="search" role="combobox" autocomplete="off" spellcheck="false"
 aria-expanded="false" aria-controls="results" aria-autocomplete="list" placeholder="brands, applications, quote …">
<kbd title="Press / to search">/</kbd></div>
<p id="found" class="only-heard" aria-live="polite"></p>
<ul id="results" role="listbox" aria-label="Endpoints" hidden></ul>
<noscript><p>The search needs JavaScript; the catalogue below has every provider.</p></noscript>
</search>`;
}

function quickStart(paths: SitePaths, source: SiteSource): Html | null {
  const first = source.providers
    .flatMap((provider) => {
      const { document, segment } = provider;
      const placed = document === null ? [] : operationsOf(document);
      return placed.map((operation) => ({ document, operation, segment }));
    })
    .find(({ operation }) => operation.operation["x-kind"] === "lookup");
  if (first === undefined || first.document === null) return null;
  const { document, operation, segment } = first;
  const id = document.info["x-provider"].id;
  const placed = { ...operation, path: `/${segment}${operation.path.slice(`/${id}`.length)}` };
  const shown = snippetsOf(placed, document, { segment, address: source.address }).filter(
    ({ lang }) => lang === "shell" || lang === "typescript",
  );
  return html`<section aria-labelledby="start" class="start">
<h2 id="start">Quick start</h2>
${tokenStep(paths, source.developmentToken)}
<p><strong>2. Call.</strong> Copy a snippet: it has your token once you have one.</p>
${shown.toReversed().map(({ label, source: text }) => codeBlock(label, text))}
<p><strong>3. Prepare for failures.</strong> Before you send an application, read
<a href="${paths.outcomes}">what happens when an answer is lost</a>, or <a href="${paths.lostAnswer}">lose one</a> and watch.</p>
</section>`;
}

function tokenStep(paths: SitePaths, development: boolean): Html {
  return html`<p><strong>1. Get a token.</strong> ${
    development
      ? "This gateway has a development issuer; its tokens are valid only on this gateway."
      : "Tokens come from the issuer that your operator configured."
  }</p>
${tokenBar(paths, development)}`;
}

/** A block of code with a button to copy it; the page puts the reader's token in. */
function codeBlock(label: string, text: string): Html {
  return html`<figure class="code"><figcaption>${label} <button type="button" class="copy">Copy</button></figcaption>
<pre tabindex="0" data-token="${TOKEN_PLACEHOLDER}"><code>${text}</code></pre></figure>`;
}

function catalogue(paths: SitePaths, providers: readonly ProviderOnPage[]): Html {
  const cards = providers.map((provider) => {
    const { document, lines, name, segment } = provider;
    const count = endpointCount(provider);
    const about =
      document === null
        ? html`<p class="none">No endpoint yet</p>`
        : html`<p>${document.info.summary}.</p><p class="count">${count} ${count === 1 ? "endpoint" : "endpoints"}</p>`;
    return html`<li class="${document === null ? "card empty" : "card"}"><h3><a href="${paths.provider(segment)}">${name}</a></h3>
<p class="lines">${lines.join(", ")}</p>${about}</li>`;
  });
  return html`<section aria-labelledby="catalogue"><h2 id="catalogue">Providers</h2><ul class="cards">${cards}</ul></section>`;
}
