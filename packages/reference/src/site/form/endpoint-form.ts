import { bodyFormatOf } from "@insurance-gateway/core/runtime";
import type { MediaType, OpenApiDocument, Operation, Parameter } from "../../document/open-api.ts";
import type { Placed } from "../../document/provider-document.ts";
import { exampleNames } from "../../snippets/sample-request.ts";
import { type Html, html, trusted } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { ScenarioOnPage } from "../source.ts";
import { formField } from "./form-field.ts";
import { tokenBar } from "./token-bar.ts";

/** The id of the endpoint form, to which a link at the top of the page skips. */
export const FORM_ID = "try-it";

/** The asset name of the form's script. */
export const FORM_SCRIPT = "form.js";

/** Facts about the gateway that a form needs. */
export interface FormOptions {
  readonly paths: SitePaths;
  /** The path prefix of the gateway, or "". */
  readonly basePath: string;
  /** The scenarios of this endpoint; empty if its insurer is not simulated. */
  readonly scenarios: readonly ScenarioOnPage[];
  /** True if the form may offer a token of the development issuer. */
  readonly developmentToken: boolean;
}

/**
 * Draws the form that calls an endpoint. In a browser without scripts, the form shows instead how to call the
 * endpoint.
 * @param placed - an operation of `document`; both have the real segment and address
 */
export function endpointForm(
  { method, operation, path }: Placed<Operation>,
  document: OpenApiDocument,
  { basePath, developmentToken, paths, scenarios }: FormOptions,
): Html {
  const { operationId, parameters = [] } = operation;
  const examples = examplesOf(operation);
  const [first] = Object.values(examples);
  const acts = operation["x-acts-at-insurer"];
  const joined = parameters.filter(({ explode }) => explode === false).map(({ name }) => name);
  return html`<section id="${FORM_ID}" class="try" tabindex="-1" aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<noscript><p>Sending from this page needs JavaScript. The curl snippet of this page sends the same request.</p></noscript>
${tokenBar(paths, developmentToken)}
<form novalidate autocomplete="off" data-method="${method}" data-path="${basePath}${path}" data-operation="${operationId}" data-kind="${operation["x-kind"]}" data-joined="${joined.join(" ")}">
${exampleMenu(examples)}
${parameterGroups.map(([place, key]) => parameterFields(parameters, place, key, first, document))}
${bodies(operation, document)}
${acts ? keyField() : null}
<div class="send">${scenarioMenu(scenarios)}
<button type="submit" disabled>Send</button><button type="button" class="quiet" data-cancel hidden>Cancel</button>
<p role="status" class="note"></p></div>
<script type="application/json">${trusted(JSON.stringify(examples).replaceAll("<", "\\u003c"))}</script>
</form>
<div class="try-answer"></div>
</section>`;
}

/** The values of an example by part of the request, as the JSON Pointers in the gateway's problems name the parts. */
interface FormExample {
  readonly summary: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The bodies by media type. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

function examplesOf(operation: Operation): Readonly<Record<string, FormExample>> {
  const { parameters = [], requestBody } = operation;
  const media = Object.entries(requestBody?.content ?? {});
  return Object.fromEntries(
    exampleNames(operation).map((name) => {
      const values = (place: Parameter["in"]): Readonly<Record<string, unknown>> =>
        Object.fromEntries(
          parameters.flatMap(({ examples, in: within, name: parameter }) =>
            within === place && examples?.[name] !== undefined
              ? [[parameter, examples[name].value]]
              : [],
          ),
        );
      const own = media.flatMap(([mediaType, { examples }]) =>
        examples?.[name] === undefined ? [] : [[mediaType, examples[name]] as const],
      );
      const named = parameters.find(({ examples }) => examples?.[name] !== undefined);
      return [
        name,
        {
          summary: own[0]?.[1].summary ?? named?.examples?.[name]?.summary ?? name,
          path: values("path"),
          query: values("query"),
          headers: values("header"),
          bodies: Object.fromEntries(own.map(([mediaType, { value }]) => [mediaType, value])),
        },
      ];
    }),
  );
}

function exampleMenu(examples: Readonly<Record<string, FormExample>>): Html | null {
  const entries = Object.entries(examples);
  if (entries.length < 2) return null;
  return html`<div class="control"><label for="try-example">Example</label>
<select id="try-example">${entries.map(([name, { summary }]) => html`<option value="${name}">${summary}</option>`)}</select></div>`;
}

/** The places of parameters, with the names that JSON Pointers in the gateway's problems have for these places. */
const parameterGroups = [
  ["path", "path"],
  ["query", "query"],
  ["header", "headers"],
] as const;

function parameterFields(
  parameters: readonly Parameter[],
  place: Parameter["in"],
  key: (typeof parameterGroups)[number][1],
  example: FormExample | undefined,
  document: OpenApiDocument,
): Html | null {
  const fields = parameters
    // The key of a submission has a separate field.
    .filter(({ in: within, name }) => within === place && name !== "Idempotency-Key")
    .map(({ description, name, required = false, schema, "x-labels": labels }) =>
      formField(
        {
          key: name,
          id: `try.${key}.${name}`,
          schema,
          required,
          value: example?.[key][name],
          ...(description === undefined ? {} : { description }),
          labels,
        },
        document,
      ),
    );
  return fields.length === 0 ? null : html`<div data-key="${key}">${fields}</div>`;
}

/** Renders the body in each media type; the page shows one media type at a time. */
function bodies({ requestBody }: Operation, document: OpenApiDocument): Html | null {
  if (requestBody === undefined) return null;
  const { content, required } = requestBody;
  const media = Object.entries(content);
  const menu =
    media.length < 2
      ? null
      : html`<div class="control"><label for="try-media">Content type</label>
<select id="try-media">${media.map(([mediaType]) => html`<option>${mediaType}</option>`)}</select></div>`;
  const parts = media.map(([mediaType, { examples = {}, schema }], index) => {
    const id = `try.body${index === 0 ? "" : index}`;
    const [example] = Object.values(examples);
    const part = bodyPart({ id, mediaType, schema, required, value: example?.value }, document);
    return html`<div class="body" data-media="${mediaType}" data-format="${bodyFormatOf(mediaType)}"${index === 0 ? null : html` hidden`}>${part}</div>`;
  });
  return html`${menu}${parts}`;
}

interface BodyPart extends Pick<MediaType, "schema"> {
  readonly id: string;
  readonly mediaType: string;
  readonly required: boolean;
  readonly value: unknown;
}

function bodyPart(part: BodyPart, document: OpenApiDocument): Html {
  const { id, mediaType, required, value } = part;
  const format = bodyFormatOf(mediaType);
  if (format === "text") return textBody(part, String(value ?? ""));
  const schema = format === "bytes" ? fileOf(part.schema) : part.schema;
  const field = { key: "body", id, schema, required };
  if (format !== "json")
    return html`<div class="fields">${formField({ ...field, value }, document)}</div>`;
  // The script draws the fields when the reader switches from the text to the fields.
  return html`${views(id)}${textBody(part, value === undefined ? "" : JSON.stringify(value, null, 2))}
<div class="fields" hidden>${formField(field, document)}</div>`;
}

/** Returns the schema for the body of a file upload: a file, regardless of the declared schema. */
function fileOf(schema: MediaType["schema"]): MediaType["schema"] {
  return { "x-file": {}, ...schema };
}

function views(id: string): Html {
  const view = (name: string, checked: boolean): Html =>
    html`<label><input type="radio" name="${id}.view"${checked ? html` checked` : null}>${name}</label>`;
  return html`<fieldset class="views"><legend class="only-heard">Enter the body as</legend>${view("JSON", true)}${view("Fields", false)}</fieldset>`;
}

const MAX_TEXT_ROWS = 24;

function textBody({ id, mediaType, required }: BodyPart, text: string): Html {
  const rows = Math.min(MAX_TEXT_ROWS, text.split("\n").length + 1);
  return html`<div class="text"><label for="${id}.text">Body <span class="type">${mediaType}</span></label>
<textarea id="${id}.text" rows="${rows}" spellcheck="false" aria-describedby="${id}.text-fault"${required ? html` required` : null}>
${text}</textarea><div class="fault" id="${id}.text-fault"></div></div>`;
}

function keyField(): Html {
  return html`<div class="key" data-key="headers"><div class="control" data-key="idempotency-key">
<label for="try-key"><code>Idempotency-Key</code></label>
<input id="try-key" autocomplete="off" spellcheck="false" maxlength="255" aria-describedby="try-key-hint try-key-fault">
<button type="button" class="quiet" data-new-key>New key</button>
<p class="hint" id="try-key-hint">The page keeps this key until there is a final answer, so that sending again has no second effect. You can enter one of your own, such as the number of your case.</p>
<p class="fault" id="try-key-fault"></p></div></div>`;
}

function scenarioMenu(scenarios: readonly ScenarioOnPage[]): Html | null {
  if (scenarios.length === 0) return null;
  return html`<label for="try-scenario">Sandbox scenario</label>
<select id="try-scenario"><option value="">None</option>${scenarios.map(
    ({ effect, name }) => html`<option value="${name}">${name}: ${effect}</option>`,
  )}</select>`;
}
