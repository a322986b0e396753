import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { pagePolicy } from "./security-headers.ts";

/** The page, and the policy a browser must keep to when it shows it. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const columns: readonly string[] = [
  "Provider",
  "State",
  "Unknown",
  "Errors",
  "p50",
  "p95",
  "Running",
  "Queued",
  "Last success",
];

const answerColumns: readonly string[] = [
  "Provider",
  "Endpoint",
  "Status",
  "Media type",
  "Code",
  "Count",
  "Last",
];

const driftColumns: readonly string[] = [
  "Provider",
  "Endpoint",
  "Place",
  "Difference",
  "Breaking",
  "Count",
  "First",
  "Last",
];

/**
 * Creates the page with the overview for the operator. It loads nothing from other addresses, and its own requests use
 * relative addresses, which also work behind a proxy that adds a path.
 */
export function createPage(): Page {
  return { html: html(), contentSecurityPolicy: pagePolicy(pageScript, pageStyle) };
}

/** The roles are written out, because browsers forget those of a table that is laid out as cards. */
function html(): string {
  const heads = headsOf(columns);
  const answerHeads = headsOf(answerColumns);
  const driftHeads = headsOf(driftColumns);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Insurance Gateway</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Insurance Gateway</h1>
<p id="summary"></p>
<p id="age"></p>
</header>
<p id="silence" hidden></p>
<p id="changes" class="only-heard" aria-live="polite"></p>
<noscript><p>This page needs JavaScript; <a href="providers">providers</a> says the same as JSON.</p></noscript>
<main>
<div class="frame" role="region" aria-label="Providers" tabindex="0">
<table role="table">
<caption>Providers, those that need attention first; errors, p50 and p95 of the last five minutes</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody id="providers" role="rowgroup"></tbody>
</table>
</div>
<section id="answers" aria-labelledby="answers-title" hidden>
<h2 id="answers-title">Refusals that no row of failures matches</h2>
<p class="quiet">The outcome of a submission that is answered so is unknown. Where the insurer documents what such an answer proves, add a row: <code>insurance-gateway answers --rows</code> writes it.</p>
<div class="frame" role="region" aria-label="Refusals" tabindex="0">
<table role="table">
<thead role="rowgroup"><tr role="row">${answerHeads}</tr></thead>
<tbody id="answer-rows" role="rowgroup"></tbody>
</table>
</div>
</section>
<section id="drift" aria-labelledby="drift-title" hidden>
<h2 id="drift-title">Answers that differ from their declaration</h2>
<p class="quiet">The gateway cannot use an answer with a breaking difference. Tell the author of the provider's package; <code>insurance-gateway drift</code> prints all of them.</p>
<div class="frame" role="region" aria-label="Differences" tabindex="0">
<table role="table">
<thead role="rowgroup"><tr role="row">${driftHeads}</tr></thead>
<tbody id="drift-rows" role="rowgroup"></tbody>
</table>
</div>
</section>
</main>
<footer>Unknown: submissions whose outcome nobody knows yet. Errors, p50 and p95: the last five minutes of this process. <a href="providers">providers</a>, <a href="answers">refusals</a> and <a href="drift">differences</a> as JSON ·
<a href="metrics">metrics</a> · <a href="health/ready">readiness</a></footer>
<script>${pageScript}</script>
</body>
</html>
`;
}

function headsOf(names: readonly string[]): string {
  return names.map((name) => `<th role="columnheader" scope="col">${name}</th>`).join("");
}
