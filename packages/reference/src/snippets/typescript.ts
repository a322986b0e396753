import { bodyFormatOf } from "@insurance-gateway/core/runtime";
import type { Deployment } from "../deployment/deployment.ts";
import type { OpenApiDocument } from "../document/open-api.ts";
import {
  KEY_PLACEHOLDER,
  type PlacedOperation,
  type SampleRequest,
  TOKEN_PLACEHOLDER,
} from "./sample-request.ts";

/** The client's methods for the gateway's own endpoints. */
const ownCalls: Readonly<Record<string, (params: SampleRequest["params"]) => string>> = {
  readSubmission: ({ submissionId }) => `submission(${JSON.stringify(submissionId)})`,
  listProviders: () => "providers()",
  readProviderStatus: ({ segment }) => `providerStatus(${JSON.stringify(segment)})`,
};

/** Writes a call with this project's client; null for an endpoint of the gateway for which the client has no method. */
export function typescriptSnippet(
  { operation }: PlacedOperation,
  request: SampleRequest,
  document: OpenApiDocument,
  { address, segment }: Deployment,
): string | null {
  const { id, package: packageName } = document.info["x-provider"];
  const name = operation.operationId;
  const ownCall = ownCalls[name]?.(request.params);
  if (id === "" && ownCall === undefined) return null;
  const input = Object.entries({
    params: request.params,
    query: request.query,
    headers: request.headers,
    body: bodyValue(request),
    key: request.acts ? KEY_PLACEHOLDER : undefined,
  }).filter(
    ([, value]) =>
      typeof value === "string" ||
      (typeof value === "object" && value !== null && Object.keys(value).length > 0),
  );
  const passed = input.length === 0 ? "" : `, ${literal(Object.fromEntries(input))}`;
  const settings = {
    baseUrl: address,
    token: TOKEN_PLACEHOLDER,
    ...(segment === id ? {} : { segments: { [id]: segment } }),
  };
  return [
    'import { createGateway } from "@insurance-gateway/core";',
    ...(request.file ? ['import { saveTo } from "@insurance-gateway/core/node";'] : []),
    ...(id === "" ? [] : [`import { ${name} } from ${JSON.stringify(packageName)};`]),
    "",
    `const gateway = createGateway(${literal(settings)});`,
    "",
    ...(id === ""
      ? [`console.log(await gateway.${ownCall});`]
      : callLines(request, `${name}${passed}`)),
    "await gateway.close();",
  ].join("\n");
}

function callLines({ acts, file }: SampleRequest, passed: string): readonly string[] {
  if (acts)
    return [
      `const result = await gateway.submit(${passed});`,
      'if (result.outcome === "succeeded") console.log(result.data);',
      "else console.log(result.outcome, result.error?.message);",
    ];
  return file
    ? [`const file = await gateway.call(${passed});`, 'await saveTo(file, "document.pdf");']
    : [`const answer = await gateway.call(${passed});`, "console.log(answer);"];
}

/** Returns the body that a snippet passes to the client, with the paths of files. */
function bodyValue({ body, files, mediaType }: SampleRequest): unknown {
  if (mediaType !== null && bodyFormatOf(mediaType) === "bytes")
    return { mediaType, content: { path: "file" } };
  if (Object.keys(files).length === 0) return body;
  const fields = Object.entries(Object(body)).map(([name, value]) => {
    const type = files[name];
    if (type === undefined) return [name, value];
    const part = (path: unknown): object => ({ mediaType: type, name: path, content: { path } });
    return [name, Array.isArray(value) ? value.map(part) : part(value)];
  });
  return Object.fromEntries(fields);
}

/** Returns a JSON value as JavaScript source; names of properties have quotes only if necessary. */
function literal(value: unknown): string {
  // JSON texts contain no line breaks, so a quoted name at the start of a line is a property.
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}
