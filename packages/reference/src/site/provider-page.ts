import { deployedPath } from "../deployment/deployment.ts";
import { operationsOf } from "../document/provider-document.ts";
import { type Html, html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage } from "./source.ts";

/** A provider's page: Scalar reads the document, our bar has the way back and the token. */
export function providerPage(
  paths: SitePaths,
  provider: ProviderOnPage,
  developmentToken: boolean,
): string {
  const { name, segment } = provider;
  const button = developmentToken
    ? html`<button type="button" id="development-token" data-href="${paths.developmentToken}">Get a development token</button>`
    : null;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} · Insurance Gateway</title>
<link rel="stylesheet" href="${paths.asset("style.css")}">
<link rel="icon" href="${paths.asset("icon.svg")}" type="image/svg+xml">
<link rel="modulepreload" href="${paths.asset("scalar/standalone.esm.js")}">
<link rel="preload" href="${paths.providerFile(segment, "page.json")}" as="fetch" crossorigin>
<script type="module" src="${paths.asset("provider-page.js")}"></script>
</head>
<body class="provider">
<a class="skip" href="#reference">To the content</a>
<header class="top">
<a class="name" href="${paths.front}">Insurance Gateway</a>
<nav aria-label="This provider"><ul>
<li><a href="${paths.providerFile(segment, "openapi.json")}">OpenAPI</a></li>
<li><a href="${paths.collections}#${segment}">Collections</a></li>
<li><a href="${paths.providerFile(segment, "changelog")}">Changelog</a></li>
</ul></nav>
<div class="token">${button}<span id="token-note" role="status" class="note"></span></div>
</header>
<div id="reference" tabindex="-1" data-document="${paths.providerFile(segment, "page.json")}"></div>
${outline(paths, provider)}
</body>
</html>
`.markup;
}

/** What there is, to be read at once: until Scalar has drawn the page, and where there is no JavaScript. */
function outline(paths: SitePaths, { document, id, name, segment }: ProviderOnPage): Html {
  const rows = (document === null ? [] : operationsOf(document)).map(
    ({ method, operation, path }) =>
      html`<li><a href="${paths.providerFile(segment, `${operation.operationId}.md`)}"><code>${method} ${deployedPath(path, id, segment)}</code></a> ${operation.summary}</li>`,
  );
  return html`<main id="outline"><h1>${name}</h1><p class="lead">${document?.info.summary ?? ""}</p><ul>${rows}</ul></main>`;
}

/** The page of a provider that declares no endpoint yet. */
export function emptyProviderPage(paths: SitePaths, provider: ProviderOnPage): PageContent {
  const { lines, name, segment } = provider;
  return {
    here: "",
    title: name,
    summary: `${name} declares no endpoint yet.`,
    main: html`<p class="trail"><a href="${paths.front}#catalogue">Providers</a></p>
<h1>${name}</h1>
<p class="lead">Its path segment is <code>/${segment}</code>. It declares no endpoint yet.</p>
<p>Lines of insurance: ${lines.length === 0 ? "not declared yet" : lines.join(", ")}.</p>`,
  };
}
