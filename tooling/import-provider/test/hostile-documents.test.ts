import { describe, expect, it } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { answering, documentFile, imported } from "./sample.ts";

describe("hostile documents", () => {
  const importing = (from: string) => () =>
    importProvider({ provider: "provider-x", from, all: true });

  it("the importer refuses a file that is not an OpenAPI document in JSON or YAML", () => {
    expect(importing(documentFile("openapi: 3.0.0\n  broken: [", "a.yaml"))).toThrow(
      /is neither JSON nor YAML/,
    );
    expect(importing(documentFile({ hello: 1 }))).toThrow(/is not an OpenAPI document/);
    expect(importing("/nowhere.yaml")).toThrow(/There is no file/);
  });

  it('the importer refuses a YAML document that multiplies its parts with aliases ("billion laughs")', () => {
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

  it("the importer refuses a document that is nested more than 200 levels deep", () => {
    const nested = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const file = documentFile(`{"openapi":"3.0.0","paths":{},"x-a":${nested}}`);
    expect(importing(file)).toThrow(/nested more than 200 levels/);
  });

  it.each([
    [
      "a reference to itself",
      { $ref: "#/components/schemas/Loop" },
      /leads back|composed of itself/,
    ],
    [
      "a reference to another document",
      { $ref: "https://example.com/x.json#/X" },
      /outside the document/,
    ],
    ["a reference to a file", { $ref: "/etc/passwd" }, /outside the document/],
    [
      "a reference to a missing schema",
      { $ref: "#/components/schemas/Missing" },
      /not in the document/,
    ],
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
      "a schema that accepts no value",
      { type: "object", required: ["a"], properties: { a: false } },
      /accepts no value/,
    ],
  ])(
    "the importer omits only the affected operation, with a reason, if a schema contains: %s",
    (_, schema, reason) => {
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
    },
  );

  it("the importer omits an operation whose path has two parameters without a separator", () => {
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

  it("an insurer's document cannot select operations for the import or set the kinds of operations", () => {
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

  it("an insurer's document cannot select operations through a referenced path, but an overlay can", () => {
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

  it("the importer ignores a path that refers to another file if the overlay removes the path", () => {
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

  it("an example in an insurer's document cannot make the imported package send a file of the computer that runs the package", () => {
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

  it("the importer omits only the affected operation if a schema starts a chain of 5,000 schemas", () => {
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

  /** Returns types that all refer to one another; `isRequired` selects the required references. */
  const related = (isRequired: (one: string, other: string) => boolean): object => {
    const names = Array.from({ length: 16 }, (_, index) => `T${index}`);
    return Object.fromEntries(
      names.map((one) => {
        const others = names.filter((other) => other !== one);
        const properties = others.map((other) => [
          other,
          { $ref: `#/components/schemas/${other}` },
        ]);
        const required = others.filter((other) => isRequired(one, other));
        return [one, { type: "object", properties: Object.fromEntries(properties), required }];
      }),
    );
  };
  const first = { $ref: "#/components/schemas/T0" };

  it("the importer omits an operation whose schemas require each other endlessly, and the report names the cycle", () => {
    const { losses } = imported(
      { "/a": answering(first) },
      related(() => true),
    );
    expect(losses).toEqual([
      {
        operation: "GET /a",
        pointer: "/components/schemas/T0",
        effect:
          "The operation is left out: its `response` needs T0, which needs T1, which needs T0, without end. Make one of these fields optional or nullable in the overlay.",
        severity: "lost",
      },
    ]);
  });

  it("the importer imports schemas that all refer to one another if the required references form no cycle", () => {
    const { examples, losses } = imported(
      { "/a": answering(first) },
      related((_, other) => other === "T0"),
    );
    expect(losses).toEqual([]);
    expect(examples.get("getA")?.response).toMatchObject({ T1: { T0: {} } });
  });

  it("the generated example of deeply nested schemas has a readable size or is reported as missing", () => {
    const level = (next: number, required: readonly string[]): object => ({
      type: "object",
      properties: Object.fromEntries(
        ["a", "b", "c"].map((name) => [name, { $ref: `#/components/schemas/L${next}` }]),
      ),
      required,
    });
    const levels = (required: readonly string[]): object =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`L${index}`, level(index + 1, required)]),
      );
    const path = { "/a": answering({ $ref: "#/components/schemas/L0" }) };
    const { examples } = imported(path, { ...levels(["a"]), L100: { type: "string" } });
    expect(JSON.stringify(examples.get("getA")?.response).length).toBeLessThan(20_000);
    const { losses } = imported(path, { ...levels(["a", "b"]), L100: { type: "string" } });
    expect(losses[0]?.effect).toMatch(/no value was found that is valid for its `response`/);
  });

  it("the importer omits an operation whose `allOf` doubles at each level", () => {
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

  it("the importer omits every operation that contains a broken schema, regardless of the order in the document", () => {
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

  it("the importer omits an operation whose two parameters have the same public name", () => {
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
});
