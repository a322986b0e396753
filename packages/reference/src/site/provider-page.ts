import type { Documented } from "./endpoint/documented.ts";
import { type Html, html, prose } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage } from "./source.ts";

/** Renders the page of a provider, or of the gateway itself, with its endpoints by kind and its files. */
export function providerPage(
  paths: SitePaths,
  { lines, segment }: Pick<ProviderOnPage, "lines" | "segment">,
  documented: Documented,
): PageContent {
  const { document, name } = documented;
  const { summary, "x-provider": provider } = document.info;
  return {
    here: segment === "" ? paths.provider("") : paths.catalogue,
    title: name,
    summary: `${name}: ${summary}. Its endpoints, documents and request collections.`,
    main: html`<p class="trail"><a href="${paths.front}">Reference</a>${segment === "" ? null : html` / <a href="${paths.front}#catalogue">Providers</a>`}</p>
<h1>${name}</h1>
<p class="lead">${summary}.</p>
${
  segment === ""
    ? null
    : html`<dl class="brief"><div><dt>Lines of insurance</dt><dd>${lines.join(", ")}</dd></div>
<div><dt>Path segment</dt><dd><code>/${segment}</code></dd></div>
<div><dt>Package</dt><dd><code>${provider.package}</code> ${document.info.version}</dd></div></dl>`
}
${filesOf(paths, segment, documented)}
${endpointsByKind(documented)}`,
  };
}

function filesOf(paths: SitePaths, segment: string, { places }: Documented): Html {
  const files: readonly (readonly [string, string | null])[] = [
    ["OpenAPI", places.openApi],
    ["Postman", paths.providerFile(segment, "postman.json")],
    ["Bruno", paths.providerFile(segment, "bruno.zip")],
    ["How to import collections", places.collections],
    ["Changelog", places.changelog],
  ];
  return html`<ul class="files">${files.map(([name, href]) => (href === null ? null : html`<li><a href="${href}">${name}</a></li>`))}</ul>`;
}

/** Lists the endpoints of a document by group, each with a link to its page. */
function endpointsByKind({ document, operations, places }: Documented): Html {
  const sections = document.tags.map(({ description, name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const entries = own.map(
      ({ method, operation, path }) =>
        html`<li><a href="${places.endpoint(operation.operationId)}"><strong>${operation.summary}</strong><span class="method">${method}</span> <code>${path}</code></a></li>`,
    );
    return html`<section aria-labelledby="${name.toLowerCase()}"><h2 id="${name.toLowerCase()}">${name}</h2><p class="note">${prose(description)}</p><ul class="endpoints">${entries}</ul></section>`;
  });
  return html`${sections}`;
}

/** Renders the page of a provider without endpoints. */
export function emptyProviderPage(paths: SitePaths, provider: ProviderOnPage): PageContent {
  const { lines, name, segment } = provider;
  return {
    here: paths.catalogue,
    title: name,
    summary: `${name} declares no endpoint yet.`,
    main: html`<p class="trail"><a href="${paths.front}#catalogue">Providers</a></p>
<h1>${name}</h1>
<p class="lead">Its path segment is <code>/${segment}</code>. It declares no endpoint yet.</p>
<p>Lines of insurance: ${lines.length === 0 ? "not declared yet" : lines.join(", ")}.</p>`,
  };
}
