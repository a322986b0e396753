import type { Catalogue, CatalogueProvider } from "../catalogue/catalogue.ts";
import { countOf, useMark, verifiedText } from "../catalogue/catalogue-text.ts";
import { kindsInOrder } from "../document/kinds-in-words.ts";
import { type Html, html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";

/** Maximum number of fields on the catalogue's page; `catalogue.json` has all fields. */
const SHOWN_FIELDS = 200;

/** Renders the page with all providers, their endpoints, and the fields that providers share. */
export function cataloguePage(paths: SitePaths, catalogue: Catalogue): PageContent {
  const declared = catalogue.providers.filter(({ endpoints }) => endpoints.length > 0);
  return {
    here: paths.catalogue,
    title: "Catalogue",
    summary:
      "Every provider and endpoint, when each was verified, and the fields that providers share.",
    main: html`<h1>Catalogue</h1>
<p class="lead">What each provider declares, and when it was verified at the insurer.
<a href="${paths.file("catalogue.json")}">catalogue.json</a> has the same for programs.</p>
${overview(paths, declared)}
${declared.map((provider) => endpointsOf(paths, provider))}
${sharedFields(paths, declared, catalogue)}`,
  };
}

function overview(paths: SitePaths, providers: readonly CatalogueProvider[]): Html {
  const rows = providers.map(
    ({ endpoints, lines, name, segment, version }) =>
      html`<tr><th scope="row"><a href="${paths.provider(segment)}">${name}</a></th><td>${lines.join(", ")}</td><td>${version}</td>${kindsInOrder.map(
        (kind) => html`<td>${countOf(endpoints, kind) || "–"}</td>`,
      )}</tr>`,
  );
  const heads = ["Provider", "Lines of insurance", "Version", ...kindsInOrder];
  return wide("Providers", heads, rows);
}

function endpointsOf(paths: SitePaths, { endpoints, name, segment }: CatalogueProvider): Html {
  const rows = endpoints.map(
    (endpoint) =>
      html`<tr><th scope="row"><a href="${paths.endpoint(segment, endpoint.name)}">${endpoint.name}</a></th><td><code>${endpoint.method} ${endpoint.path}</code></td><td>${endpoint.kind}</td><td class="sentence">${endpoint.summary}</td><td>${verifiedText(endpoint)}</td></tr>`,
  );
  const heads = ["Endpoint", "Request", "Kind", "Does", "Verified at the insurer"];
  return html`<h2 id="${segment}">${name}</h2>${wide(name, heads, rows)}`;
}

function sharedFields(
  paths: SitePaths,
  providers: readonly CatalogueProvider[],
  { sharedFields: fields }: Catalogue,
): Html | null {
  if (fields.length === 0) return null;
  const rows = fields
    .slice(0, SHOWN_FIELDS)
    .map(
      ({ name, types, uses }) =>
        html`<tr><th scope="row"><code>${name}</code></th><td>${types.join(" / ")}</td>${providers.map(
          ({ segment }) => html`<td>${useMark(uses.find((use) => use.segment === segment))}</td>`,
        )}</tr>`,
    );
  const more = fields.length - rows.length;
  return html`<h2 id="fields">Shared fields</h2>
<p>The fields that at least two providers have. <b>R</b>: a request must have it; <b>r</b>: a request may have it; <b>a</b>: an
answer may have it. <code>[]</code> stands for the items of a list.</p>
${wide("Shared fields", ["Field", "Type", ...providers.map(({ name }) => name)], rows)}
${more > 0 ? html`<p>${more} more are in <a href="${paths.file("catalogue.json")}">catalogue.json</a>.</p>` : null}`;
}

function wide(label: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
