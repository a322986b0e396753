import { type Html, html, prose } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { ScenarioOnPage } from "../source.ts";

/** Lists the scenarios of the simulated insurer for one endpoint; null if the endpoint has no scenario. */
export function scenarioList(paths: SitePaths, scenarios: readonly ScenarioOnPage[]): Html | null {
  if (scenarios.length === 0) return null;
  const story = scenarios.some(({ problem }) => problem?.code === "OUTCOME_UNKNOWN")
    ? html` · <a href="${paths.lostAnswer}">Lose an answer</a>`
    : null;
  return html`<section aria-labelledby="scenarios"><h2 id="scenarios">Sandbox scenarios</h2>
<p>Send the test value, or the name in the header <code>X-Sandbox-Scenario</code>. <a href="${paths.sandbox}">How the sandbox works</a>${story}</p>
<ul class="fields">${scenarios.map(
    ({ effect, name, when }) =>
      html`<li id="scenario.${name}"><p class="entry"><code>${name}</code> <span class="type">${prose(when ?? "only the header")}</span></p><p>${prose(effect)}</p></li>`,
  )}</ul></section>`;
}
