import { deployedPath } from "../deployment/deployment.ts";
import { operationsOf } from "../document/provider-document.ts";
import { TOKEN_PLACEHOLDER } from "../snippets/sample-request.ts";
import { snippetsOf } from "../snippets/snippets.ts";
import { codeBlock } from "./code-block.ts";
import { finder } from "./finder.ts";
import { tokenBar } from "./form/token-bar.ts";
import { guideList } from "./guides/guide-pages.ts";
import type { Guide } from "./guides/guides.ts";
import { type Html, html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage, SiteSource } from "./source.ts";
import { frontWords as words } from "./words/front-words.ts";
import type { Language, Text } from "./words/language.ts";
import { lineInWords } from "./words/lines-of-insurance.ts";

/** Maximum number of endpoints per provider on the front page; the provider's own page has all endpoints. */
const SHOWN_ENDPOINTS = 6;

/**
 * Renders the front page: the service in a sentence, a first call, the search, and all providers with their endpoints.
 */
export function frontPage(
  paths: SitePaths,
  source: SiteSource,
  guides: readonly Guide[],
  language: Language = "en",
): PageContent {
  const say = (text: Text): string => text[language];
  const isGreek = language === "el";
  return {
    here: paths.front,
    hasOwnSearch: true,
    language,
    translation: isGreek ? paths.front : paths.greekFront,
    title: say(words.title),
    summary: say(words.summary),
    main: html`<div class="hero">
<h1>${say(words.heading)}</h1>
<p class="lead">${say(words.lead)}</p>
${finder(language, "brands, αυτοκίνητο, OUTCOME_UNKNOWN, 429 …")}
<noscript><p>${say(words.searchNeedsScripts)}</p></noscript>
</div>
${quickStart(paths, source, language)}
${endpoints(paths, source.providers, language)}
<section aria-labelledby="outcomes"><h2 id="outcomes">${say(words.outcomes)}</h2>
<p>${say(words.outcomesText)}</p>
<dl class="words">${outcomes.map(([name, text]) => html`<div><dt><code class="outcome ${name}" lang="en">${name}</code></dt><dd>${say(text)}</dd></div>`)}</dl>
<ul class="links"><li><a href="${paths.outcomes}">${say(words.aboutOutcomes)}</a></li><li><a href="${paths.errors}">${say(words.aboutErrors)}</a></li>${paths.hasSandbox ? html`<li><a href="${paths.sandbox}">${say(words.aboutScenarios)}</a></li>` : null}</ul></section>
<section aria-labelledby="guides"><h2 id="guides">${say(words.guides)}</h2>
<p>${say(words.guidesText)}</p>
${guideList(paths, guides, "developer", language)}${guideList(paths, guides, "operator", language)}</section>`,
  };
}

const outcomes: readonly (readonly [name: string, text: Text])[] = [
  ["not_sent", words.notSent],
  ["rejected", words.rejected],
  ["unknown", words.unknown],
  ["executed", words.executed],
];

function quickStart(paths: SitePaths, source: SiteSource, language: Language): Html | null {
  const say = (text: Text): string => text[language];
  const first = source.providers
    .flatMap(({ document, segment }) =>
      document === null
        ? []
        : operationsOf(document).map((operation) => ({ document, operation, segment })),
    )
    .find(({ operation }) => operation.operation["x-kind"] === "lookup");
  if (first === undefined) return null;
  const { document, operation, segment } = first;
  const path = deployedPath(operation.path, document.info["x-provider"].id, segment);
  const deployment = { segment, address: source.address };
  const shown = snippetsOf({ ...operation, path }, document, deployment).filter(
    ({ lang }) => lang === "shell" || lang === "typescript",
  );
  return html`<section aria-labelledby="start" class="start">
<h2 id="start">${say(words.start)}</h2>
<ol class="steps">
<li><strong>${say(words.token)}</strong> ${say(source.developmentToken ? words.tokenFromDevelopment : words.tokenFromOperator)}
${tokenBar(paths, source.developmentToken, language)}</li>
<li><strong>${say(words.call)}</strong> ${say(words.callText)}
${shown.toReversed().map(({ label, source: text }) => codeBlock(label, text, TOKEN_PLACEHOLDER, language))}</li>
${paths.hasSandbox ? html`<li><strong>${say(words.prepare)}</strong> ${say(words.prepareText)} <a class="button" href="${paths.lostAnswer}">${say(words.loseOne)}</a></li>` : null}
</ol></section>`;
}

/** Renders all providers with their endpoints. The providers without endpoints are in one line. */
function endpoints(
  paths: SitePaths,
  providers: readonly ProviderOnPage[],
  language: Language,
): Html {
  const without = providers.filter(({ document }) => document === null);
  const links = without.map(
    ({ name, segment }, index) =>
      html`${index === 0 ? "" : ", "}<a href="${paths.provider(segment)}">${name}</a>`,
  );
  return html`<section aria-labelledby="catalogue"><h2 id="catalogue">${words.endpoints[language]}</h2>
<ul class="cards">${providers.map((provider) => card(paths, provider, language))}</ul>
${without.length === 0 ? null : html`<p class="note">${words.without[language]} ${links}.</p>`}</section>`;
}

function card(paths: SitePaths, provider: ProviderOnPage, language: Language): Html | null {
  const { document, id, lines, name, segment } = provider;
  if (document === null) return null;
  const all = operationsOf(document);
  const shown = all.slice(0, SHOWN_ENDPOINTS).map(({ method, operation, path }) => {
    const label = language === "el" ? operation["x-labels"]?.el : undefined;
    const title = label ?? html`<span lang="en">${operation.summary}</span>`;
    return html`<li><a href="${paths.endpoint(segment, operation.operationId)}">${title}</a>
<span class="route"><span class="method">${method}</span> <code>${deployedPath(path, id, segment)}</code></span></li>`;
  });
  const more = all.length - shown.length;
  return html`<li class="card"><h3><a href="${paths.provider(segment)}">${name}</a></h3>
<p class="note">${lines.map((line) => lineInWords(line, language)).join(", ")}</p>
<ul>${shown}</ul>${more > 0 ? html`<p class="note">+ ${more} ${words.more[language]}</p>` : null}</li>`;
}
