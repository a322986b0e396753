import { describe, expect, it } from "vitest";
import { type Contract, compareContracts } from "../src/index.ts";
import { contractWith, REQUEST, requesting, short } from "./harness/contracts.ts";
import { text } from "./harness/schema-changes.ts";

describe("named schemas", () => {
  const node = (value: object): Readonly<Record<string, unknown>> => ({
    Node: {
      type: "object",
      properties: {
        value,
        next: { anyOf: [{ $ref: "#/components/schemas/Node" }, { type: "null" }] },
      },
      additionalProperties: false,
    },
  });
  const reference = { $ref: "#/components/schemas/Node" };

  it("contract-diff reports a change only once if the changed schema refers to itself", () => {
    const before = requesting(reference, node(text));
    expect(compareContracts(before, requesting(reference, node(text)))).toEqual([]);
    expect(
      short(compareContracts(before, requesting(reference, node({ type: "number" })))),
    ).toEqual([`major ${REQUEST}/properties/value/type`]);
  });

  it("contract-diff reports a change of a named schema once for each request and answer that uses the schema", () => {
    const content = { "application/json": { schema: reference } };
    const operation = { requestBody: { required: true, content }, responses: { 200: { content } } };
    const changes = compareContracts(
      contractWith(operation, node({ type: "string", maxLength: 1 })),
      contractWith(operation, node(text)),
    );
    expect(changes.map(({ level }) => level)).toEqual(["minor", "major"]);
  });

  it("contract-diff combines the limits of a named schema with the limits beside the reference to this schema", () => {
    const limited = { Short: { type: "string", maxLength: 3 } };
    const limit = { $ref: "#/components/schemas/Short" };
    const beside = (maxLength: number): object => ({ ...limit, maxLength });
    const level = (before: object, after: object): readonly string[] =>
      short(compareContracts(requesting(before, limited), requesting(after, limited)));
    expect(level(limit, beside(9))).toEqual(["minor "]);
    expect(level(limit, beside(1))).toEqual([`major ${REQUEST}/allOf/1`]);
  });

  it("contract-diff reports a change of a schema if a named schema refers to the changed schema", () => {
    const schemas = (inner: object): object => ({
      Outer: { type: "object", properties: { inner: { $ref: "#/components/schemas/Inner" } } },
      Inner: inner,
    });
    const outer = { $ref: "#/components/schemas/Outer" };
    const before = requesting(outer, { ...schemas(text) });
    const after = requesting(outer, { ...schemas({ type: "string", maxLength: 1 }) });
    expect(short(compareContracts(before, after))).toEqual([
      `major ${REQUEST}/properties/inner/maxLength`,
    ]);
  });

  it("contract-diff reports a change in a cycle of named schemas both for the request and for the answer", () => {
    const schemas = (value: object): Readonly<Record<string, unknown>> => ({
      Outer: { properties: { inner: { $ref: "#/components/schemas/Inner" }, value } },
      Inner: { properties: { outer: { $ref: "#/components/schemas/Outer" } } },
    });
    const either = (name: string): object => ({
      content: {
        "text/plain": {
          schema: { anyOf: [{ $ref: `#/components/schemas/${name}` }, { const: 1 }] },
        },
      },
    });
    const operation = {
      requestBody: { ...either("Outer"), required: true },
      responses: { 200: either("Inner") },
    };
    const changes = compareContracts(
      contractWith(operation, schemas({ type: "string", maxLength: 1 })),
      contractWith(operation, schemas(text)),
    );
    expect(changes.map(({ level }) => level)).toEqual(["minor", "major"]);
  });

  it("contract-diff reports a renamed schema as minor, and a description beside the reference to a schema as patch", () => {
    const before = requesting({ properties: { a: reference } }, node(text));
    const renamed = JSON.parse(JSON.stringify(before).replaceAll("Node", "Link")) as Contract; // The same contract with another name for the schema.
    expect(short(compareContracts(before, renamed))).toEqual(["minor "]);
    const described = requesting(
      { properties: { a: { ...reference, description: "An a." } } },
      node(text),
    );
    expect(short(compareContracts(before, described))).toEqual([
      `patch ${REQUEST}/properties/a/description`,
    ]);
  });

  it("contract-diff recognises a named schema that has another position in a union", () => {
    const forms = (...names: readonly string[]): object => ({
      anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    });
    const schemas = {
      A: { type: "object", required: ["a"] },
      B: { type: "object", required: ["b"] },
    };
    const changes = compareContracts(
      requesting(forms("A", "B"), schemas),
      requesting(forms("B", "A"), { ...schemas, A: { type: "object" } }),
    );
    expect(short(changes)).toEqual([`minor ${REQUEST}/anyOf/1/properties/a`]);
  });

  it.each([
    ["to a missing schema", { $ref: "#/components/schemas/A" }, {}, "has no schema A"],
    [
      "to a schema that is only a reference to itself",
      { $ref: "#/components/schemas/A" },
      { A: { $ref: "#/components/schemas/A" } },
      "The schema A refers only to itself",
    ],
    ["to another file", { $ref: "other.json" }, {}, "other.json"],
  ])("contract-diff rejects a contract with a reference %s", (_name, schema, schemas, message) => {
    expect(() => compareContracts(requesting(text), requesting(schema, schemas))).toThrow(message);
  });
});
