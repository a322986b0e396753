import {
  type Advice,
  advicesOf,
  beforeTheRecord,
  type ProblemCode,
  problemCodes,
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

/** A refusal before the gateway found out about an earlier request, which it knows by its key or its content. */
const unreadInWords = (knownBy: "content" | "key"): string =>
  `The gateway did not send this request. It could not find out whether it sent an earlier one with the same ${knownBy}.`;

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
    const { status, title } = problemCodes[code];
    const advices = everyAdvice(code);
    const outcomes = [...new Set(advices.map(({ outcome }) => outcome))];
    const retries = [...new Set(advices.map(({ retry }) => retry))];
    return html`<tr><td>${status}</td><th scope="row"><a href="${paths.error(code)}"><code>${code}</code></a></th><td class="sentence">${title}</td><td>${outcomes.map(outcomeOf)}</td><td>${retries.map((retry) => html`<code>${retry}</code> `)}</td></tr>`;
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
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it says</th><th scope="col">Outcome</th><th scope="col">Retry</th></tr></thead>
<tbody>${rows}</tbody></table></div>
<p>Sometimes the gateway knows more about what happened than the code alone says. Rely on <code>outcome</code> and
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
<dl class="facts">${adviceFacts(code)}</dl>
<h2>What to do next</h2>
<ol>${next.map((step): Html => html`<li>${prose(step)}</li>`)}</ol>
<p><a href="${paths.outcomes}">How outcomes and keys work</a></p>`,
  };
}

/** What the page says of each thing that the code can mean; submissions have their own text where it differs. */
function adviceFacts(code: ProblemCode): Html {
  const submission = advicesOf(code, true);
  const other = advicesOf(code, false);
  if (JSON.stringify(submission) === JSON.stringify(other)) return facts(code, "", submission);
  return html`${facts(code, "Submission: ", submission)}${facts(code, "Any other call: ", other)}`;
}

function facts(code: ProblemCode, of: string, advices: readonly Advice[]): Html {
  const lines = advices.map((advice) => {
    const { outcome, retry } = advice;
    const [acted, again] = adviceInWords(code, advice);
    return html`<div><dt>${of}did the insurer act, and can you send it again?</dt>
<dd>${outcomeOf(outcome)} ${acted}</dd><dd><code>${retry}</code> ${prose(again)}</dd></div>`;
  });
  return html`${lines}`;
}

/** Whether the insurer acted, and whether it is sent again, of one thing that a code can say. */
export function adviceInWords(
  code: ProblemCode,
  { outcome, retry }: Advice,
): readonly [acted: string, again: string] {
  const isUnread = outcome === "unknown" && beforeTheRecord.includes(code);
  const again =
    outcome === "executed"
      ? "No: the insurer has carried it out."
      : isUnread && retry === "never"
        ? "Not without a change: correct it first, then send it with the same `Idempotency-Key`."
        : (retriesInWords[retry] ?? "");
  const acted = isUnread
    ? unreadInWords(retry === "after_check" ? "content" : "key")
    : (outcomesInWords[outcome] ?? "");
  return [acted, again];
}

function outcomeOf(outcome: string): Html {
  return html`<code class="outcome ${outcome}">${outcome}</code> `;
}

function everyAdvice(code: ProblemCode): readonly Advice[] {
  return [...advicesOf(code, true), ...advicesOf(code, false)];
}
