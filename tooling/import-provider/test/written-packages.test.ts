import { type JsonSchema, operationsOf, type ProviderDocument } from "@insurance-gateway/reference";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadWritten } from "../src/load-written.ts";
import { importedPackages } from "./imported-packages.ts";
import { answering, taking } from "./sample.ts";

/** Imports a document with one path, and gives the contract that the build of its package writes. */
async function contractOf(
  item: object,
  schemas: Readonly<Record<string, unknown>> = {},
): Promise<ProviderDocument> {
  const from = {
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/a": { ...item } },
    components: { schemas },
  };
  const { packages, remove } = importedPackages([{ from, all: true }]);
  onTestFinished(remove);
  return loadWritten(packages[0]?.folder ?? "");
}

/** The alternatives of the only answer or body, each as its component. */
function alternativesOf(document: ProviderDocument): readonly JsonSchema[] {
  const { schemas } = document.components;
  const union = Object.values(schemas).find((one) => (one.anyOf ?? one["oneOf"]) !== undefined);
  const listed = (union?.anyOf ?? union?.["oneOf"] ?? []) as readonly JsonSchema[];
  return listed.map(({ $ref = "" }) => schemas[$ref.split("/").at(-1) ?? ""] ?? {});
}

const object = (properties: object, rest: object = {}): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest,
});

describe("alternatives with the same field names", () => {
  const sums = {
    anyOf: [
      object(
        { sum: { type: "string", description: "In euros." } },
        { description: "A motor policy." },
      ),
      object(
        { sum: { type: "integer", description: "In cents." } },
        { description: "A life policy." },
      ),
    ],
  };

  it.each([
    ["in an answer", answering(sums)],
    ["in a request", taking(sums)],
  ])("keep their own texts and types %s", async (_, item) => {
    const [motor, life] = alternativesOf(await contractOf(item));
    expect(motor).toMatchObject({
      description: "A motor policy.",
      properties: { sum: { type: "string", description: "In euros." } },
    });
    expect(life).toMatchObject({
      description: "A life policy.",
      properties: { sum: { type: "integer", description: "In cents." } },
    });
  });

  it("keep the types within them", async () => {
    const list = (name: string): object =>
      object({ owners: { type: "array", items: { $ref: `#/components/schemas/${name}` } } });
    const document = await contractOf(taking({ oneOf: [list("Person"), list("Company")] }), {
      Person: object({ afm: { type: "string" } }),
      Company: object({ gemi: { type: "string" } }),
    });
    const owners = alternativesOf(document).map(({ properties }) => properties?.["owners"]?.items);
    expect(owners).toEqual(
      ["Person", "Company"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    );
  });
});

it("an enum beside an empty text and null has a contract", async () => {
  const cover = {
    oneOf: [{ $ref: "#/components/schemas/Cover" }, { enum: [""] }, { type: "null" }],
  };
  const plain = { $ref: "#/components/schemas/Cover" };
  const document = await contractOf(taking(object({ cover, plain })), {
    Cover: { type: "string", enum: ["FULL", "BASIC"] },
  });
  expect(document.components.schemas["Cover"]).toMatchObject({ enum: ["FULL", "BASIC"] });
});

it("a file without input has a contract", async () => {
  const content = { "application/pdf": { schema: { type: "string", format: "binary" } } };
  const document = await contractOf({
    get: { operationId: "readTerms", responses: { 200: { description: "", content } } },
  });
  expect(operationsOf(document).map(({ operation }) => operation.operationId)).toEqual([
    "readTerms",
  ]);
});

it("the values of a map keep their texts", async () => {
  const values = object({ sum: { type: "string", description: "In euros." } });
  const document = await contractOf(answering({ type: "object", additionalProperties: values }));
  expect(JSON.stringify(document)).toContain("In euros.");
});
