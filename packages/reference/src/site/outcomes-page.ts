import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import { outcomesPicture } from "./outcomes-picture.ts";
import type { SitePaths } from "./paths.ts";

/** Renders the page that explains with a picture why no application is lost or takes effect twice. */
export function outcomesPage(paths: SitePaths): PageContent {
  return {
    here: paths.outcomes,
    title: "Outcomes and keys",
    summary: "What an error says about the insurer, and why a key makes sending again safe.",
    main: html`<h1>Outcomes and keys</h1>
<p class="lead">An application that is sent twice is worse than one that is not sent at all. So every error says what the
call did at the insurer, and a key makes sending again safe.</p>
${outcomesPicture}
<h2>Four outcomes</h2>
<div class="wide" role="region" aria-label="Outcomes" tabindex="0"><table>
<thead><tr><th scope="col">Outcome</th><th scope="col">The insurer</th><th scope="col">What to do</th></tr></thead>
<tbody>
<tr><th scope="row"><code class="outcome not_sent">not_sent</code></th><td>never received it</td><td class="sentence">Send it again where <code>retry</code> is <code>safe</code>; correct it where it is <code>never</code>.</td></tr>
<tr><th scope="row"><code class="outcome rejected">rejected</code></th><td>refused it; nothing was created</td><td class="sentence">Correct it and send it as a new application, with a new key.</td></tr>
<tr><th scope="row"><code class="outcome unknown">unknown</code></th><td>may have acted</td><td class="sentence">Read the current state at <code>reconciliation.href</code>, or send the same request with the same key.</td></tr>
<tr><th scope="row"><code class="outcome executed">executed</code></th><td>acted; its answer cannot be used</td><td class="sentence">Do not send it again: <code>insurerId</code> is the insurer's identifier of the application, where its answer has one.</td></tr>
</tbody></table></div>
<h2>The key</h2>
<p>Send the header <code>Idempotency-Key</code> with every submission: the number of your case, or a UUID that you create once for each
application, and use it until you have an answer. In the TypeScript client it is <code>key</code> of <code>gateway.submit()</code>. A program that
generates a key for each call marks it, <code>"KEY";generated</code>: then equal applications are one, as they are without a key.</p>
<ul>
<li>The gateway stores the submission before it sends the first byte.</li>
<li>It sends the submission to the insurer once. A retry with the same key never reaches the insurer: it gets the answer of the first, marked
<code>Idempotency-Replayed: true</code>.</li>
<li>While the submission is running, a request with the same key gets <a href="${paths.error("SUBMISSION_IN_PROGRESS")}"><code>SUBMISSION_IN_PROGRESS</code></a>.</li>
<li>A request with the same key and another body gets <a href="${paths.error("IDEMPOTENCY_KEY_REUSED")}"><code>IDEMPOTENCY_KEY_REUSED</code></a>.</li>
<li>The gateway stores answers for 72 hours and keys for 90 days, unless it is configured otherwise.</li>
</ul>
<h2>When the answer is lost</h2>
<p>The call ends with <a href="${paths.error("OUTCOME_UNKNOWN")}"><code>OUTCOME_UNKNOWN</code></a>. The gateway then searches for the
application at the insurer, and resolves the submission when the search proves what happened. <code>reconciliation.href</code> returns the
current state. What no search can prove, the operator resolves manually.${paths.hasSandbox ? html` <a href="${paths.lostAnswer}">Lose an answer</a> shows it in the sandbox, step by step.` : null}</p>`,
  };
}
