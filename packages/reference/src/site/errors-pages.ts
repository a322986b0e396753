import {
  type ProblemCall,
  type ProblemCode,
  problemCodes,
  rareMeanings,
} from "@insurance-gateway/core/problems";
import { exampleProblem } from "../document/example-problem.ts";
import { adviceInWords } from "../errors/advice-in-words.ts";
import { type CodeUses, codesByStatus } from "../errors/code-uses.ts";
import { explanations } from "../errors/explanations.ts";
import { codeBlock } from "./code-block.ts";
import { type Html, html, prose } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import { scenarioAnchor } from "./sandbox-page.ts";

/** Renders the table of all problem codes. */
export function errorsPage(paths: SitePaths): PageContent {
  const rows = codesByStatus.map((code) => {
    const { outcome, retry, status, title } = problemCodes[code];
    const more = rareMeanings.some((rare) => rare.codes.includes(code)) ? "; see its page" : "";
    return html`<tr><td>${status}</td><th scope="row"><a href="${paths.error(code)}"><code>${code}</code></a></th><td class="sentence">${title}</td><td>${outcomeOf(outcome)}</td><td><code>${retry}</code>${more}</td></tr>`;
  });
  return {
    here: paths.errors,
    title: "Errors",
    summary: "Every problem code: what it means, whether the insurer acted, what to do next.",
    main: html`<h1>Errors</h1>
<p>Every error is a problem (<abbr title="Problem Details for HTTP APIs">RFC 9457</abbr>). Decide on <code>code</code>; read
<code>outcome</code> to know whether the insurer acted, and <code>retry</code> to know what to do next. The address in
<code>type</code> opens the page of its code.</p>
<div class="wide" role="region" aria-label="Codes" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it says</th><th scope="col">Usual outcome</th><th scope="col">Usual retry</th></tr></thead>
<tbody>${rows}</tbody></table></div>
<p>All codes as data: <a href="${paths.file("errors.json")}">errors.json</a>. A page with <code>.md</code> at its end is Markdown.</p>
<p>Some codes have other outcomes on rare conditions, which their pages list. Rely on <code>outcome</code> and
<code>retry</code> of the problem that you received.</p>`,
  };
}

/**
 * Renders the page that a problem's `type` opens.
 * @param origin - the scheme and host of the gateway
 */
export function errorPage(
  paths: SitePaths,
  code: ProblemCode,
  uses: CodeUses,
  origin: string,
): PageContent {
  const { status, title } = problemCodes[code];
  const { meaning, next } = explanations[code];
  return {
    here: paths.errors,
    title: code,
    summary: `${title}: what it means, whether the insurer acted, what to do next.`,
    main: html`<p class="trail"><a href="${paths.errors}">Errors</a></p>
<h1><code>${code}</code></h1>
<p class="lead"><span class="status">${status}</span> ${title}</p>
<h2>What it means</h2>
<p>${prose(meaning)}</p>
${usualFacts(code)}
<h2>What to do next</h2>
<ol>${next.map((step): Html => html`<li>${prose(step)}</li>`)}</ol>
${rareFacts(code)}
<h2>Example</h2>
${codeBlock("application/problem+json", usualProblem(paths, code, origin))}
${scenarioList(paths, uses)}
${endpointList(paths, uses)}
<p><a href="${paths.outcomes}">How outcomes and keys work</a> · <a href="${paths.error(code)}.md">This page as Markdown</a></p>`,
  };
}

/** Returns an example of the usual problem with a code, at an endpoint that creates an application. */
export function usualProblem(paths: SitePaths, code: ProblemCode, origin: string): string {
  const endpoint = { hasBody: true, provider: "provider-d" };
  return JSON.stringify(exampleProblem(code, origin + paths.error(""), endpoint), null, 2);
}

function scenarioList(paths: SitePaths, { scenarios }: CodeUses): Html | null {
  if (scenarios.length === 0) return null;
  const items = scenarios.map(
    ({ endpoint, name, provider, when }) =>
      html`<li><a href="${paths.sandbox}#${scenarioAnchor(provider, name)}"><code>${name}</code></a> of <code>${endpoint}</code>${when === null ? null : html`: ${prose(when)}`}</li>`,
  );
  return html`<h2>Try it in the sandbox</h2><ul>${items}</ul>`;
}

/** Maximum number of endpoints in a list that is not folded. */
const SHOWN_ENDPOINTS = 12;

function endpointList(paths: SitePaths, { providers }: CodeUses): Html {
  const total = providers.reduce((sum, { operationIds }) => sum + operationIds.length, 0);
  if (total === 0)
    return html`<h2>Endpoints that return it</h2><p>No endpoint of this gateway; it answers a request that belongs to none of them.</p>`;
  const items = providers.map(({ name, operationIds, segment }) => {
    const count = `${operationIds.length} ${operationIds.length === 1 ? "endpoint" : "endpoints"}`;
    const links = operationIds.map(
      (id) => html`<li><a href="${paths.endpoint(segment, id)}"><code>${id}</code></a></li>`,
    );
    return html`<details${total > SHOWN_ENDPOINTS ? null : html` open`}><summary>${name}: ${count}</summary><ul>${links}</ul></details>`;
  });
  return html`<h2>Endpoints that return it</h2>${items}`;
}

/** Renders for the usual case whether the insurer acted and whether the reader may send the call again. */
function usualFacts(code: ProblemCode): Html {
  const { call, ...advice } = problemCodes[code];
  const [acted, again] = adviceInWords(advice);
  return html`<dl class="facts"><div><dt>${callsInWords[call]}Did the insurer act?</dt><dd>${outcomeOf(advice.outcome)} ${acted}</dd></div>
<div><dt>Can you send it again?</dt><dd><code>${advice.retry}</code> ${prose(again)}</dd></div></dl>`;
}

/** Renders each rare meaning of a code, folded below the meaning's condition. */
function rareFacts(code: ProblemCode): Html | null {
  const rare = rareMeanings.filter(({ codes }) => codes.includes(code));
  if (rare.length === 0) return null;
  const items = rare.map(({ call, when, ...advice }) => {
    const [acted, again] = adviceInWords(advice);
    return html`<details class="rare"><summary>${outcomeOf(advice.outcome)}<code>${advice.retry}</code> ${callsInWords[call]}${prose(when)}</summary>
<p>${acted} ${prose(again)}</p></details>`;
  });
  return html`<h2>Rare cases</h2>
<p><code>outcome</code> and <code>retry</code> of your problem say which case it is.</p>
${items}`;
}

const callsInWords: Readonly<Record<ProblemCall, string>> = {
  any: "",
  submission: "A submission: ",
  other: "A call that changes nothing: ",
};

function outcomeOf(outcome: string): Html {
  return html`<code class="outcome ${outcome}">${outcome}</code> `;
}
