import { fileURLToPath } from "node:url";
import { answerOf, check, jsonAnswerOf, none } from "@insurance-gateway/core/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { summaryOf } from "../src/documentation/documentation.ts";
import { readPackageTypes } from "../src/documentation/package-types.ts";
import { readDocumentation } from "../src/documentation/read-documentation.ts";
import { type Operation, operationsOf, packagedDocument, snippetsOf } from "../src/index.ts";
import { oddProvider } from "./odd-provider/src/index.ts";

const contract = {
  cover: { code: "A", parts: [{ code: "B", parts: [] }] },
  contact: { by: "LETTER", street: "Ερμού 1" },
  progress: null,
  noted: { value: { code: "A", parts: [] } },
  amounts: { gross: "1.00" },
  pair: ["a", 1],
};
const params = { contractNumber: 'Α/1 & co\'s "x"' };
const usual = { summary: "A usual one", request: { params }, response: contract };
const renewal = {
  query: { codes: ["A", "B & C"], years: [1, 2], period: { from: "2026" } },
  headers: { "x-agent": "A 1" },
};
const types = readPackageTypes(fileURLToPath(new URL("./odd-provider", import.meta.url)));
const document = packagedDocument({
  provider: oddProvider,
  package: { name: "odd-provider", version: "1.0.0" },
  documentation: await readDocumentation(types, Object.keys(oddProvider.endpoints)),
  examples: {
    readContract: { usual },
    endContract: { usual },
    readVehicle: {},
    changeVehicle: {},
    orderCover: {},
    searchCovers: {},
    renewCovers: { usual: { summary: "Two", request: renewal, response: [contract.cover] } },
    listCovers: { usual: { summary: "All", request: {}, response: [contract.cover] } },
  },
});

function placedOperation(name: string) {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === name);
  if (found === undefined) throw new TypeError(`The document has no operation ${name}`);
  return found;
}

const operationCalled = (name: string): Operation => placedOperation(name).operation;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "document", ...document });
const fits = ajv.compile({ $ref: "document#/components/schemas/Contract" });

describe("documents of unusual declarations", () => {
  it("the OpenAPI document describes a type with additional properties and the schema of these properties", () => {
    const { Notes } = document.components.schemas;
    expect(Notes?.properties?.author).toMatchObject({ description: "Who wrote them." });
    expect(Notes?.additionalProperties).toMatchObject({ type: "string" });
  });

  it("the OpenAPI document contains a recursive type once, with a reference to itself", () => {
    const { Cover, CoverInAnswer } = document.components.schemas;
    expect(Cover?.properties?.parts).toMatchObject({
      description: "Covers that belong to it.",
      items: { $ref: "#/components/schemas/Cover" },
    });
    // The answer's schema is less strict at every level.
    expect(Cover?.additionalProperties).toBe(false);
    expect(CoverInAnswer?.additionalProperties).toBeUndefined();
    expect(CoverInAnswer?.properties?.parts?.items).toEqual({
      $ref: "#/components/schemas/CoverInAnswer",
    });
  });

  it("the OpenAPI document names each alternative of a union, regardless of the order of declarations", () => {
    const { Call, Contact, Letter } = document.components.schemas;
    expect(Contact).toMatchObject({
      description: "How a person is reached.",
      anyOf: [{ $ref: "#/components/schemas/Call" }, { $ref: "#/components/schemas/Letter" }],
    });
    expect(Letter?.properties?.street?.description).toBe("Street and number.");
    expect(Call?.description).toBe("By telephone.");
  });

  it("the OpenAPI document names nullable types, and names a generic type after the type and its argument", () => {
    const { Contract, CoverNoted } = document.components.schemas;
    expect(Contract?.properties?.progress?.anyOf).toEqual([
      { $ref: "#/components/schemas/Progress" },
      { type: "null" },
    ]);
    expect(CoverNoted?.properties?.value).toMatchObject({
      $ref: "#/components/schemas/CoverInAnswer",
    });
    expect(CoverNoted?.required).toEqual(["value"]);
  });

  it("the type of a request keeps its declared name even if an answer with the same type is declared earlier", () => {
    const { Vehicle, VehicleInAnswer } = document.components.schemas;
    expect(Vehicle?.additionalProperties).toBe(false);
    expect(VehicleInAnswer?.additionalProperties).toBeUndefined();
    expect(Vehicle?.properties?.plate?.description).toBe("Its plate.");
  });

  it("a description in the OpenAPI document contains the whole doc comment except the sentence that begins with `Source:`", () => {
    expect(document.components.schemas.Vehicle?.description).toBe(
      "The changeable facts of a vehicle, e.g. its plate. Beware: the year is that of registration.",
    );
    expect(summaryOf("Finds a brand by its code, e.g. TOY, or by name. Slowly.")).toBe(
      "Finds a brand by its code, e.g. TOY, or by name",
    );
  });

  it.each([
    ["the example", contract, true],
    ["an additional field", { ...contract, more: 1 }, true],
    [
      "an invalid nested field",
      { ...contract, cover: { code: "A", parts: [{ code: 1, parts: [] }] } },
      false,
    ],
    ["a mixture of two alternatives", { ...contract, contact: { by: "CALL", street: "x" } }, false],
    ["a number in place of a text", { ...contract, amounts: { gross: 1 } }, false],
    ["a pair with one value", { ...contract, pair: ["a"] }, false],
    ["a pair with three values", { ...contract, pair: ["a", 1, 2] }, false],
  ])(
    "the OpenAPI document and the declaration both accept or both refuse a value: %s",
    (_, value, right) => {
      const declared = jsonAnswerOf(answerOf(oddProvider.endpoints.readContract, 200) ?? none);
      expect(declared && check(declared, value).valid).toBe(right);
      expect(fits(value)).toBe(right);
    },
  );

  it("the OpenAPI document lists every success status and path parameter, and no body for an endpoint without a body", () => {
    const end = operationCalled("endContract");
    expect(Object.keys(end.responses).filter((code) => code < "300")).toEqual(["200", "202"]);
    expect(end.parameters?.map(({ in: place, name }) => `${place} ${name}`)).toEqual([
      "path contractNumber",
      "header Idempotency-Key",
    ]);
    expect(end.requestBody).toBeUndefined();
    expect(end.summary).toBe("Ends a contract: at once, or later");
    const list = operationCalled("listCovers").responses["200"];
    expect(list).toMatchObject({
      content: {
        "application/json": { schema: { items: { $ref: "#/components/schemas/CoverInAnswer" } } },
      },
    });
  });

  it("the OpenAPI document describes in words and as data how to request the pages of a search", () => {
    const { description, responses, "x-paging": paging } = operationCalled("searchCovers");
    expect(paging).toBe(oddProvider.endpoints.searchCovers.paging);
    expect(description).toBe(
      "A paged list, newest first. Omit `cursor` for the first page. For the next page, send the value in the header `next-cursor` of the answer unchanged; if there is none, the page is the last. `count` is the maximum number of items on a page. Default: 10. Maximum: 50. The items are at `/found`. The total number of items is in the header `x-total-count`.",
    );
    expect(responses["200"]).toMatchObject({
      headers: { "next-cursor": {}, "x-total-count": {} },
      content: { "application/json": { schema: { $ref: "#/components/schemas/CoverPage" } } },
    });
  });

  it("the OpenAPI document describes how a query contains lists and objects, and lists the declared headers", () => {
    const { parameters = [] } = operationCalled("renewCovers");
    expect(
      parameters.map(({ explode, in: place, name, style }) => ({ place, name, style, explode })),
    ).toEqual([
      { place: "query", name: "codes", style: "form", explode: true },
      { place: "query", name: "years", style: "form", explode: false },
      { place: "query", name: "period", style: "deepObject", explode: true },
      { place: "header", name: "x-agent" },
      { place: "header", name: "Idempotency-Key" },
    ]);
    expect(parameters[1]?.schema).not.toHaveProperty("x-joined");
    expect(parameters[3]).toMatchObject({ description: "The agent's code.", required: true });
  });

  it("the OpenAPI document describes the type, headers and text of each success status, and no content for an answer without body", () => {
    const { responses } = operationCalled("renewCovers");
    expect(responses["200"]).toMatchObject({
      headers: { "x-total": { schema: { type: "integer" } } },
      content: {
        "application/json": { schema: { items: { $ref: "#/components/schemas/CoverInAnswer" } } },
      },
    });
    expect(responses["202"]).toMatchObject({
      description: expect.stringMatching(/^Accepted/),
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/VehicleInAnswer" } },
      },
    });
    expect(responses["204"]).not.toHaveProperty("content");
  });

  it.each([
    [
      "send lists, objects and headers in the same form as this project's client",
      "renewCovers",
      '"x-agent": "A 1"',
      ["renewals?codes=A&codes=B%20%26%20C&years=1%2C2&period%5Bfrom%5D=2026", "x-agent"],
    ],
    [
      "in every language encode a path parameter",
      "endContract",
      'contractNumber: "Α/1 & co\'s \\"x\\""',
      ["contracts/%CE%91%2F1%20%26%20co%27s%20%22x%22"],
    ],
  ])("the code snippets %s", (_, name, typescriptPart, parts) => {
    const deployment = { segment: "odd-provider", address: "https://gateway.example/x" };
    const [typescript, ...others] = snippetsOf(placedOperation(name), document, deployment);
    expect(typescript?.source).toContain(typescriptPart);
    for (const { label, source } of others)
      for (const part of parts)
        expect(source.replaceAll("co's", "co%27s"), label).toMatch(
          new RegExp(part.replaceAll(/[?%]/g, String.raw`\$&`), "i"),
        );
  });
});
