import { collectionNames } from "../deployment/collections.ts";
import { type Html, html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage } from "./source.ts";

/** Renders the page with files for API clients and instructions to import them. */
export function collectionsPage(
  paths: SitePaths,
  described: readonly ProviderOnPage[],
): PageContent {
  const names = Object.values(collectionNames);
  const rows = described
    .filter(({ document }) => document !== null)
    .map(
      ({ name, segment }) =>
        html`<tr id="${segment || "gateway"}"><th scope="row"><a href="${paths.provider(segment)}">${name}</a></th><td>${files(
          names.map((file) => [file, paths.providerFile(segment, file)]),
        )}</td><td><a href="${paths.providerFile(segment, "openapi.json")}">openapi.json</a></td></tr>`,
    );
  const all = names.map((file) => [file, paths.file(file)] as const);
  return {
    here: paths.collections,
    title: "Collections",
    summary: "Requests for Postman, Bruno, Insomnia and Hoppscotch, with examples and tests.",
    main: html`<h1>Collections</h1>
<p class="lead">Every example as a request that you can send: with its answer, and with a test that checks it. The folder "When it goes wrong" has ${paths.hasSandbox ? "a refused input, a refusal by the insurer, a key sent twice, and a lost answer with the question for its state" : "a refused input and a key sent twice"}.</p>
<div class="wide" role="region" aria-label="Collections" tabindex="0"><table>
<thead><tr><th scope="col">Provider</th><th scope="col">Collection</th><th scope="col">OpenAPI 3.1</th></tr></thead>
<tbody><tr><th scope="row">All of them</th><td>${files(all)}</td><td><a href="${paths.file("openapi.json")}">openapi.json</a></td></tr>${rows}</tbody></table></div>
<h2>How to import them</h2>
<dl class="steps">
<div><dt>Postman</dt><dd>Import <code>postman.json</code> and the <a href="${paths.file("postman-environment.json")}">environment</a>; choose the environment and put your token into <code>token</code>.</dd></div>
<div><dt>Bruno</dt><dd>Unpack <code>bruno.zip</code> and open the folder as a collection; choose the environment <code>gateway</code> and put your token into <code>token</code>, which Bruno stores as a secret.</dd></div>
<div><dt>Insomnia</dt><dd>Import, From URL or file: <code>openapi.json</code> of a provider; set <code>base_url</code>, and the bearer token under Auth.</dd></div>
<div><dt>Hoppscotch</dt><dd>Import, OpenAPI: <code>openapi.json</code> of a provider; set the bearer token under Authorization.</dd></div>
</dl>`,
  };
}

function files(list: readonly (readonly [string, string])[]): Html {
  return html`${list.map(([name, href], index) => html`${index === 0 ? "" : " · "}<a href="${href}" download>${name}</a>`)}`;
}
