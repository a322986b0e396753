import { describe, expect, it } from "vitest";
import { compareContracts } from "../src/index.ts";
import { contractWith, REQUEST, requesting, short } from "./harness/contracts.ts";

const reference = { $ref: "#/components/schemas/A" };
const one = { A: { const: 1 } };
const any = { A: { type: ["integer", "string"] } };

describe("changes of a referenced schema", () => {
  it.each([
    ["not", reference],
    ["contains", reference],
    ["patternProperties", { "^x": reference }],
    ["patternProperties", { example: reference }],
    ["dependentSchemas", { a: reference }],
    ["dependentSchemas", { default: reference }],
    ["if", reference],
  ])(
    "contract-diff reports the change of a schema to which the keyword `%s` refers: %j",
    (keyword, value) => {
      const schema = { type: ["object", "array"], [keyword]: value };
      expect(short(compareContracts(requesting(schema, one), requesting(schema, any)))).toEqual([
        `major ${REQUEST}/${keyword}`,
      ]);
    },
  );

  it.each(["example", "default", "const"])(
    "contract-diff reports the change of a schema to which a field refers, even if the field is called `%s`",
    (name) => {
      const schema = { type: "object", properties: { [name]: reference } };
      expect(short(compareContracts(requesting(schema, one), requesting(schema, any)))).toEqual(
        [
          `minor ${REQUEST}/properties/${name}/type`,
          `minor ${REQUEST}/properties/${name}/const`,
        ].toSorted(),
      );
    },
  );

  it.each([
    ["examples", { not: { examples: [reference] } }],
    ["example", { not: { example: reference } }],
    ["const", { not: { const: reference } }],
    ["enum", { contains: { enum: [reference] } }],
    ["default", { not: { default: reference } }],
    ["an extension", { not: { "x-other": reference } }],
  ])("contract-diff does not follow a `$ref` inside data: %s", (_keyword, schema) => {
    expect(short(compareContracts(requesting(schema, one), requesting(schema, any)))).toEqual([
      "minor ",
    ]);
  });
});

describe("references that contract-diff cannot follow", () => {
  const elsewhere = { $ref: "#/paths/~1things/get" };
  const header = { 200: { description: "", headers: { X: elsewhere } } };

  it.each([
    ["/parameters/0", { parameters: [elsewhere] }],
    ["/requestBody", { requestBody: elsewhere }],
    ["/responses/200", { responses: { 200: elsewhere } }],
    ["/responses/200/headers/X", { responses: header }],
  ])(
    "contract-diff rejects a reference in place of a part of an operation: %s",
    (pointer, operation) => {
      const contract = contractWith(operation);
      const message = `/paths/~1provider-x~1things/post${pointer}/$ref`;
      expect(() => compareContracts(contract, contract)).toThrow(message);
    },
  );

  it("contract-diff rejects parameters that a path declares for all its operations", () => {
    const contract = { paths: { "/things": { parameters: [{ name: "p", in: "query" }] } } };
    expect(() => compareContracts(contract, contract)).toThrow("/paths/~1things/parameters");
  });

  it("contract-diff rejects a reference in place of a path", () => {
    const contract = { paths: { "/things": elsewhere } };
    expect(() => compareContracts(contract, contract)).toThrow("/paths/~1things/$ref");
  });

  it("contract-diff rejects a reference to anything except a named schema, even if both versions have the reference", () => {
    const contract = requesting({ not: elsewhere });
    expect(() => compareContracts(contract, contract)).toThrow("#/paths/~1things/get");
  });

  it("contract-diff accepts any `$ref` inside an example", () => {
    const contract = requesting({ examples: [elsewhere] });
    expect(compareContracts(contract, contract)).toEqual([]);
  });

  it("contract-diff rejects contracts with components other than schemas", () => {
    const contract = (required: boolean) => ({
      ...contractWith({}),
      components: { schemas: {}, parameters: { P: { name: "p", in: "query", required } } },
    });
    expect(() => compareContracts(contract(false), contract(true))).toThrow(
      "/components/parameters",
    );
  });
});

describe("large contracts", () => {
  it("contract-diff reports 200,000 changes without a stack overflow", () => {
    const names = Array.from({ length: 200_000 }, (_, index) => [`f${index}`, {}] as const);
    const fields = (type: string): object => ({
      type: "object",
      properties: Object.fromEntries(names.map(([name]) => [name, { type }])),
    });
    const nested = (type: string): object => ({ type: "array", items: fields(type) });
    expect(
      compareContracts(requesting(nested("string")), requesting(nested("number"))),
    ).toHaveLength(names.length);
  });
});
