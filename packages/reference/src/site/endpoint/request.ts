import { isJson } from "@insurance-gateway/core/runtime";
import { type Field, fieldTree } from "../../document/field-tree.ts";
import type { MediaType, OpenApiDocument, Parameter } from "../../document/open-api.ts";
import { type PlacedOperation, TOKEN_PLACEHOLDER } from "../../snippets/sample-request.ts";
import { snippetsOf } from "../../snippets/snippets.ts";
import { type Html, html } from "../html.ts";
import { codeTabs } from "./code-tabs.ts";
import type { Documented } from "./documented.ts";
import { bodyFields, fieldList } from "./field-list.ts";

const placesInWords: Readonly<Record<Parameter["in"], string>> = {
  path: "Path",
  query: "Query",
  header: "Headers",
};

/** Renders the parameters and the body of an endpoint, beside a call in every language. */
export function requestOf(documented: Documented, placed: PlacedOperation): Html {
  const { deployment, document } = documented;
  const { parameters = [], requestBody } = placed.operation;
  const groups = (["path", "query", "header"] as const).map((place) => {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => parameterField(parameter, document));
    return fields.length === 0
      ? null
      : html`<h3>${placesInWords[place]}</h3>${fieldList(fields, place)}`;
  });
  const media = Object.entries(requestBody?.content ?? {});
  const bodies = media.map(
    ([mediaType, content]) =>
      html`<h3>Body <span class="type">${mediaType}${requestBody?.required === true ? "" : ", optional"}</span></h3>${bodyFields(
        fieldTree(content.schema, document, firstExample(content)),
        "body",
      )}`,
  );
  const nothing =
    parameters.length + media.length > 0
      ? null
      : html`<p>The endpoint takes no parameters and no body.</p>`;
  const strict =
    requestBody === undefined
      ? "A parameter that is not listed is refused."
      : "A field or parameter that is not listed is refused.";
  return html`<section class="row" aria-labelledby="request"><div><h2 id="request">Request</h2>
<p class="note">Send <code>Authorization: Bearer ${TOKEN_PLACEHOLDER}</code>. ${strict} Texts must not contain control characters, line breaks or characters that change the direction of text.</p>
${nothing}${groups}${bodies}</div>
<div class="beside">${codeTabs(
    "Call it",
    "language",
    snippetsOf(placed, document, deployment).map(({ label, source }) => ({
      label,
      text: source,
      placeholder: TOKEN_PLACEHOLDER,
    })),
  )}${requestExamples(media)}</div></section>`;
}

function parameterField(parameter: Parameter, document: OpenApiDocument): Field {
  const { description = "", name, required = false, schema } = parameter;
  const field = fieldTree(schema, document, firstExample(parameter));
  return {
    ...field,
    name,
    path: name,
    required,
    greek: parameter["x-labels"]?.el ?? field.greek,
    description: description === "" ? field.description : description,
  };
}

/** Renders the bodies of the examples; a single example is already in the calls. */
function requestExamples(media: readonly (readonly [string, MediaType])[]): Html | null {
  const tabs = media.flatMap(([mediaType, { examples = {} }]) =>
    isJson(mediaType)
      ? Object.values(examples).map(({ summary, value }) => ({
          label: summary,
          text: JSON.stringify(value, null, 2),
        }))
      : [],
  );
  return tabs.length > 1 ? codeTabs("Bodies", "bodies", tabs) : null;
}

function firstExample({ examples = {} }: Pick<MediaType, "examples">): unknown {
  return Object.values(examples)[0]?.value;
}
