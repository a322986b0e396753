import { problemCodes } from "@insurance-gateway/core/problems";
import { type Html, html, prose } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ScenarioOnPage, SiteSource } from "./source.ts";

/** Renders the page with the test values of the simulated insurers. */
export function sandboxPage(paths: SitePaths, { providers, scenarios }: SiteSource): PageContent {
  const byProvider = Map.groupBy(scenarios, ({ provider }) => provider);
  const sections = [...byProvider].map(([id, own]) => {
    const name = providers.find((provider) => provider.id === id)?.name ?? id;
    return html`<section aria-label="${name}"><h2>${name}</h2>${table(paths, own)}</section>`;
  });
  const none = html`<p>No insurer of this gateway is simulated.</p>`;
  return {
    here: paths.sandbox,
    title: "Sandbox",
    summary: "Test values that make simulated insurers decline, fail, be slow or lose an answer.",
    main: html`<h1>Sandbox</h1>
<p class="lead">Each provider of a sandbox has a simulated insurer over real HTTP. It stores what you send and finds it again.</p>
<p>Choose a scenario with a test value in the request, or with its name in the header <code>X-Sandbox-Scenario</code>. The gateway
sends the header only to simulated insurers.</p>
${sections.length === 0 ? none : sections}`,
  };
}

function table(paths: SitePaths, scenarios: readonly ScenarioOnPage[]): Html {
  const rows = scenarios.map(
    ({ effect, endpoint, name, problem, provider, when }) =>
      html`<tr id="${scenarioAnchor(provider, name)}"><th scope="row"><code>${name}</code></th><td><code>${endpoint}</code></td><td>${prose(when ?? "only the header")}</td><td class="sentence">${effect}</td><td>${problem === null ? "success" : gets(paths, problem)}</td></tr>`,
  );
  return html`<div class="wide" role="region" aria-label="Scenarios" tabindex="0"><table>
<thead><tr><th scope="col">Scenario</th><th scope="col">Endpoint</th><th scope="col">Chosen with</th><th scope="col">What the insurer does</th><th scope="col">You get</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

/** Returns the anchor of a scenario on its page. */
export function scenarioAnchor(provider: string, name: string): string {
  return `${provider}-${name}`;
}

function gets(paths: SitePaths, { code, outcome }: NonNullable<ScenarioOnPage["problem"]>): Html {
  return html`${problemCodes[code].status} <a href="${paths.error(code)}"><code>${code}</code></a>, <code class="outcome ${outcome}">${outcome}</code>`;
}
