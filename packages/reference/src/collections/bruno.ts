import type { OpenApiDocument } from "../document/open-api.ts";
import { type CollectionRequest, collectionRequests } from "./collection-request.ts";

/** The files of a collection by their path, `/` between folders. */
export type CollectionFiles = Readonly<Record<string, string>>;

/**
 * Writes a provider's requests as a Bruno collection: a folder of files, as Bruno itself would write them.
 * @param document - as it is deployed
 * @param address - the gateway's base address
 */
export async function brunoCollection(
  document: OpenApiDocument,
  address: string,
): Promise<CollectionFiles> {
  // Bruno's own writer is large, and few gateways are asked for a collection.
  const { stringifyEnvironment, stringifyRequest } = await import("@usebruno/filestore");
  const requests = collectionRequests(document).map(
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
  // The environment keeps the token as a secret.
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
      tests: testOf(request),
      docs: description,
    },
  };
}

function testOf({ expected, name }: CollectionRequest): string {
  const { fields, mediaType, status } = expected;
  return [
    `test(${JSON.stringify(`${name}: the documented answer`)}, function () {`,
    `  expect(res.getStatus()).to.equal(${status});`,
    ...(mediaType === ""
      ? []
      : [`  expect(res.getHeader("content-type")).to.include(${JSON.stringify(mediaType)});`]),
    ...(fields.length === 0
      ? []
      : [`  expect(res.getBody()).to.include.all.keys(${JSON.stringify(fields)});`]),
    "});",
  ].join("\n");
}
