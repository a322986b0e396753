import { fileURLToPath } from "node:url";
import { defineProvider, type Endpoint } from "@insurance-gateway/core/contract";
import { zodSchema } from "@insurance-gateway/core/schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Documentation, noDocumentation } from "../src/documentation/documentation.ts";
import { readPackageTypes } from "../src/documentation/package-types.ts";
import { readDocumentation } from "../src/documentation/read-documentation.ts";
import { type DocumentSource, packagedDocument, providerDocument } from "../src/index.ts";
import { endpoints } from "./diverging-provider/src/index.ts";

const read = { kind: "read", method: "GET", provider: "provider-n" } as const;

/** Returns the source of the document of a provider without examples. */
function sourceOf(
  id: string,
  declared: Readonly<Record<string, Endpoint>>,
  documentation: Documentation = noDocumentation,
): DocumentSource {
  return {
    provider: defineProvider({ id, name: "Provider N", lines: ["motor"], endpoints: declared }),
    package: { name: id, version: "1.0.0" },
    documentation,
    examples: Object.fromEntries(Object.keys(declared).map((name) => [name, {}])),
  };
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Readonly<Record<string, Mapped>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, map(value, name)]),
  );
}

describe("the names of schemas in an OpenAPI document", () => {
  it("the OpenAPI document gives a name to a recursive schema that has no declared name", () => {
    const branch = z.looseObject({
      get leaves() {
        return z.array(leaf);
      },
      get branches() {
        return z.exactOptional(z.array(branch));
      },
    });
    const leaf = z.looseObject({
      get branch() {
        return z.exactOptional(branch);
      },
    });
    const response = { 200: zodSchema<unknown>(branch) };
    const written = packagedDocument(
      sourceOf("provider-n", {
        readTree: { ...read, path: "/tree", response },
        readTwin: { ...read, path: "/twin", response },
      }),
    );
    const nested = Object.keys(written.components.schemas).filter((name) =>
      name.startsWith("Nested"),
    );
    expect(nested).toEqual(["Nested1"]);
    const check = new Ajv2020({ strict: false, validateFormats: false });
    check.addSchema({ $id: "document", ...written });
    const answer = "document#/paths/~1provider-n~1tree/get/responses/200/content/application~1json";
    const fitsTree = check.compile({ $ref: `${answer}/schema` });
    expect(fitsTree({ leaves: [{ branch: { leaves: [] } }], branches: [{ leaves: [] }] })).toBe(
      true,
    );
    expect(fitsTree({ leaves: [{ branch: { leaves: [1] } }] })).toBe(false);
  });

  it("the error for two different schemas with the same name contains the endpoint and the place of the second schema", () => {
    const values = { readA: z.string(), readB: z.number(), readC: z.boolean() };
    const endpoints = mapValues(values, (value, name) => {
      const answer = zodSchema<unknown>(z.looseObject({ cover: z.looseObject({ value }) }));
      return { ...read, path: `/${name}`, response: { 200: answer } };
    });
    const cover = { text: "", type: { name: "Cover" } };
    const parts = { response: { name: "Answer" } };
    const documentation = {
      ...noDocumentation,
      types: { Answer: { text: "", properties: { cover } } },
      endpoints: mapValues(values, () => ({ text: "", parts })),
    };
    expect(() => providerDocument(sourceOf("provider-n", endpoints, documentation))).toThrow(
      'readC (GET /readC): Two different schemas are called Cover (the second in the answer, at "/cover")',
    );
  });

  it("the OpenAPI document names alternatives with the same fields after their schemas and omits undeclared alternatives", async () => {
    const folder = fileURLToPath(new URL("./diverging-provider", import.meta.url));
    const documentation = await readDocumentation(readPackageTypes(folder), ["listKinds"]);
    const { components } = providerDocument(
      sourceOf("diverging-provider", { listKinds: endpoints.listKinds }, documentation),
    );
    const { Boat, Car, Kinds, Sledge, ...others } = components.schemas;
    const named = ["Car", "Boat", "Sledge"].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    expect(Kinds?.properties?.own?.oneOf).toEqual(named);
    expect(Kinds?.properties?.usual?.oneOf).toEqual([
      ...named,
      expect.objectContaining({ "x-other": true }),
    ]);
    expect(Kinds?.properties?.only?.oneOf).toEqual([
      named[0],
      expect.objectContaining({ "x-other": true }),
    ]);
    expect([Car, Boat, Sledge]).toMatchObject([
      { description: "A car.", properties: { kind: { const: "car" } } },
      { description: "A boat.", properties: { kind: { const: "boat" } } },
      { description: "A sledge.", properties: { kind: { enum: ["sledge", "sled"] } } },
    ]);
    expect(Object.keys(others).filter((name) => /Car|Boat|Sledge/.test(name))).toEqual([]);
  });
});
