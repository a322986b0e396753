import { isJson } from "@insurance-gateway/core/runtime";
import type { Deployment } from "../deployment/deployment.ts";
import { type Field, fieldTree } from "../document/field-tree.ts";
import type { JsonSchema, OpenApiDocument, ResponseObject } from "../document/open-api.ts";
import {
  conditionInWords,
  type EndpointProblem,
  problemsOfEndpoint,
} from "../errors/endpoint-problems.ts";
import type { Documented } from "../site/endpoint/documented.ts";
import type { SitePaths } from "../site/paths.ts";
import { bodyText, isUpload } from "../snippets/bodies.ts";
import {
  firstMedia,
  type PlacedOperation,
  sampleRequest,
  TOKEN_PLACEHOLDER,
} from "../snippets/sample-request.ts";

/** Writes an endpoint as a short Markdown page for AI agents and terminals. */
export function endpointText(
  paths: SitePaths,
  { deployment, document, scenarios }: Documented,
  placed: PlacedOperation,
): string {
  const origin = new URL(deployment.address).origin;
  const { method, operation, path } = placed;
  const body = firstMedia(operation.requestBody);
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith("2"));
  return [
    `# ${operation.operationId}`,
    `${method} ${deployment.address}${path} (${operation["x-kind"]}; ${document.info.title})`,
    operation.description,
    `Authorization: Bearer ${TOKEN_PLACEHOLDER}`,
    ...section("Parameters", parameterLines(placed, document)),
    ...section(
      `Body (${body === undefined || isJson(body.mediaType) ? "JSON" : body.mediaType}; no other fields)`,
      body === undefined ? [] : bodyLines(body.media.schema, document),
    ),
    ...section("Example", exampleLines(placed, deployment)),
    ...successes.flatMap(([status, success]) =>
      section(`Answer ${status}`, answerLines(success, document)),
    ),
    ...section(
      "Problems",
      problemLines(
        problemsOfEndpoint(operation, document, scenarios),
        (code) => `${origin}${paths.error(code)}.md`,
      ),
    ),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];
}

function parameterLines(
  { operation }: PlacedOperation,
  document: OpenApiDocument,
): readonly string[] {
  return (operation.parameters ?? []).map(
    ({ description = "", in: place, name, required = false, schema }) =>
      `- \`${name}\` (${[place, typeOf(fieldTree(schema, document)), ...(required ? ["required"] : [])].join(", ")}): ${oneLine(description)}`,
  );
}

function bodyLines(schema: JsonSchema, document: OpenApiDocument): readonly string[] {
  const body = fieldTree(schema, document);
  const lines = fieldLines(body);
  return lines.length > 0 ? lines : [typeOf(body)];
}

/** Returns one line for each field. A nested field is named by its path. */
function fieldLines({ alternatives, fields }: Field): readonly string[] {
  const own = fields.flatMap((field) => {
    const { description, path, required, sameAs } = field;
    const same = sameAs === null ? [] : [`the fields of \`${sameAs}\``];
    const facts = [typeOf(field), ...same, ...(required ? [] : ["optional"])].join(", ");
    const text = oneLine(description);
    return [`- \`${path}\` (${facts})${text === "" ? "" : `: ${text}`}`, ...fieldLines(field)];
  });
  return [...own, ...alternatives.flatMap(fieldLines)];
}

function typeOf({ limits, mayGrow, type, values }: Field): string {
  if (values.length > 0) return values.join(" | ") + (mayGrow ? " …" : "");
  return [type, ...limits].join(", ");
}

function exampleLines(placed: PlacedOperation, deployment: Deployment): readonly string[] {
  const sample = sampleRequest(placed, deployment);
  const { headers, method, queryTexts, url } = sample;
  const text = isUpload(sample) ? null : bodyText(sample);
  const search = new URLSearchParams(
    queryTexts.map(([name, text]): [string, string] => [name, text]),
  ).toString();
  return [
    "```http",
    `${method} ${url}${search === "" ? "" : `?${search}`}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`),
    ...(text === null ? [] : [`Content-Type: ${text.mediaType}`, "", text.text]),
    ...(isUpload(sample) ? [`Content-Type: ${sample.mediaType}`] : []),
    "```",
  ];
}

function answerLines(
  success: ResponseObject | { readonly $ref: string },
  document: OpenApiDocument,
): readonly string[] {
  if ("$ref" in success) return [];
  const [mediaType, content] = Object.entries(success.content ?? {})[0] ?? [];
  if (mediaType === undefined) return ["No body."];
  const fields = content === undefined ? [] : fieldLines(fieldTree(content.schema, document));
  return fields.length === 0 ? [`A file, ${mediaType}.`] : fields;
}

/**
 * Returns a line for each meaning of a code: whether the insurer acted, whether to send the call again, the condition
 * and the scenario.
 */
function problemLines(
  problems: readonly EndpointProblem[],
  pageOf: (code: string) => string,
): readonly string[] {
  return problems.flatMap(({ code, meanings, status }) =>
    meanings.map(({ outcome, retry, scenario, when }, index) => {
      const name = index === 0 ? `[\`${code}\`](${pageOf(code)})` : `\`${code}\``;
      const condition = when === null ? "" : ` ${conditionInWords(when)}`;
      const made = scenario === null ? "" : ` Scenario \`${scenario}\`.`;
      return `- ${status} ${name}: ${outcome}, retry ${retry}.${condition}${made}`;
    }),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
