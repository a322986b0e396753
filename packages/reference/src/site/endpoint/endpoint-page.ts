import type { PlacedOperation } from "../../snippets/sample-request.ts";
import { endpointForm, FORM_ID, FORM_SCRIPT } from "../form/endpoint-form.ts";
import { type Html, html, prose } from "../html.ts";
import type { PageContent } from "../layout.ts";
import type { SitePaths } from "../paths.ts";
import type { SiteSource } from "../source.ts";
import { answers } from "./answers.ts";
import type { Documented } from "./documented.ts";
import { problemList } from "./problem-list.ts";
import { requestOf } from "./request.ts";
import { scenarioList } from "./scenario-list.ts";

/** Renders the page of an endpoint with all content of the endpoint's declaration. The page works without scripts. */
export function endpointPage(
  paths: SitePaths,
  documented: Documented,
  placed: PlacedOperation,
  { basePath, developmentToken }: Pick<SiteSource, "basePath" | "developmentToken">,
): PageContent {
  const { document, name, places } = documented;
  const { method, operation, path } = placed;
  const [group = ""] = operation.tags;
  const scenarios = documented.scenarios.filter(
    ({ endpoint }) => endpoint === operation.operationId,
  );
  return {
    here: places.home === paths.provider("") ? places.home : paths.catalogue,
    shape: "endpoint",
    skipTo: [[FORM_ID, "Try it"]],
    scripts: [FORM_SCRIPT],
    title: `${operation.summary}, ${name}`,
    summary: `${operation.summary}: ${method} ${path}.`,
    main: html`<p class="trail"><a href="${paths.front}">Reference</a> / <a href="${places.home}">${name}</a> / <a href="${places.home}#${group.toLowerCase()}">${group}</a></p>
<h1>${operation.summary}</h1>
<p class="route"><span class="method">${method}</span> <code>${wrapping(path)}</code></p>
${purpose(placed)}
${requestOf(documented, placed)}
${endpointForm(placed, document, { paths, basePath, developmentToken, scenarios })}
${answers(placed, document)}
${problemList(paths, placed, document, scenarios)}
${scenarioList(paths, scenarios)}
${links(documented, placed)}`,
  };
}

/** Returns a path that may break after each slash. */
function wrapping(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part, index) => html`${index === 0 ? null : html`<wbr>`}${part}`)}`;
}

/** Renders the description of an endpoint. Its last paragraph is the meaning of the endpoint's kind. */
function purpose({ operation }: PlacedOperation): Html {
  const paragraphs = operation.description.split("\n\n");
  const kind = paragraphs.pop() ?? "";
  const verified = operation["x-verified"];
  return html`${paragraphs.map((text) => html`<p>${prose(text)}</p>`)}
<p class="kind"><strong>${operation["x-kind"]}</strong> ${prose(kind)}</p>
${verified === undefined ? null : html`<p class="note">Last called at the insurer (${verified.environment}) on ${verified.date}, and answered as declared.</p>`}`;
}

/** Renders links to other formats of the page, and to the previous and next endpoint. */
function links({ operations, places }: Documented, { operation }: PlacedOperation): Html {
  const at = operations.findIndex((one) => one.operation.operationId === operation.operationId);
  const neighbour = (step: number, words: string): Html | null => {
    const found = operations[at + step]?.operation;
    return found === undefined
      ? null
      : html`<li>${words}: <a rel="${step < 0 ? "prev" : "next"}" href="${places.endpoint(found.operationId)}">${found.summary}</a></li>`;
  };
  const files: readonly (readonly [string, string | null])[] = [
    ["This page as Markdown", `${places.endpoint(operation.operationId)}.md`],
    ["OpenAPI", places.openApi],
    ["Collections", places.collections],
    ["Changelog", places.changelog],
  ];
  return html`<nav class="more" aria-label="Files and neighbours"><ul>${files.map(([name, href]) => (href === null ? null : html`<li><a href="${href}">${name}</a></li>`))}</ul>
<ul>${neighbour(-1, "Previous")}${neighbour(1, "Next")}</ul></nav>`;
}
