import { TOKEN_PLACEHOLDER } from "../../snippets/sample-request.ts";
import { codeBlock } from "../code-block.ts";
import { tokenBar } from "../form/token-bar.ts";
import { type Html, html } from "../html.ts";
import type { PageContent } from "../layout.ts";
import type { SitePaths } from "../paths.ts";
import type { SiteSource } from "../source.ts";
import { examplesOf } from "./examples.ts";
import { findStory, type LostAnswerStory } from "./story.ts";

/** Renders the demonstration of a lost answer, which shows that the insurer executed the submission only once. */
export function lostAnswerPage(paths: SitePaths, source: SiteSource): PageContent {
  const story = findStory(source);
  return {
    here: paths.lostAnswer,
    title: "Lose an answer",
    summary: "Send an application, lose its answer, and see that it took effect exactly once.",
    scripts: story === null ? [] : ["lost-answer.js"],
    main: html`<p class="trail"><a href="${paths.outcomes}">Outcomes and keys</a></p>
<h1>Lose an answer</h1>
<p class="lead">An insurer creates an application, and its answer gets lost. See in a few seconds how the gateway finds out what
happened, and why the customer still has one application.</p>
${story === null ? none(paths) : told(paths, source, story)}`,
  };
}

function none(paths: SitePaths): Html {
  return html`<p>No insurer of this gateway is simulated in a way that loses an answer. A gateway with a
<a href="${paths.sandbox}">sandbox</a> shows it: <code>npm start</code> in a checkout runs one on your own machine.</p>`;
}

interface Step {
  readonly id: string;
  readonly title: string;
  readonly text: Html;
  /** The behaviour of a client without a gateway. */
  readonly naive: string;
  readonly request: string;
  readonly answer: string;
}

function told(paths: SitePaths, source: SiteSource, story: LostAnswerStory): Html {
  const { basePath } = source;
  const { body, customer, provider, scenario, search, searchPath, submission } = story;
  const steps = stepsOf(source.address, story).map(
    ({ answer, id, naive, request, text, title }, index) => html`<li id="${id}" class="story-step">
<h2><span class="number">${index + 1}</span> ${title}</h2>
<p>${text}</p>
${codeBlock("curl", request, TOKEN_PLACEHOLDER)}
<p class="finding"></p>
<div class="story-answer"><p class="note">Example answer, shortened</p><pre tabindex="0" role="region" aria-label="Example answer of step ${index + 1}">${answer}</pre></div>
<p class="naive"><strong>A client without a gateway</strong> ${naive}</p>
</li>`,
  );
  return html`<div id="lost-answer" class="story" data-method="${submission.method}" data-path="${basePath}${submission.path}"
 data-operation="${submission.operation.operationId}" data-scenario="${scenario.name}" data-body="${body}" data-customer="${customer}"
 data-search="${basePath}${searchPath}" data-search-operation="${search.operation.operationId}" data-items="${search.operation["x-paging"]?.items ?? ""}">
<p>The simulated insurer is ${provider.name}, over real HTTP. Each run makes a new customer and a new key.</p>
<noscript><p>Without JavaScript, copy the commands below: they are the same requests.</p></noscript>
<div class="story-token" hidden>${tokenBar(paths, source.developmentToken)}</div>
<div class="story-run" hidden><button type="button" data-story>Start</button>
<button type="button" data-story class="second">Next step</button>
<p id="story-progress" role="status"></p></div>
<ol class="story-steps">${steps}</ol>
</div>`;
}

function stepsOf(address: string, story: LostAnswerStory): readonly Step[] {
  const { body, scenario, searchPath, submission } = story;
  const examples = examplesOf(story);
  const token = `-H 'Authorization: Bearer ${TOKEN_PLACEHOLDER}'`;
  const curl = (...parts: readonly string[]): string => `curl ${parts.join(" \\\n  ")}`;
  const send = curl(
    `-X ${submission.method} '${address}${submission.path}'`,
    token,
    "-H 'Idempotency-Key: YOUR_KEY'",
    `-H 'X-Sandbox-Scenario: ${scenario.name}'`,
    "-H 'Content-Type: application/json'",
    `-d '${body.replaceAll("'", String.raw`'\''`)}'`,
  );
  const ask = curl(`'${address}/submissions/SUBMISSION_ID'`, token);
  return [
    {
      id: "step-send",
      title: "Send an application, and lose the answer",
      text: html`In the scenario <code>${scenario.name}</code>, ${scenario.effect}. The gateway answers 504, says that the outcome is
unknown, and does not send the application again.`,
      naive: "sees a failure and sends the application again. The customer then has two.",
      request: send,
      answer: examples.unknown,
    },
    {
      id: "step-ask",
      title: "Ask what happened",
      text: html`<code>reconciliation.href</code> is the address of the submission. Your program can ask there at any time, also after
it was restarted.`,
      naive: "has no address to ask at: somebody has to call the insurer.",
      request: ask,
      answer: examples.asked,
    },
    {
      id: "step-resolve",
      title: "The gateway finds out",
      text: html`It searches for the application at the insurer: after two seconds, then less and less often. It reports a result only
with proof.`,
      naive: "gives up after some attempts and records a failure. The application exists.",
      request: ask,
      answer: examples.resolved,
    },
    {
      id: "step-record",
      title: "Look at the insurer's own record",
      text: html`The search of the same insurer, through the gateway, lists this customer's applications.`,
      naive: "finds one application here for each time that it sent it.",
      request: curl(`'${address}${searchPath}'`, token),
      answer: examples.record,
    },
    {
      id: "step-replay",
      title: "Send it again, with the same key",
      text: html`The gateway returns the answer that was lost, marked <code>Idempotency-Replayed: true</code>. It sends nothing to the insurer.`,
      naive: "creates another application with each attempt.",
      request: send,
      answer: examples.replay,
    },
  ];
}
