import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import { type JsonSchema, operationsOf } from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import {
  CATALOGUE_FILE,
  makeDocuments,
  makeOwnDocument,
  writeCatalogue,
} from "../src/documents.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const documents = await makeDocuments(root);
const own = await makeOwnDocument(root);

describe.each([own, ...documents])("$file", ({ document, file, source, text }) => {
  it("a committed openapi.json matches the declarations and comments of the package (`npm run openapi` writes the file)", () => {
    const committed = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    expect(committed).toBe(text);
  });

  it("a committed openapi.json contains exactly the declared endpoints", () => {
    const written = operationsOf(document).map(
      ({ method, operation, path }) => `${operation.operationId} ${method} ${path}`,
    );
    const { endpoints, id } = source.provider;
    const declared = Object.entries(endpoints).map(
      ([name, { method, path }]) => `${name} ${method} ${id === "" ? "" : `/${id}`}${path}`,
    );
    expect(written.toSorted()).toEqual(declared.toSorted());
  });

  it("a committed openapi.json describes every operation, parameter and field", () => {
    const silent = [
      ...operationsOf(document).flatMap(({ operation }) => [
        ...(operation.description === "" || operation.summary === operation.operationId
          ? [operation.operationId]
          : []),
        ...(operation.parameters ?? [])
          .filter(({ description = "" }) => description === "")
          .map(({ name }) => `${operation.operationId} ${name}`),
      ]),
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
        ...silentFields(name, schema),
        ...((schema.description ?? "") === "" ? [name] : []),
      ]),
    ];
    expect(silent).toEqual([]);
  });

  it("a committed openapi.json has an example of each body, each required parameter and each JSON answer", () => {
    for (const { operation } of operationsOf(document)) {
      const { parameters = [], requestBody, responses } = operation;
      const sent = requestBody?.content["application/json"];
      if (requestBody !== undefined) expect(Object.keys(sent?.examples ?? {})).not.toEqual([]);
      for (const parameter of parameters.filter(({ required }) => required === true))
        expect(Object.keys(parameter.examples ?? {})).not.toEqual([]);
      for (const response of Object.values(responses)) {
        const [content] = "content" in response ? Object.values(response.content ?? {}) : [];
        if (content !== undefined && content.schema.contentMediaType === undefined)
          expect(Object.keys(content.examples ?? {})).not.toEqual([]);
      }
    }
  });

  it("an OpenAPI document that the gateway serves states the outcomes of every problem and has Idempotency-Key only for submissions", () => {
    const { responses } = document.components;
    for (const [name, response] of Object.entries(responses))
      expect(Object.keys(response["x-outcome"] ?? {}), name).not.toEqual([]);
    for (const { operation } of operationsOf(document)) {
      const endpoint = source.provider.endpoints[operation.operationId];
      const names = (operation.parameters ?? []).map(({ name }) => name);
      const acts = endpoint !== undefined && kindPolicies[endpoint.kind].actsAtInsurer;
      expect(names.includes("Idempotency-Key")).toBe(acts);
      expect(operation["x-acts-at-insurer"]).toBe(acts);
    }
  });
});

describe("all committed documents", () => {
  it("the committed docs/catalogue.md matches the OpenAPI documents (`npm run openapi` writes the file)", () => {
    expect(readFileSync(join(root, CATALOGUE_FILE), "utf8")).toBe(writeCatalogue(documents));
  });

  it("every provider with an endpoint has a committed openapi.json", () => {
    // A provider without endpoints is private.
    const released = globSync("packages/provider-*/package.json", { cwd: root }).filter(
      (file) => !readFileSync(join(root, file), "utf8").includes('"private": true'),
    );
    expect(documents.map(({ file }) => file)).toEqual(
      released.map((file) => file.replace("package.json", "openapi.json")).toSorted(),
    );
  });
});

function silentFields(place: string, schema: JsonSchema): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    // A referenced schema has its own description.
    ...(property.description === undefined && !referred(property) ? [`${place}.${name}`] : []),
    ...silentFields(`${place}.${name}`, property),
  ]);
  return [...own, ...(schema.items === undefined ? [] : silentFields(`${place}[]`, schema.items))];
}

function referred({ $ref, anyOf = [] }: JsonSchema): boolean {
  return $ref !== undefined || anyOf.some((member) => member.$ref !== undefined);
}
