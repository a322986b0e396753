import { isJson } from "@insurance-gateway/core/runtime";
import type { Deployment } from "../deployment/deployment.ts";
import type { JsonSchema, OpenApiDocument, ResponseObject } from "../document/open-api.ts";
import { bodyText, isUpload } from "../snippets/bodies.ts";
import {
  firstMedia,
  type PlacedOperation,
  sampleRequest,
  TOKEN_PLACEHOLDER,
} from "../snippets/sample-request.ts";

/** Writes one endpoint as a short Markdown page, for agents and for people in a terminal. */
export function endpointText(
  placed: PlacedOperation,
  document: OpenApiDocument,
  deployment: Deployment,
): string {
  const { method, operation, path } = placed;
  const body = firstMedia(operation.requestBody);
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith("2"));
  return [
    `# ${operation.operationId}`,
    `${method} ${deployment.address}${path} (${operation["x-kind"]}; ${document.info.title})`,
    operation.description,
    `Authorization: Bearer ${TOKEN_PLACEHOLDER}`,
    ...section("Parameters", parameterLines(placed)),
    ...section(
      `Body (${body === undefined || isJson(body.mediaType) ? "JSON" : body.mediaType}; no other fields)`,
      body === undefined ? [] : bodyLines(body.media.schema, document),
    ),
    ...section("Example", exampleLines(placed, deployment)),
    ...successes.flatMap(([status, success]) =>
      section(`Answer ${status}`, answerLines(success, document)),
    ),
    ...section("Problems", problemLines(placed, document)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];
}

function parameterLines({ operation }: PlacedOperation): readonly string[] {
  return (operation.parameters ?? []).map(
    ({ description = "", in: place, name, required = false, schema }) =>
      `- \`${name}\` (${place}, ${typeOf(schema)}${required ? ", required" : ""}): ${oneLine(description)}`,
  );
}

function bodyLines(schema: JsonSchema, document: OpenApiDocument): readonly string[] {
  const fields = fieldLines(schema, document);
  return fields.length > 0 ? fields : [typeOf(resolve(schema, document).resolved)];
}

/** One line a field, nested fields by their path. */
function fieldLines(
  schema: JsonSchema,
  document: OpenApiDocument,
  path = "",
  above: readonly string[] = [],
): readonly string[] {
  const { name, resolved } = resolve(schema, document);
  if (name !== null && above.includes(name)) return [];
  const known = name === null ? above : [...above, name];
  if (resolved.items !== undefined) return fieldLines(resolved.items, document, `${path}[]`, known);
  return Object.entries(resolved.properties ?? {}).flatMap(([field, property]) => {
    const place = path === "" ? field : `${path}.${field}`;
    const inner = resolve(property, document).resolved;
    const text = oneLine(property.description ?? inner.description ?? "");
    const optional = resolved.required?.includes(field) ? "" : ", optional";
    return [
      `- \`${place}\` (${typeOf(inner)}${optional})${text === "" ? "" : `: ${text}`}`,
      ...fieldLines(property, document, place, known),
    ];
  });
}

function resolve(
  schema: JsonSchema,
  document: OpenApiDocument,
): { readonly name: string | null; readonly resolved: JsonSchema } {
  const member = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const name = member.$ref?.replace("#/components/schemas/", "") ?? null;
  return { name, resolved: name === null ? member : (document.components.schemas[name] ?? {}) };
}

function typeOf({ enum: values, examples, format, type }: JsonSchema): string {
  const base = Array.isArray(type) ? type.join(" or ") : String(type ?? "object");
  if (Array.isArray(values)) return values.join(" | ");
  if (examples !== undefined && format === undefined) return `${base}: ${examples.join(", ")} …`;
  return format === undefined ? base : `${base}, ${format}`;
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
  const fields = content === undefined ? [] : fieldLines(content.schema, document);
  return fields.length === 0 ? [`A file, ${mediaType}.`] : fields;
}

/** What an agent must know of each code: whether the insurer acted, and whether to send it again. */
function problemLines(
  { operation }: PlacedOperation,
  document: OpenApiDocument,
): readonly string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    if (!("$ref" in response)) return [];
    const named =
      document.components.responses[response.$ref.replace("#/components/responses/", "")];
    return Object.entries(named?.["x-outcome"] ?? {}).map(([code, advices]) => {
      const said = advices.map(({ outcome, retry }) => `${outcome}, retry ${retry}`).join("; or ");
      return `- ${status} \`${code}\`: ${said}`;
    });
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
