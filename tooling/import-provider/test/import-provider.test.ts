import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { answering, documentFile, imported, sample, taking } from "./sample.ts";

const provider = "provider-f";

describe("imported documents", () => {
  const { endpoints, losses, names } = importProvider({ provider, ...sample, all: false });

  it("the imported package contains exactly the operations that the overlay selects", () => {
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

  it("the imported adapter sends the settings of the operator, and a caller's request cannot contain these settings", () => {
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

  it("imported types have the names of the document's schemas; a request type has the suffix Input if an answer type has its name", () => {
    const types = [...names.values()].map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["Policy", "PolicyInput", "Person", "Claim"]));
    expect(new Set(types.map((type) => type.toLowerCase())).size).toBe(types.length);
  });

  it("the importer reports nothing about operations that the overlay does not select", () => {
    expect(losses).toEqual([]);
  });

  it("one line of an overlay can add a success status to an operation", () => {
    const { from, overlay } = sample;
    const line = `  - { target: "$.paths['/policies/{id}'].delete.responses", update: { "202": { description: Accepted. } } }`;
    const text = `${readFileSync(overlay, "utf8").trimEnd()}\n${line}\n`;
    const request = { provider, from, overlay: documentFile(text, "more.yaml"), all: false };
    const cancel = importProvider(request).endpoints.find(({ name }) => name === "cancelPolicy");
    expect(cancel?.answers.map(({ media, status }) => [status, media])).toEqual([
      [202, []],
      [204, []],
    ]);
  });

  it("the importer refuses an overlay with a `failures` row that would also match a proxy's answer to a submission", () => {
    const { from, overlay } = sample;
    const text = readFileSync(overlay, "utf8").replace("status: 422,", 'status: "4xx",');
    const wide = { provider, from, overlay: documentFile(text, "wide.yaml"), all: false };
    expect(() => importProvider(wide)).toThrow(
      /`failures` row 1: a family of statuses needs `media`, `at` and `is`/,
    );
  });
});

describe("generated examples", () => {
  it.each([
    [{ type: "number" }, 100.5],
    [{ type: "number", format: "float" }, 100.5],
    [{ type: "number", format: "int32" }, 100],
    [{ type: "number", format: "int32", minimum: 200 }, 200],
  ])("the generated example contains a valid number for the schema %j", (schema, value) => {
    const properties = { value: schema };
    const { examples } = imported({
      "/a": { ...taking({ type: "object", properties, required: ["value"] }) },
    });
    const [example] = [...examples.values()];
    expect(example?.request).toMatchObject({ body: { value } });
  });
});

describe("selected operations", () => {
  it("the importer selects no operation without an overlay", () => {
    const { endpoints } = importProvider({ provider, from: sample.from, all: false });
    expect(endpoints).toEqual([]);
  });

  it("the importer selects every operation with `--all` and reports operations without a success answer", () => {
    const { endpoints, losses } = importProvider({ provider, from: sample.from, all: true });
    expect(endpoints.map(({ name }) => name)).toContain("createApiKey");
    const effects = losses.map(({ effect, operation }) => `${operation} ${effect}`);
    expect(effects).toContainEqual(expect.stringMatching(/^GET \/export .* has no success answer/));
    expect(losses).toContainEqual({
      operation: "HEAD /export",
      pointer: "/paths/~1export/head",
      effect: "The operation is left out: no endpoint has this HTTP method.",
      severity: "lost",
    });
  });
});

describe("generated names", () => {
  afterEach(() => vi.unstubAllGlobals());

  const operation = { responses: { 204: {} } };

  it("endpoint names are unique regardless of case and are not reserved words or names of globals", () => {
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

  it("generated names do not depend on the globals of the Node.js version", async () => {
    vi.stubGlobal("policyGlobal", 1);
    vi.resetModules();
    const { takenValues } = await import("../src/names/taken-names.ts");
    expect(takenValues.has("policyglobal")).toBe(false);
    expect(takenValues.has("fetch")).toBe(true);
  });

  it("the importer's list of reserved type names contains every exported type of core", async () => {
    const { takenTypes } = await import("../src/names/taken-names.ts");
    const report = new URL("../../../packages/core/api-report.md", import.meta.url);
    const declared = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;
    const names = [...readFileSync(report, "utf8").matchAll(declared)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !takenTypes.has(name.toLowerCase()))).toEqual([]);
  });

  it("generated type names do not hide a type of core or a global", () => {
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

describe("unchecked parts of a schema", () => {
  const fields = { a: { type: "string" }, b: { type: "string" } };

  it.each([
    [
      { allOf: [{ type: "string", pattern: "^A" }, { pattern: "9$" }] },
      "loosened",
      "Only the last of several rules is checked: pattern.",
    ],
    [
      { allOf: [{ oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }] },
      "lost",
      "Only the first of several sets of alternatives is declared.",
    ],
    [
      { type: "object", properties: fields, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      "loosened",
      "Several alternatives, which only list required fields, may match at once.",
    ],
    [
      { type: "integer", format: "int64", minimum: 1 },
      "loosened",
      "The limits of a 64-bit number are not checked.",
    ],
    [{ type: "string", not: { enum: ["a"] } }, "loosened", "The rule not is not checked."],
  ])(
    "the importer reports a part of a schema that the imported package does not check: %j",
    (schema, severity, effect) => {
      const { losses } = imported({ "/a": taking(schema) });
      expect(losses).toEqual([expect.objectContaining({ operation: "POST /a", severity, effect })]);
    },
  );

  it("the importer reports a discriminator's value in a request as lost if no alternative has this value", () => {
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

  it("the importer reports a discriminator's value in an answer as unchecked if no alternative has this value", () => {
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

  it('the importer reports a second success status of an operation that returns a file until the overlay declares this status as "not ready"', () => {
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

  it("the importer declares a success answer with the status 2XX as 200 and reports the change", () => {
    const { losses } = imported({ "/a": { get: { responses: { "2XX": {} } } } });
    expect(losses).toEqual([
      expect.objectContaining({ effect: expect.stringMatching(/declared as 200/) }),
    ]);
  });
});

describe("answers with a file", () => {
  it.each([
    ["application/pdf", { extension: "pdf", signature: "%PDF-" }],
    ["image/png", { extension: "png", signature: "\u0089PNG\r\n\u001a\n" }],
    ["image/jpeg", { extension: "jpg", signature: "\u00ff\u00d8\u00ff" }],
    ["image/gif", { extension: "gif", signature: "GIF8" }],
    ["application/zip", { extension: "zip", signature: "PK" }],
    ["application/gzip", { extension: "gz", signature: "\u001f\u008b" }],
    ["application/msword", { extension: "doc" }],
    ["application/vnd.ms-excel", { extension: "xls" }],
    [
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      { extension: "docx", signature: "PK" },
    ],
    [
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      { extension: "xlsx", signature: "PK" },
    ],
    ["application/octet-stream", { extension: "bin" }],
  ])(
    "an answer with the media type %s becomes a file with the type's extension and signature",
    (mediaType, type) => {
      const responses = { 200: { description: "", content: { [mediaType]: {} } } };
      const [endpoint] = imported({ "/a": { get: { operationId: "readA", responses } } }).endpoints;
      expect(endpoint?.files).toEqual([{ mediaType, ...type }]);
    },
  );
});
