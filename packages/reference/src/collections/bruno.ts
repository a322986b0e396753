import type { OpenApiDocument } from "../document/open-api.ts";
import type { ScenarioOnPage } from "../site/source.ts";
import { allRequests } from "./all-requests.ts";
import { type CollectionRequest, collectionVariables, NEW_KEY } from "./collection-request.ts";

/** The files of a collection by path, with `/` between folders. */
export type CollectionFiles = Readonly<Record<string, string>>;

/**
 * Writes a provider's requests as a Bruno collection: a folder of files in the format that Bruno writes.
 * @param document - the document with the deployment's address and segment
 * @param address - the gateway's base address
 * @param scenarios - the scenarios of the simulated insurer
 */
export async function brunoCollection(
  document: OpenApiDocument,
  address: string,
  scenarios: readonly ScenarioOnPage[],
): Promise<CollectionFiles> {
  // Bruno's writer is imported on demand, because it is large and few users request a collection.
  const { stringifyEnvironment, stringifyRequest } = await import("@usebruno/filestore");
  const requests = allRequests(document, scenarios).map(
    (request, index) =>
      [
        `${request.folder}/${request.name}.bru`,
        stringifyRequest(itemOf(request, index + 1), { format: "bru" }),
      ] as const,
  );
  const frame = {
    version: "1",
    name: `Insurance Gateway: ${document.info.title}`,
    type: "collection",
  };
  // The environment marks the token as secret.
  const environment = {
    name: "gateway",
    variables: [variable("baseUrl", address, false), variable("token", "", true)],
  };
  return {
    "bruno.json": `${JSON.stringify(frame, null, 2)}\n`,
    "environments/gateway.bru": stringifyEnvironment(environment, { format: "bru" }),
    ...Object.fromEntries(requests),
  };
}

/** Writes the file that determines a folder's position; Bruno would otherwise sort folders by name. */
export function brunoFolder(name: string, seq: number): string {
  return `meta {\n  name: ${name}\n  seq: ${seq}\n}\n`;
}

function variable(name: string, value: string, secret: boolean): object {
  return { name, value, secret, enabled: true, type: "text" };
}

function itemOf(request: CollectionRequest, seq: number): object {
  const { body, description, headers, method, name, path, query } = request;
  const search = new URLSearchParams(query.map(([key, value]): [string, string] => [key, value]));
  return {
    type: "http-request",
    name,
    seq,
    request: {
      method,
      url: `{{baseUrl}}${path}${query.length === 0 ? "" : `?${search.toString()}`}`,
      params: query.map(([key, value]) => ({ name: key, value, type: "query", enabled: true })),
      headers: headers.map(([key, value]) => ({ name: key, value, enabled: true })),
      auth: { mode: "bearer", bearer: { token: "{{token}}" } },
      body:
        body === null
          ? { mode: "none" }
          : request.isJson
            ? { mode: "json", json: body }
            : { mode: "text", text: body },
      ...(request.makesKey ? { script: { req: set(collectionVariables.key, NEW_KEY) } } : {}),
      tests: testOf(request),
      docs: description,
    },
  };
}

/** Returns a script line that sets a variable of Bruno's collection run. */
function set(variable: string, value: string): string {
  return `bru.setVar("${variable}", ${value});`;
}

function testOf({ expected, keepsId, name }: CollectionRequest): string {
  const { code, fields, isReplay, mediaType, statuses } = expected;
  return [
    `test(${JSON.stringify(`${name}: the documented answer`)}, function () {`,
    `  expect(${JSON.stringify(statuses)}).to.include(res.getStatus());`,
    ...(mediaType === ""
      ? []
      : [`  expect(res.getHeader("content-type")).to.include(${JSON.stringify(mediaType)});`]),
    ...(fields.length === 0
      ? []
      : [`  expect(res.getBody()).to.include.all.keys(${JSON.stringify(fields)});`]),
    ...(code === null ? [] : [`  expect(res.getBody().code).to.equal("${code}");`]),
    ...(isReplay ? ['  expect(res.getHeader("idempotency-replayed")).to.equal("true");'] : []),
    "});",
    ...(keepsId
      ? [
          'const location = res.getHeader("location");',
          `if (location) ${set(collectionVariables.id, 'location.split("/").pop()')}`,
        ]
      : []),
  ].join("\n");
}
