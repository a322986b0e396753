import type { OpenApiDocument } from "../../document/open-api.ts";
import { adviceInWords } from "../../errors/advice-in-words.ts";
import {
  conditionInWords,
  type ProblemMeaning,
  problemsOfEndpoint,
} from "../../errors/endpoint-problems.ts";
import type { PlacedOperation } from "../../snippets/sample-request.ts";
import { type Html, html, prose } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { ScenarioOnPage } from "../source.ts";

/** Lists the possible problems of an endpoint: whether the insurer acted, and whether to send the call again. */
export function problemList(
  paths: SitePaths,
  { operation }: PlacedOperation,
  document: OpenApiDocument,
  scenarios: readonly ScenarioOnPage[],
): Html {
  const entries = problemsOfEndpoint(operation, document, scenarios).map(
    ({ code, meanings, status, title }) =>
      html`<li id="problem.${code}"><p class="entry"><span class="status">${status}</span> <a href="${paths.error(code)}"><code>${code}</code></a></p><p class="title">${title}</p><div>${meaningsOf(meanings)}</div></li>`,
  );
  return html`<section aria-labelledby="problems"><h2 id="problems">Problems</h2>
<p class="note">Every error is a problem document (RFC 9457). Its <code>outcome</code> says whether the insurer acted, its <code>retry</code> whether to send the call again.</p>
<ul class="fields problems">${entries}</ul></section>`;
}

/** Renders the usual meaning of a problem and, folded, the rare meanings with their conditions. */
function meaningsOf(meanings: readonly ProblemMeaning[]): Html {
  const rare = meanings.filter(({ when }) => when !== null);
  const usual = meanings.filter(({ when }) => when === null);
  const folded = html`<details><summary>${rare.length === 1 ? "A rare case" : `${rare.length} rare cases`}</summary>${rare.map(meaningOf)}</details>`;
  return html`${usual.map(meaningOf)}${rare.length === 0 ? null : folded}`;
}

function meaningOf({ outcome, retry, scenario, when }: ProblemMeaning): Html {
  const [, again] = adviceInWords({ outcome, retry });
  const condition = when === null ? null : prose(` ${conditionInWords(when)}`);
  const made =
    scenario === null
      ? null
      : html` Scenario <a href="#scenario.${scenario}"><code>${scenario}</code></a>.`;
  return html`<p><code class="outcome ${outcome}">${outcome}</code> <code title="retry">${retry}</code> <span class="type">${prose(again)}</span>${condition}${made}</p>`;
}
