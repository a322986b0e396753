import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { answering, documentFile, imported, sample, taking } from "./sample.ts";

const provider = "provider-f";

describe("an imported document", () => {
  const { endpoints, losses, names } = importProvider({ provider, ...sample, all: false });

  it("offers what the overlay selects, and nothing else", () => {
    expect(endpoints.map(({ kind, method, name, path }) => [name, kind, method, path])).toEqual([
      ["searchPolicies", "search", "GET", "/tenants/policies"],
      ["createPolicy", "submission", "POST", "/tenants/policies"],
      ["getPoliciesById", "read", "GET", "/policies/{id}"],
      ["cancelPolicy", "submission", "DELETE", "/policies/{id}"],
      ["policyDocument", "document", "GET", "/policies/{id}/document.pdf"],
      ["listaKalypseon", "lookup", "GET", "/covers"],
      ["reportClaim", "submission", "POST", "/claims"],
    ]);
  });

  it("gives what the operator configures to the adapter, and not to callers", () => {
    const search = endpoints.find(({ name }) => name === "searchPolicies");
    expect(search?.call).toEqual({
      path: "/tenants/{tenant}/policies",
      query: { status: { style: "pipes" } },
      cookies: {},
      settings: { path: { tenant: "tenant" }, query: {}, headers: {}, cookies: {} },
    });
    const read = endpoints.find(({ name }) => name === "getPoliciesById");
    expect(read?.call.settings.headers).toEqual({ "X-Agent-Code": "agentCode" });
    expect(read?.call.cookies).toEqual({ "cookie-session": "session" });
  });

  it("names types after the document's, and those of requests apart where both sides have one", () => {
    const types = [...names.values()].map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["Policy", "PolicyInput", "Person", "Claim"]));
    expect(new Set(types.map((type) => type.toLowerCase())).size).toBe(types.length);
  });

  it("loses nothing that is not selected", () => {
    expect(losses).toEqual([]);
  });
});

describe("selection", () => {
  it("selects nothing without an overlay", () => {
    const { endpoints } = importProvider({ provider, from: sample.from, all: false });
    expect(endpoints).toEqual([]);
  });

  it("selects everything with --all, and reports an operation that has no success answer", () => {
    const { endpoints, losses } = importProvider({ provider, from: sample.from, all: true });
    expect(endpoints.map(({ name }) => name)).toContain("createApiKey");
    const effects = losses.map(({ effect, operation }) => `${operation} ${effect}`);
    expect(effects).toContainEqual(expect.stringMatching(/^GET \/export .* has no success answer/));
    expect(losses).toContainEqual({
      operation: "HEAD /export",
      pointer: "/paths/~1export/head",
      effect: "It is left out: no endpoint has this method.",
      severity: "lost",
    });
  });
});

describe("names", () => {
  afterEach(() => vi.unstubAllGlobals());

  const operation = { responses: { 204: {} } };

  it("are unique ignoring case, and never a word of the language or a global", () => {
    const { endpoints } = imported({
      "/a": { post: { ...operation, operationId: "delete" } },
      "/b": { post: { ...operation, operationId: "fetch" } },
      "/c": { post: { ...operation, operationId: "getPolicy" } },
      "/d": { post: { ...operation, operationId: "GETPOLICY" } },
      "/e": { post: { ...operation, operationId: "get policy" } },
      "/f": { post: { ...operation, operationId: "then" } },
      "/i": { post: { ...operation, operationId: "index" } },
      "/g/{id}/h": { post: operation },
    });
    expect(endpoints.map(({ name }) => name)).toEqual([
      "deleteCall",
      "fetchCall",
      "getPolicy",
      "getpolicy2",
      "getPolicy3",
      "thenCall",
      "indexCall",
      "postGByIdH",
    ]);
  });

  it("are the same in every version of Node, whatever its globals", async () => {
    vi.stubGlobal("policyGlobal", 1);
    vi.resetModules();
    const { takenValues } = await import("../src/names/taken-names.ts");
    expect(takenValues.has("policyglobal")).toBe(false);
    expect(takenValues.has("fetch")).toBe(true);
  });

  it("hide no type that core exports, but for those that are only insurance words", async () => {
    const { takenTypes } = await import("../src/names/taken-names.ts");
    const report = new URL("../../../packages/core/api-report.md", import.meta.url);
    const declared = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;
    const names = [...readFileSync(report, "utf8").matchAll(declared)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !takenTypes.has(name.toLowerCase()))).toEqual([]);
  });

  it("never hide a type of core or a global", () => {
    const object = (name: string): object => ({
      type: "object",
      properties: { [name]: { type: "string" } },
    });
    const taken = ["Quote", "Document", "Submission", "Error", "File", "Promise"];
    const schemas = Object.fromEntries(taken.map((name) => [name, object(name)]));
    const paths = Object.fromEntries(
      taken.map((name) => [`/${name}`, answering({ $ref: `#/components/schemas/${name}` })]),
    );
    const types = [...imported(paths, schemas).names.values()].map(({ type }) => type);
    expect(types.toSorted()).toEqual(taken.map((name) => `${name}Details`).toSorted());
  });
});

describe("what is not checked", () => {
  const fields = { a: { type: "string" }, b: { type: "string" } };

  it.each([
    [
      { allOf: [{ type: "string", pattern: "^A" }, { pattern: "9$" }] },
      "loosened",
      "Of several rules pattern only the last is checked.",
    ],
    [
      { allOf: [{ oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }] },
      "lost",
      "Of several sets of alternatives only the first is declared.",
    ],
    [
      { type: "object", properties: fields, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      "loosened",
      "Several of the alternatives, which are fields that must be there, may be there at once.",
    ],
    [
      { type: "integer", format: "int64", minimum: 1 },
      "loosened",
      "The limits of a 64-bit number are not checked.",
    ],
    [{ type: "string", not: { enum: ["a"] } }, "loosened", "The rule not is not checked."],
  ])("is reported: %j", (schema, severity, effect) => {
    const { losses } = imported({ "/a": taking(schema) });
    expect(losses).toEqual([expect.objectContaining({ operation: "POST /a", severity, effect })]);
  });

  it("is reported for values of a discriminator that lead to no alternative", () => {
    const kind = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } };
    const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const body = {
      oneOf: [reference("Cat"), reference("Dog")],
      discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "Dog", bird: "Bird" } },
    };
    const { losses } = imported({ "/a": taking(body) }, { Cat: kind, Dog: kind, Bird: kind });
    expect(losses).toEqual([
      expect.objectContaining({
        severity: "lost",
        effect: expect.stringMatching(/lead to none of the alternatives are refused: bird/),
      }),
    ]);
  });

  it("is not lost for such values in an answer, which is open", () => {
    const kind = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } };
    const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const schema = {
      oneOf: [reference("Cat"), reference("Dog")],
      discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "Dog", bird: "Bird" } },
    };
    const { losses } = imported({ "/a": answering(schema) }, { Cat: kind, Dog: kind });
    expect(losses).toEqual([
      expect.objectContaining({
        severity: "loosened",
        effect: expect.stringMatching(/lead to none of the alternatives are not checked: bird/),
      }),
    ]);
  });

  it("is reported for another status of a document, which may mean that it is not ready", () => {
    const content = { "application/pdf": {} };
    const get = { responses: { 200: { content }, 202: { description: "Later" } } };
    const { losses } = imported({ "/a": { get } });
    expect(losses).toEqual([
      expect.objectContaining({
        severity: "lost",
        effect: expect.stringMatching(/one with 202 is unusable; .* add notReady/),
      }),
    ]);
    const ready = { ...get, "x-insurance-gateway": { notReady: 202 } };
    const document = { openapi: "3.1.0", info: { title: "A", version: "1" } };
    const overlay = {
      overlay: "1.0.0",
      info: document.info,
      actions: [{ target: "$.paths['/a'].get", update: ready }],
    };
    const from = documentFile({ ...document, paths: { "/a": { get } } });
    const request = { provider, from, overlay: documentFile(overlay, "overlay.json"), all: false };
    expect(importProvider(request).losses).toEqual([]);
  });

  it("is reported for a success that has no status of its own", () => {
    const { losses } = imported({ "/a": { get: { responses: { "2XX": {} } } } });
    expect(losses).toEqual([
      expect.objectContaining({ effect: expect.stringMatching(/declared as 200/) }),
    ]);
  });
});

describe("hostile documents", () => {
  const importing = (from: string) => () =>
    importProvider({ provider: "provider-x", from, all: true });

  it("that are no OpenAPI, or no JSON and no YAML", () => {
    expect(importing(documentFile("openapi: 3.0.0\n  broken: [", "a.yaml"))).toThrow(
      /is no JSON and no YAML/,
    );
    expect(importing(documentFile({ hello: 1 }))).toThrow(/is no OpenAPI document/);
    expect(importing("/nowhere.yaml")).toThrow(/There is no file/);
  });

  it("that grow by aliases, a billion laughs", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const items = Array.from({ length: 9 }, () => (level === 0 ? "lol" : `*a${level - 1}`));
      return `a${level}: &a${level} [${items.join(", ")}]`;
    });
    const file = documentFile(
      `openapi: 3.0.0\ninfo: {title: a, version: "1"}\n${levels.join("\n")}`,
      "a.yaml",
    );
    expect(importing(file)).toThrow(/repeats its parts by aliases/);
  });

  it("that are nested without end", () => {
    const nested = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const file = documentFile(`{"openapi":"3.0.0","paths":{},"x-a":${nested}}`);
    expect(importing(file)).toThrow(/nested more than 200 levels/);
  });

  it.each([
    [
      "a reference that leads back to itself",
      { $ref: "#/components/schemas/Loop" },
      /leads back|composed of itself/,
    ],
    [
      "a reference to another document",
      { $ref: "https://example.com/x.json#/X" },
      /outside the document/,
    ],
    ["a reference to a file", { $ref: "/etc/passwd" }, /outside the document/],
    ["a reference to nothing", { $ref: "#/components/schemas/Missing" }, /not in the document/],
    [
      "10,000 fields",
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, index) => [`f${index}`, {}]),
        ),
      },
      /more than 2000 fields/,
    ],
    [
      "a schema that accepts nothing",
      { type: "object", required: ["a"], properties: { a: false } },
      /accepts no value/,
    ],
  ])("with %s lose the operation, with the reason, and no other", (_, schema, reason) => {
    const { endpoints, losses } = imported(
      { "/bad": answering(schema), "/good": answering({ type: "string" }) },
      { Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] } },
    );
    expect(endpoints.map(({ path }) => path)).toEqual(["/good"]);
    expect(losses).toEqual([
      expect.objectContaining({
        operation: "GET /bad",
        severity: "lost",
        effect: expect.stringMatching(reason),
      }),
    ]);
  });

  it("lose an operation whose path does not separate two parameters", () => {
    const { endpoints, losses } = imported({
      "/policies/{id}{version}": answering({ type: "string" }),
      "/policies/{id}...{version}": answering({ type: "string" }),
    });
    expect(endpoints.map(({ call, path }) => [path, call.path])).toEqual([
      ["/policies/{id}/{version}", "/policies/{id}...{version}"],
    ]);
    expect(losses).toContainEqual(
      expect.objectContaining({
        operation: "GET /policies/{id}{version}",
        severity: "lost",
        effect: expect.stringMatching(/nothing separates two parameters/),
      }),
    );
  });

  it("cannot select their own operations, or say what they are", () => {
    const operation = { responses: { 204: {} }, "x-insurance-gateway": { kind: "read" } };
    const from = documentFile({
      openapi: "3.0.0",
      info: { title: "Test", version: "1" },
      paths: { "/passwords": { post: operation } },
    });
    expect(importProvider({ provider: "provider-x", from, all: false }).endpoints).toEqual([]);
    const [endpoint] = importProvider({ provider: "provider-x", from, all: true }).endpoints;
    expect(endpoint?.kind).toBe("submission");
  });

  it("cannot select their own operations by a path that is referred to, which an overlay can", () => {
    const responses = { 204: {} };
    const operation = { responses, "x-insurance-gateway": { kind: "submission" } };
    const from = documentFile({
      openapi: "3.1.0",
      info: { title: "Test", version: "1" },
      paths: { "/keys": { $ref: "#/components/pathItems/keys", delete: { responses } } },
      components: { pathItems: { keys: { post: operation } } },
    });
    const update = { "x-insurance-gateway": { kind: "read" } };
    const overlay = documentFile(
      { overlay: "1.0.0", actions: [{ target: "$.paths['/keys'].post", update }] },
      "overlay.json",
    );
    const imported = (all: boolean, chosen?: string): readonly string[] =>
      importProvider({
        provider: "provider-x",
        from,
        all,
        ...(chosen === undefined ? {} : { overlay: chosen }),
      }).endpoints.map(({ kind, operation: name }) => `${name}: ${kind}`);
    expect(imported(false)).toEqual([]);
    expect(imported(false, overlay)).toEqual(["POST /keys: read"]);
    expect(imported(true)).toEqual(["POST /keys: submission", "DELETE /keys: submission"]);
  });

  it("with a path that refers to another file are imported without it, when the overlay leaves it out", () => {
    const from = documentFile({
      openapi: "3.1.0",
      info: { title: "Test", version: "1" },
      paths: {
        "/internal": { $ref: "./internal.yaml" },
        "/a": { get: { responses: { 204: {} } } },
      },
    });
    const actions = [{ target: "$.paths['/internal']", remove: true }];
    const overlay = documentFile({ overlay: "1.0.0", actions }, "overlay.json");
    const { endpoints } = importProvider({ provider: "provider-x", from, overlay, all: true });
    expect(endpoints.map(({ operation }) => operation)).toEqual(["GET /a"]);
    expect(() => importProvider({ provider: "provider-x", from, all: true })).toThrow(
      "outside the document",
    );
  });

  it("cannot have a file of this machine sent by an example", () => {
    const content = { path: "/etc/passwd" };
    const { examples } = imported({
      "/a": {
        post: {
          operationId: "upload",
          requestBody: {
            required: true,
            content: { "application/pdf": { example: { mediaType: "text/plain", content } } },
          },
          responses: { 204: {} },
        },
      },
    });
    expect(JSON.stringify(examples.get("upload"))).not.toContain("passwd");
  });

  it("with a long chain of schemas lose the operation, and no other", () => {
    const chain = Array.from({ length: 5_000 }, (_, index) => [
      `S${index}`,
      { type: "object", properties: { next: { $ref: `#/components/schemas/S${index + 1}` } } },
    ]);
    const { endpoints, losses } = imported(
      {
        "/bad": answering({ $ref: "#/components/schemas/S0" }),
        "/good": answering({ $ref: "#/components/schemas/S4800" }),
      },
      { ...Object.fromEntries(chain), S5000: { type: "string" } },
    );
    expect(endpoints.map(({ path }) => path)).toEqual(["/good"]);
    expect(losses[0]?.effect).toMatch(/at the end of a chain of more than 300 schemas/);
  });

  it("do not double with each level of allOf", () => {
    const levels = Array.from({ length: 15 }, (_, level) => {
      const part = { $ref: `#/components/schemas/S${level + 1}` };
      return [`S${level}`, { allOf: [part, part] }] as const;
    });
    const { losses } = imported(
      { "/a": answering({ $ref: "#/components/schemas/S0" }) },
      { ...Object.fromEntries(levels), S15: { type: "object" } },
    );
    expect(losses[0]?.effect).toMatch(/composed of more than 500 schemas/);
  });

  it("lose every operation whose schema holds one that failed, in whatever order they are read", () => {
    const schemas = {
      A: {
        type: "object",
        properties: {
          b: { $ref: "#/components/schemas/B" },
          bad: { $ref: "#/components/schemas/Missing" },
        },
      },
      B: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } },
    };
    const [a, b] = ["A", "B"].map((name) => answering({ $ref: `#/components/schemas/${name}` }));
    expect(imported({ "/a": a, "/b": b }, schemas).endpoints).toEqual([]);
    expect(imported({ "/b": b, "/a": a }, schemas).endpoints).toEqual([]);
  });

  it("with two parameters of one name lose the operation", () => {
    const [one, other] = ["a.b", "a-b"].map((name) => ({
      in: "cookie",
      name,
      schema: { type: "string" },
    }));
    const { losses } = imported({
      "/a": { parameters: [one, other], ...answering({ type: "string" }) },
    });
    expect(losses[0]?.effect).toMatch(/has the public name cookie-a-b of another parameter/);
  });

  it.each(["^(a+)+$", "^(a|a)+$", "^(a{2}b*)*$"])(
    "whose pattern %s could take minutes are not checked by it",
    (pattern) => {
      const { losses } = imported({ "/a": taking({ type: "string", pattern }) });
      expect(losses).toEqual([
        expect.objectContaining({
          severity: "loosened",
          effect: expect.stringMatching(/would take it minutes/),
        }),
      ]);
    },
  );
});
