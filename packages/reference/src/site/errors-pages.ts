import {
  type Advice,
  type ProblemCall,
  type ProblemCode,
  problemCodes,
  rareMeanings,
} from "@insurance-gateway/core/problems";
import { explanations } from "../errors/explanations.ts";
import { type Html, html, prose } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";

/** Every code, in the order of the statuses. */
export const codes: readonly ProblemCode[] = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .toSorted((one, other) => problemCodes[one].status - problemCodes[other].status);

const outcomesInWords: Readonly<Record<string, string>> = {
  not_sent: "No. The insurer never received it.",
  rejected: "No. It read the request and refused it.",
  unknown: "Not known yet. It may have acted.",
  executed: "Yes. Its answer cannot be used.",
};

const retriesInWords: Readonly<Record<string, string>> = {
  safe: "Yes: send it again, after `Retry-After` if there is one.",
  same_key: "Yes, with the same `Idempotency-Key`, which never takes effect twice.",
  after_check:
    "First find out what happened, at `reconciliation.href` or with the search that `reconciliation` names.",
  never: "Not without a change.",
};

/** The table of all codes. */
export function errorsPage(paths: SitePaths): PageContent {
  const rows = codes.map((code) => {
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
<p>Some codes have other outcomes on rare conditions, which their pages list. Rely on <code>outcome</code> and
<code>retry</code> of the problem that you received.</p>`,
  };
}

/** The page that a problem's `type` opens. */
export function errorPage(paths: SitePaths, code: ProblemCode): PageContent {
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
<p><a href="${paths.outcomes}">How outcomes and keys work</a></p>`,
  };
}

/** Answers both questions of a reader for the usual case. */
function usualFacts(code: ProblemCode): Html {
  const { call, ...advice } = problemCodes[code];
  const [acted, again] = adviceInWords(advice);
  return html`<dl class="facts"><div><dt>${callsInWords[call]}Did the insurer act?</dt><dd>${outcomeOf(advice.outcome)} ${acted}</dd></div>
<div><dt>Can you send it again?</dt><dd><code>${advice.retry}</code> ${prose(again)}</dd></div></dl>`;
}

/** Lists the rare cases of a code, each with its condition. */
function rareFacts(code: ProblemCode): Html {
  const rare = rareMeanings.filter(({ codes: named }) => named.includes(code));
  if (rare.length === 0) return html``;
  const rows = rare.map(({ call, when, ...advice }) => {
    const [acted, again] = adviceInWords(advice);
    return html`<tr><td class="sentence">${callsInWords[call]}${prose(when)}</td><td class="sentence">${outcomeOf(advice.outcome)} ${acted}</td><td class="sentence"><code>${advice.retry}</code> ${prose(again)}</td></tr>`;
  });
  return html`<h2>Rare cases</h2>
<p><code>outcome</code> and <code>retry</code> of your problem say which case it is.</p>
<div class="wide" role="region" aria-label="Rare cases" tabindex="0"><table>
<thead><tr><th scope="col">Condition</th><th scope="col">Did the insurer act?</th><th scope="col">Can you send it again?</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

const callsInWords: Readonly<Record<ProblemCall, string>> = {
  any: "",
  submission: "A submission: ",
  other: "A call that changes nothing: ",
};

/** Describes whether the insurer acted, and whether the call can be sent again. */
export function adviceInWords({ outcome, retry }: Advice): readonly [acted: string, again: string] {
  const again =
    outcome === "executed" ? "No: the insurer has carried it out." : (retriesInWords[retry] ?? "");
  return [outcomesInWords[outcome] ?? "", again];
}

function outcomeOf(outcome: string): Html {
  return html`<code class="outcome ${outcome}">${outcome}</code> `;
}
