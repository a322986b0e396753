import { describe, expect, it } from "vitest";
import type { SchemaNode } from "../src/schemas/model.ts";
import { imported } from "./sample.ts";

const text = { type: "string" };
const parent = (property: object): object => ({
  type: "object",
  required: ["id", "name"],
  properties: { id: property, name: text },
});
const child = (property: object): object => ({
  allOf: [{ $ref: "#/components/schemas/Parent" }, { properties: { id: property } }],
});

/** Returns the field names of the imported request body and answer. */
function fieldsOf(schemas: object): { readonly request: string[]; readonly answer: string[] } {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Child" } } };
  const post = { requestBody: { required: true, content }, responses: { 200: { content } } };
  const [endpoint] = imported({ "/a": { post } }, schemas).endpoints;
  const names = (node: SchemaNode | undefined): string[] =>
    node?.type === "object" ? node.fields.map(({ name }) => name) : [];
  return {
    request: names(endpoint?.body?.media[0]?.definition.node),
    answer: names(endpoint?.answers[0]?.media[0]?.definition.node),
  };
}

describe("a readOnly or writeOnly field of a parent schema that a child schema redefines", () => {
  it.each([
    ["with a description", { ...text, description: "The number." }],
    ["with another rule", { maxLength: 10 }],
    ["by reference", { $ref: "#/components/schemas/Id" }],
  ])(
    "requests do not contain a child schema's field if the parent schema's field is readOnly: %s",
    (_, property) => {
      const schemas = {
        Parent: parent({ ...text, readOnly: true }),
        Child: child(property),
        Id: { ...text, maxLength: 20 },
      };
      expect(fieldsOf(schemas)).toEqual({ request: ["name"], answer: ["id", "name"] });
    },
  );

  it("answers do not contain a child schema's field if the parent schema's field is writeOnly", () => {
    const schemas = {
      Parent: parent({ ...text, writeOnly: true }),
      Child: child({ ...text, description: "The secret." }),
    };
    expect(fieldsOf(schemas)).toEqual({ request: ["id", "name"], answer: ["name"] });
  });

  it("requests do not contain a child schema's field if the parent schema's field refers to a readOnly schema", () => {
    const schemas = {
      Id: { ...text, readOnly: true },
      Parent: parent({ $ref: "#/components/schemas/Id" }),
      Child: child({ ...text, description: "The number." }),
    };
    expect(fieldsOf(schemas)).toEqual({ request: ["name"], answer: ["id", "name"] });
  });

  it("requests and answers contain a child schema's field if the child schema sets `readOnly: false`", () => {
    const schemas = {
      Parent: parent({ ...text, readOnly: true }),
      Child: child({ ...text, readOnly: false }),
    };
    expect(fieldsOf(schemas)).toEqual({ request: ["id", "name"], answer: ["id", "name"] });
  });

  it("the importer omits a field whose schema is composed of itself", () => {
    const Id = { allOf: [{ $ref: "#/components/schemas/Id" }] };
    const schemas = { Id, Parent: parent({ $ref: "#/components/schemas/Id" }), Child: child(text) };
    expect(fieldsOf(schemas)).toEqual({ request: [], answer: [] });
  });
});
