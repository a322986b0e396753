import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import { outcomesPicture } from "./outcomes-picture.ts";
import type { SitePaths } from "./paths.ts";

/** Why no application is lost or sent twice, with a picture. */
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
<tr><th scope="row"><code class="outcome not_sent">not_sent</code></th><td>never got it</td><td>Send it again where <code>retry</code> is <code>safe</code>; correct it where it is <code>never</code>.</td></tr>
<tr><th scope="row"><code class="outcome rejected">rejected</code></th><td>refused it; nothing was created</td><td>Correct it and send it as a new application, with a new key.</td></tr>
<tr><th scope="row"><code class="outcome unknown">unknown</code></th><td>may have acted</td><td>Ask at <code>reconciliation.href</code>, or send the same again with the same key.</td></tr>
<tr><th scope="row"><code class="outcome executed">executed</code></th><td>acted; its answer cannot be used</td><td>Do not send it again: <code>reference</code> is what the insurer calls it.</td></tr>
</tbody></table></div>
<h2>The key</h2>
<p>Send the header <code>Idempotency-Key</code> with every submission: a UUID, made once for each application and kept until it
has an answer. Our TypeScript client makes one by itself.</p>
<ul>
<li>The gateway writes the submission down before the first byte leaves.</li>
<li>It is sent to the insurer once. A retry with the same key never reaches the insurer: it gets the answer of the first, marked
<code>Idempotency-Replayed: true</code>.</li>
<li>While it runs, the same key is answered <a href="${paths.error("SUBMISSION_IN_PROGRESS")}"><code>SUBMISSION_IN_PROGRESS</code></a>.</li>
<li>With another body, the same key is answered <a href="${paths.error("IDEMPOTENCY_KEY_REUSED")}"><code>IDEMPOTENCY_KEY_REUSED</code></a>.</li>
<li>Answers are kept for 72 hours, the fact that there was one for 90 days, unless configured otherwise.</li>
</ul>
<h2>When the answer is lost</h2>
<p>The call ends with <a href="${paths.error("OUTCOME_UNKNOWN")}"><code>OUTCOME_UNKNOWN</code></a>. The gateway then searches at the
insurer for the application by itself, and settles it when it is certain. <code>reconciliation.href</code> tells how it stands. What no
search can tell is settled by a person. Try it in the <a href="${paths.sandbox}">sandbox</a>: the scenario
<code>LOST_ANSWER</code> keeps the application and never answers.</p>`,
  };
}
