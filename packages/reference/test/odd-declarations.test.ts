import { fileURLToPath } from "node:url";
import { check } from "@insurance-gateway/core/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { summaryOf } from "../src/documentation/documentation.ts";
import { readDocumentation } from "../src/documentation/read-documentation.ts";
import { type Operation, operationsOf, providerDocument, snippetsOf } from "../src/index.ts";
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
const document = providerDocument({
  provider: oddProvider,
  package: { name: "odd-provider", version: "1.0.0" },
  documentation: readDocumentation(
    fileURLToPath(new URL("./odd-provider", import.meta.url)),
    Object.keys(oddProvider.endpoints),
  ),
  examples: {
    readContract: { usual },
    endContract: { usual },
    readVehicle: {},
    changeVehicle: {},
    orderCover: {},
    listCovers: { usual: { summary: "All", request: {}, response: [contract.cover] } },
  },
});

function operation(name: string): Operation {
  const found = operationsOf(document).find(({ operation: each }) => each.operationId === name);
  if (found === undefined) throw new TypeError(`${name} is not there`);
  return found.operation;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "document", ...document });
const fits = ajv.compile({ $ref: "document#/components/schemas/Contract" });

describe("a document of what the five providers do not use", () => {
  it("has a type that holds itself once, referring to itself", () => {
    const { Cover, CoverInAnswer } = document.components.schemas;
    expect(Cover?.properties?.parts).toMatchObject({
      description: "Covers that belong to it.",
      items: { $ref: "#/components/schemas/Cover" },
    });
    // The answer's is less strict, all the way down.
    expect(Cover?.additionalProperties).toBe(false);
    expect(CoverInAnswer?.additionalProperties).toBeUndefined();
    expect(CoverInAnswer?.properties?.parts?.items).toEqual({
      $ref: "#/components/schemas/CoverInAnswer",
    });
  });

  it("names each of several alternatives, whatever order they are declared in", () => {
    const { Call, Contact, Letter } = document.components.schemas;
    expect(Contact).toMatchObject({
      description: "How a person is reached.",
      oneOf: [{ $ref: "#/components/schemas/Call" }, { $ref: "#/components/schemas/Letter" }],
    });
    expect(Letter?.properties?.street?.description).toBe("Street and number.");
    expect(Call?.description).toBe("By telephone.");
  });

  it("names what can be null, and a generic type with what it is of", () => {
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

  it("calls the request's type by its name, though an answer with the same type stands before it", () => {
    const { Vehicle, VehicleInAnswer } = document.components.schemas;
    expect(Vehicle?.additionalProperties).toBe(false);
    expect(VehicleInAnswer?.additionalProperties).toBeUndefined();
    expect(Vehicle?.properties?.plate?.description).toBe("Its plate.");
  });

  it("says all that a comment says, without where it comes from", () => {
    expect(document.components.schemas.Vehicle?.description).toBe(
      "What can be changed of a vehicle, e.g. its plate. Beware: the year is that of registration.",
    );
    expect(summaryOf("Finds a brand by its code, e.g. TOY, or by name. Slowly.")).toBe(
      "Finds a brand by its code, e.g. TOY, or by name",
    );
  });

  it.each([
    ["as it is", contract, true],
    ["with a field of the insurer's own", { ...contract, more: 1 }, true],
    [
      "with a part of a part that is wrong",
      { ...contract, cover: { code: "A", parts: [{ code: 1, parts: [] }] } },
      false,
    ],
    [
      "with an alternative that mixes two",
      { ...contract, contact: { by: "CALL", street: "x" } },
      false,
    ],
    ["with an amount that is a number", { ...contract, amounts: { gross: 1 } }, false],
    ["with one number of two", { ...contract, pair: ["a"] }, false],
    ["with three", { ...contract, pair: ["a", 1, 2] }, false],
  ])("means what the declaration means: %s", (_, value, right) => {
    const declared = oddProvider.endpoints.readContract.response[200];
    expect(declared && check(declared, value).valid).toBe(right);
    expect(fits(value)).toBe(right);
  });

  it("has every success status, parameters of the path, and no body where there is none", () => {
    const end = operation("endContract");
    expect(Object.keys(end.responses).filter((code) => code < "300")).toEqual(["200", "202"]);
    expect(end.parameters?.map(({ in: place, name }) => `${place} ${name}`)).toEqual([
      "path contractNumber",
      "header Idempotency-Key",
    ]);
    expect(end.requestBody).toBeUndefined();
    expect(end.summary).toBe("Ends a contract: at once, or later");
    const list = operation("listCovers").responses["200"];
    expect(list).toMatchObject({
      content: {
        "application/json": { schema: { items: { $ref: "#/components/schemas/CoverInAnswer" } } },
      },
    });
  });

  it("has snippets whose address has the parameter encoded, in every language", () => {
    const placed = operationsOf(document).find(
      ({ operation: each }) => each.operationId === "endContract",
    );
    if (placed === undefined) throw new TypeError("It is not there");
    const deployment = { segment: "odd-provider", address: "https://gateway.example/x" };
    const [typescript, ...others] = snippetsOf(placed, document, deployment);
    expect(typescript?.source).toContain('contractNumber: "Α/1 & co\'s \\"x\\""');
    for (const { label, source } of others)
      expect(source.replaceAll("co's", "co%27s"), label).toContain(
        "contracts/%CE%91%2F1%20%26%20co%27s%20%22x%22",
      );
  });
});
