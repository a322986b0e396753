import { isJson } from "@insurance-gateway/core/runtime";
import { fieldTree } from "../../document/field-tree.ts";
import { headersEverywhere } from "../../document/headers.ts";
import type { Header, OpenApiDocument, ResponseObject } from "../../document/open-api.ts";
import type { PlacedOperation } from "../../snippets/sample-request.ts";
import { type Html, html, prose } from "../html.ts";
import { type CodeTab, codeTabs } from "./code-tabs.ts";
import { bodyFields } from "./field-list.ts";

/** Renders the success answers of an endpoint with their fields and headers, beside their examples. */
export function answers({ operation }: PlacedOperation, document: OpenApiDocument): Html {
  const successes = Object.entries(operation.responses).flatMap(([status, response]) =>
    "$ref" in response ? [] : [[status, response] as const],
  );
  return html`<section class="row" aria-labelledby="answers"><div><h2 id="answers">Answers</h2>
${successes.map(([status, success]) => answer(status, success, document))}</div>
<div class="beside">${codeTabs(
    "Example answers",
    "answers",
    successes.flatMap(([status, success]) => examplesOf(status, success)),
  )}</div></section>`;
}

function answer(status: string, success: ResponseObject, document: OpenApiDocument): Html {
  const content = Object.entries(success.content ?? {});
  const bodies = content.map(([mediaType, { examples = {}, schema }]) => {
    const body = fieldTree(schema, document, Object.values(examples)[0]?.value);
    return html`<p class="type">${mediaType}</p>${isJson(mediaType) ? bodyFields(body, status) : html`<p class="about">A file. ${prose(body.description)}</p>`}`;
  });
  return html`<h3><span class="status">${status}</span></h3><p>${prose(success.description)}</p>
${content.length === 0 ? html`<p class="about">The answer has no body.</p>` : bodies}
${headersOf(success, document)}`;
}

/** Renders the headers of one answer and, folded, the headers that every answer has. */
function headersOf({ headers = {} }: ResponseObject, { components }: OpenApiDocument): Html | null {
  const known = Object.entries(headers).flatMap(([name, header]) => {
    const found =
      "$ref" in header
        ? components.headers[header.$ref.replace("#/components/headers/", "")]
        : header;
    return found === undefined ? [] : [[name, found] as const];
  });
  const own = known.filter(([name]) => !headersEverywhere.includes(name));
  const common = known.filter(([name]) => headersEverywhere.includes(name));
  return html`${own.length === 0 ? null : html`<h4>Headers</h4>${list(own)}`}
${common.length === 0 ? null : html`<details class="common"><summary>Headers of every answer</summary>${list(common)}</details>`}`;
}

function list(headers: readonly (readonly [string, Header])[]): Html {
  return html`<ul class="fields">${headers.map(([name, { description }]) => html`<li><p class="entry"><code>${name}</code></p><p>${prose(description)}</p></li>`)}</ul>`;
}

function examplesOf(status: string, { content = {} }: ResponseObject): readonly CodeTab[] {
  return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
    isJson(mediaType)
      ? Object.values(examples).map(({ summary, value }) => ({
          label: `${status}, ${summary}`,
          text: JSON.stringify(value, null, 2),
        }))
      : [],
  );
}
