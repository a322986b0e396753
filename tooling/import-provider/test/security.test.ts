import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import { writeImport } from "../src/write-import.ts";
import { documentFile, temporaryFolder } from "./sample.ts";

const schemes = {
  header: { type: "apiKey", in: "header", name: "X-Api-Key" },
  query: { type: "apiKey", in: "query", name: "api_key" },
  cookie: { type: "apiKey", in: "cookie", name: "session" },
  basic: { type: "http", scheme: "basic" },
  bearer: { type: "http", scheme: "Bearer" },
  digest: { type: "http", scheme: "digest" },
  client: {
    type: "oauth2",
    flows: { clientCredentials: { tokenUrl: "https://login.example/token", scopes: {} } },
  },
  person: { type: "oauth2", flows: { implicit: { authorizationUrl: "https://a.example" } } },
  open: { type: "openIdConnect", openIdConnectUrl: "https://a.example/.well-known" },
  certificate: { type: "mutualTLS" },
};

type Need = readonly Partial<Record<keyof typeof schemes, readonly string[]>>[];

/** Imports a document whose operations `/0`, `/1` and so on require these credentials. */
function secured(
  whole: Need | undefined,
  ...operations: readonly (Need | undefined)[]
): ImportedProvider {
  const paths = operations.map((security, index) => [
    `/${index}`,
    {
      get: {
        operationId: `read${index}`,
        responses: { 204: {} },
        ...(security === undefined ? {} : { security }),
      },
    },
  ]);
  const document = {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    ...(whole === undefined ? {} : { security: whole }),
    paths: Object.fromEntries(paths),
    components: { securitySchemes: schemes },
  };
  return importProvider({ provider: "provider-x", from: documentFile(document), all: true });
}

it.each<[string, Need, ImportedProvider["security"]["accepted"]]>([
  ["an API key in a header", [{ header: [] }], [[{ type: "apiKey", header: "X-Api-Key" }]]],
  ["HTTP basic", [{ basic: [] }], [[{ type: "basic" }]]],
  ["HTTP bearer", [{ bearer: [] }], [[{ type: "bearer" }]]],
  [
    "client credentials with their scopes",
    [{ client: ["quotes", "policies"] }],
    [[{ type: "oauth2", tokenUrl: "https://login.example/token", scopes: ["policies", "quotes"] }]],
  ],
  [
    "two credentials together",
    [{ header: [], basic: [] }],
    [[{ type: "apiKey", header: "X-Api-Key" }, { type: "basic" }]],
  ],
  ["alternatives", [{ basic: [] }, { bearer: [] }], [[{ type: "basic" }], [{ type: "bearer" }]]],
  [
    "an alternative that the gateway supports",
    [{ person: [] }, { bearer: [] }],
    [[{ type: "bearer" }]],
  ],
  ["no credentials", [], undefined],
  ["optional credentials", [{ bearer: [] }, {}], undefined],
])(
  "the imported adapter declares the credentials that the insurer's document requires: %s",
  (_, need, accepted) => {
    const { losses, security } = secured(need, undefined);
    expect(security.accepted).toEqual(accepted);
    expect(losses.filter(({ severity }) => severity === "lost")).toEqual([]);
  },
);

it("the importer reports an operation as lost if the operation does not accept the credentials of the imported adapter", () => {
  const { losses, security } = secured(
    [{ bearer: [] }],
    undefined,
    undefined,
    [{ basic: [] }],
    [{ digest: [] }],
    [{ header: [] }],
    [],
  );
  expect(security.accepted).toEqual([
    [{ type: "bearer" }, { type: "apiKey", header: "X-Api-Key" }],
  ]);
  const lost = losses.filter(({ severity }) => severity === "lost");
  expect(lost.map(({ effect, operation, pointer }) => [operation, pointer, effect])).toEqual([
    ["GET /2", "/paths/~12/get/security", expect.stringMatching(/other credentials in a header/)],
    ["GET /3", "/paths/~13/get/security", expect.stringMatching(/none of digest can be used/)],
  ]);
});

it.each<[keyof typeof schemes, RegExp]>([
  ["digest", /is HTTP "digest"/],
  ["person", /needs a person who signs in/],
  ["open", /must find it out/],
  ["certificate", /upstream\.tls\.client/],
])(
  "the importer reports a security scheme that the gateway does not support: %s",
  (name, effect) => {
    const { losses } = secured([{ [name]: [] }, { bearer: [] }], undefined);
    expect(losses).toEqual([
      {
        operation: "",
        pointer: `/components/securitySchemes/${name}`,
        effect: expect.stringMatching(effect),
        severity: "loosened",
      },
    ]);
  },
);

it("the imported adapter accepts every kind of credentials if the document does not declare the required security scheme", () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    security: [{ forgotten: [] }],
    paths: { "/a": { get: { responses: { 204: {} } } } },
    components: { securitySchemes: schemes },
  };
  const from = documentFile(document);
  const { losses, security } = importProvider({ provider: "provider-x", from, all: true });
  expect(security.accepted).toBeUndefined();
  expect(losses).toEqual([
    {
      operation: "",
      pointer: "/components/securitySchemes/forgotten",
      effect: "It is not declared: the operator must find out which credentials it requires.",
      severity: "loosened",
    },
  ]);
});

it("the imported adapter requires one of the document's security schemes if no operation declares which scheme is required", () => {
  const { losses, security } = secured(undefined, undefined);
  expect(security.accepted?.slice(0, 2)).toEqual([
    [{ type: "apiKey", header: "X-Api-Key" }],
    [{ type: "basic" }],
  ]);
  expect(losses.map(({ effect }) => effect)).toContainEqual(
    expect.stringMatching(/No operation names its credentials/),
  );
});

it("an API key in a query or cookie becomes a setting of the operator, and only operations that require the key send the key", () => {
  const { endpoints, security } = secured([{ query: [], cookie: [] }], undefined, []);
  expect(security).toMatchObject({ settings: [{ name: "query" }, { name: "cookie" }] });
  expect(endpoints.map(({ call }) => call.settings)).toEqual([
    { path: {}, query: { api_key: "query" }, headers: {}, cookies: { session: "cookie" } },
    { path: {}, query: {}, headers: {}, cookies: {} },
  ]);
});

it("callers cannot send an API key that the document also lists as a parameter", () => {
  const parameters = [
    { in: "header", name: "X-API-Key", required: true, schema: { type: "string" } },
    { in: "query", name: "api_key", required: true, schema: { type: "string" } },
  ];
  const document = {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    security: [{ header: [], query: [] }],
    paths: { "/a": { get: { parameters, responses: { 204: {} } } } },
    components: { securitySchemes: schemes },
  };
  const from = documentFile(document);
  const [endpoint] = importProvider({ provider: "provider-x", from, all: true }).endpoints;
  expect([endpoint?.headers, endpoint?.query]).toEqual([undefined, undefined]);
});

it("an imported package declares the insurer's credentials in the adapter and shows the configuration of these credentials in the README", () => {
  const folder = join(temporaryFolder(), "provider-x");
  const imported = secured([{ header: [], query: [], certificate: [] }], undefined);
  writeImport(folder, { id: "provider-x" }, imported);
  const textOf = (path: string): string => readFileSync(join(folder, path), "utf8");
  expect(textOf("src/adapter.ts").replaceAll(/\s+/g, " ")).toContain(
    'credentials: [ [ { type: "apiKey", header: "X-Api-Key", }, ], ]',
  );
  expect(textOf("src/provider.ts")).toContain("export interface Settings {\n  query: string;\n}");
  expect(textOf("src/dialect.ts").replaceAll(/\s+/g, " ")).toContain(
    'settings: { query: { api_key: "query", }, }',
  );
  const readme = textOf("README.md");
  const [, example = ""] = /```json\n([\s\S]*?)\n```/.exec(readme) ?? [];
  expect(JSON.parse(example)).toMatchObject({
    upstream: {
      credentials: { type: "apiKey", header: "X-Api-Key", value: { env: "PROVIDER_X_KEY" } },
      tls: { client: { certificate: { env: "PROVIDER_X_CERTIFICATE" } } },
    },
    settings: { query: { env: "PROVIDER_X_QUERY" } },
  });
  // The next import replaces the README's section on credentials instead of adding a second section.
  writeImport(folder, { id: "provider-x" }, secured([{ basic: [] }], undefined));
  expect(textOf("README.md").match(/## Credentials/g)).toHaveLength(1);
  expect(textOf("README.md")).toContain('"type": "basic"');
});
