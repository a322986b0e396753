import { stringifyEnvironment, stringifyRequest } from "@usebruno/filestore";
import type { OpenApiDocument } from "../document/open-api.ts";
import { type CollectionRequest, collectionRequests } from "./collection-request.ts";
import { DEFAULT_ADDRESS } from "./postman.ts";

/** The files of a collection by their path, `/` between folders. */
export type CollectionFiles = Readonly<Record<string, string>>;

/** Writes a provider's requests as a Bruno collection: a folder of files, as Bruno itself would write them. */
export function brunoCollection(document: OpenApiDocument): CollectionFiles {
  const requests = collectionRequests(document).map(
    (request, index) =>
      [`${request.folder}/${request.name}.bru`, fileOf(request, index + 1)] as const,
  );
  return { ...brunoFrame(document.info.title), ...Object.fromEntries(requests) };
}

/** What a collection has beside its requests: its name, and an environment whose token is kept as a secret. */
function brunoFrame(title: string): CollectionFiles {
  const environment = {
    name: "gateway",
    variables: [variable("baseUrl", DEFAULT_ADDRESS, false), variable("token", "", true)],
  };
  return {
    "bruno.json": `${JSON.stringify({ version: "1", name: `Insurance Gateway: ${title}`, type: "collection" }, null, 2)}\n`,
    "environments/gateway.bru": stringifyEnvironment(environment, { format: "bru" }),
  };
}

function variable(name: string, value: string, secret: boolean): object {
  return { name, value, secret, enabled: true, type: "text" };
}

function fileOf(request: CollectionRequest, seq: number): string {
  const { body, description, headers, method, name, path, query } = request;
  const search = new URLSearchParams(query.map(([key, value]): [string, string] => [key, value]));
  const item = {
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
  return stringifyRequest(item, { format: "bru" });
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
