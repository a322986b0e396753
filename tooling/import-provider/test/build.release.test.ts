import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { importedPackages } from "./imported-packages.ts";
import { documentFile } from "./sample.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** Imports a document, runs a program in the package that is written, and gives what it prints when it fails. */
function faultsOf(document: object, ...command: readonly string[]): string {
  const { packages, remove } = importedPackages([{ from: documentFile(document), all: true }]);
  onTestFinished(remove);
  const [{ folder, imported } = { folder: "", imported: { losses: [] } }] = packages;
  expect(imported.losses.filter(({ severity }) => severity === "lost")).toEqual([]);
  const programs = [join(folder, "node_modules/.bin"), join(repository, "node_modules/.bin")];
  const env = { ...process.env, PATH: [...programs, process.env.PATH].join(delimiter) };
  const [program = "", ...parameters] = command;
  const { status, stderr, stdout } = spawnSync(program, parameters, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** A document with one operation, whose answer has a schema, and which can send it. */
function documentWith(schema: object, schemas: object = {}): object {
  const content = { "application/json": { schema } };
  return {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths: {
      "/a": {
        post: {
          operationId: "sendA",
          requestBody: { required: true, content },
          responses: { 200: { description: "OK", content } },
        },
      },
    },
    components: { schemas },
  };
}

const named = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const kind = (...values: readonly string[]): object => ({
  type: "object",
  required: ["kind"],
  properties: { kind: { type: "string", enum: values }, [values.join("")]: { type: "string" } },
});

describe("the package that is written of a schema", () => {
  it.each<[what: string, schema: object, schemas?: object]>([
    [
      "that lists some values of a text",
      {
        type: "object",
        properties: {
          open: { anyOf: [{ type: "string" }, { type: "string", enum: ["a", "b"] }] },
          number: { anyOf: [{ type: "number" }, { enum: [1, 2] }] },
        },
      },
    ],
    [
      "without fields",
      {
        type: "object",
        properties: { none: { type: "object", properties: {}, additionalProperties: false } },
      },
    ],
    [
      "of any JSON",
      named("Json"),
      {
        Json: {
          oneOf: [
            { type: "string" },
            { type: "array", items: named("Json") },
            { type: "object", additionalProperties: named("Json") },
          ],
        },
      },
    ],
    [
      "with a discriminator that has a value twice",
      { oneOf: [named("A"), named("B")], discriminator: { propertyName: "kind" } },
      { A: kind("x"), B: { ...kind("x"), properties: { kind: { enum: ["x"] }, b: {} } } },
    ],
    [
      "with a discriminator that may have other values",
      { oneOf: [named("A"), named("B")], discriminator: { propertyName: "kind" } },
      { A: kind("a"), B: kind("b") },
    ],
    [
      "whose alternatives have the same values",
      { type: "object", properties: { one: kind("a", "b"), other: kind("a", "b") } },
    ],
  ])("%s is built: its types are those of its schemas", (_what, schema, schemas) => {
    const build = join(repository, "tooling/presets/build-provider.ts");
    expect(faultsOf(documentWith(schema, schemas), process.execPath, build)).toBe("");
  });
});

it("a package with Greek names and unusual spaces is written as the linter and the formatter want it", () => {
  const property = { type: "string", description: "The\u00a0name\u2003of a customer" };
  const { paths, ...document } = Object(
    documentWith({ type: "object", properties: { ονομα: property, "a-b": property } }),
  );
  const terms = { responses: { 200: { description: "OK", content: { "application/pdf": {} } } } };
  const all = { ...document, paths: { ...paths, "/terms": { get: terms } } };
  const lint = `biome ci --config-path=${repository} --vcs-enabled=false . && oxlint --deny-warnings -c ${repository}/.oxlintrc.json src`;
  expect(faultsOf(all, "sh", "-c", lint)).toBe("");
});
