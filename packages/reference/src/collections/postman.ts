import type { OpenApiDocument } from "../document/open-api.ts";
import type { ScenarioOnPage } from "../site/source.ts";
import { allRequests } from "./all-requests.ts";
import {
  type CollectionRequest,
  collectionVariables,
  NEW_KEY,
  stableId,
} from "./collection-request.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/** The parts of a Postman collection or folder that this project writes. */
export interface PostmanFolder {
  readonly name: string;
  readonly item: readonly unknown[];
}

/** The name, the description and the folders of a Postman collection. */
export interface PostmanContent {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly item: readonly PostmanFolder[];
}

/**
 * Returns the requests of a provider's document with the deployment's address and segment.
 * @param scenarios - the scenarios of the simulated insurer
 */
export function postmanContent(
  document: OpenApiDocument,
  scenarios: readonly ScenarioOnPage[],
): PostmanContent {
  const { id } = document.info["x-provider"];
  const requests = allRequests(document, scenarios);
  const folders = Map.groupBy(requests, ({ folder }) => folder);
  return {
    name: `Insurance Gateway: ${document.info.title}`,
    id: stableId(`collection ${id}`),
    description: document.info.description,
    item: [...folders].map(([name, requests]) => ({ name, item: requests.map(itemOf) })),
  };
}

/**
 * Writes a Postman collection, version 2.1.
 * @param address - the gateway's base address
 */
export function postmanCollection(
  { description, id, item, name }: PostmanContent,
  address: string,
): object {
  return {
    info: { _postman_id: id, name, description, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: address },
      { key: "token", value: "" },
      ...Object.values(collectionVariables).map((key) => ({ key, value: "" })),
    ],
    item,
  };
}

/** Returns the environment with the address, and the token as a secret. */
export function postmanEnvironment(address: string): object {
  return {
    id: stableId("environment"),
    name: "Insurance Gateway",
    values: [
      { key: "baseUrl", value: address, type: "default", enabled: true },
      { key: "token", value: "", type: "secret", enabled: true },
    ],
    _postman_variable_scope: "environment",
  };
}

function itemOf(request: CollectionRequest): object {
  const { body, description, expected, headers, id, method, name } = request;
  const sent = {
    method,
    description,
    header: headers.map(([key, value]) => ({ key, value })),
    url: urlOf(request),
    ...(body === null
      ? {}
      : {
          body: {
            mode: "raw",
            raw: body,
            options: { raw: { language: request.isJson ? "json" : "text" } },
          },
        }),
  };
  return {
    id,
    name,
    request: sent,
    event: [
      ...(request.makesKey ? [script("prerequest", [set(collectionVariables.key, NEW_KEY)])] : []),
      script("test", testOf(request)),
    ],
    response:
      expected.body === null
        ? []
        : [
            {
              id: stableId(`${id} answer`),
              name: "The documented answer",
              originalRequest: sent,
              code: expected.statuses[0],
              header: [{ key: "Content-Type", value: expected.mediaType }],
              _postman_previewlanguage: "json",
              body: expected.body,
            },
          ],
  };
}

function script(listen: string, exec: readonly string[]): object {
  return { listen, script: { type: "text/javascript", exec } };
}

/** Returns a script line that sets a variable of the collection. */
function set(variable: string, value: string): string {
  return `pm.collectionVariables.set("${variable}", ${value});`;
}

function urlOf({ path, query }: CollectionRequest): object {
  const search = new URLSearchParams(query.map(([key, value]): [string, string] => [key, value]));
  return {
    raw: `{{baseUrl}}${path}${query.length === 0 ? "" : `?${search.toString()}`}`,
    host: ["{{baseUrl}}"],
    path: path.slice(1).split("/"),
    ...(query.length === 0
      ? {}
      : { query: query.map(([key, value]) => ({ key, value: encodeURIComponent(value) })) }),
  };
}

function testOf({ expected, keepsId, name }: CollectionRequest): readonly string[] {
  const { code, fields, isReplay, mediaType, statuses } = expected;
  return [
    `pm.test(${JSON.stringify(`${name}: the documented answer`)}, () => {`,
    `  pm.expect(pm.response.code).to.be.oneOf(${JSON.stringify(statuses)});`,
    ...(mediaType === ""
      ? []
      : [
          `  pm.expect(pm.response.headers.get("Content-Type")).to.include(${JSON.stringify(mediaType)});`,
        ]),
    ...(fields.length === 0
      ? []
      : [`  pm.expect(pm.response.json()).to.include.all.keys(${JSON.stringify(fields)});`]),
    ...(code === null ? [] : [`  pm.expect(pm.response.json().code).to.equal("${code}");`]),
    ...(isReplay
      ? [`  pm.expect(pm.response.headers.get("Idempotency-Replayed")).to.equal("true");`]
      : []),
    "});",
    ...(keepsId
      ? [
          'const location = pm.response.headers.get("Location");',
          `if (location) ${set(collectionVariables.id, 'location.split("/").pop()')}`,
        ]
      : []),
  ];
}
