import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { packageFiles } from "../src/package-files.ts";
import { importedPackages } from "./imported-packages.ts";
import { documentFile } from "./sample.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** Imports a document, runs a program in the written package, and returns the output if the program fails. */
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

/** Returns a document with one operation whose request and answer have the schema. */
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

describe("building an imported package", () => {
  it.each<[what: string, schema: object, schemas?: object]>([
    [
      "a text with some known values",
      {
        type: "object",
        properties: {
          open: { anyOf: [{ type: "string" }, { type: "string", enum: ["a", "b"] }] },
          number: { anyOf: [{ type: "number" }, { enum: [1, 2] }] },
        },
      },
    ],
    [
      "an object without fields",
      {
        type: "object",
        properties: { none: { type: "object", properties: {}, additionalProperties: false } },
      },
    ],
    [
      "any JSON value",
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
      "a discriminator with the same value for two alternatives",
      { oneOf: [named("A"), named("B")], discriminator: { propertyName: "kind" } },
      { A: kind("x"), B: { ...kind("x"), properties: { kind: { enum: ["x"] }, b: {} } } },
    ],
    [
      "a discriminator with further values",
      { oneOf: [named("A"), named("B")], discriminator: { propertyName: "kind" } },
      { A: kind("a"), B: kind("b") },
    ],
    [
      "two objects with the same values",
      { type: "object", properties: { one: kind("a", "b"), other: kind("a", "b") } },
    ],
  ])(
    "an imported package builds and has the types of the document's schemas if a schema contains: %s",
    (_what, schema, schemas) => {
      const build = join(repository, "tooling/presets/build-provider.ts");
      expect(faultsOf(documentWith(schema, schemas), process.execPath, build)).toBe("");
    },
  );
});

describe.each([
  ["inside this repository", join(repository, "tooling/presets/build-provider.ts"), undefined],
  [
    "outside this repository",
    join(repository, "node_modules/tsup/dist/cli-default.js"),
    "@broker/provider-x",
  ],
] as const)("the built package %s", (_, program, packageName) => {
  it("a built imported package has a separate file for each endpoint and no unused file", () => {
    const answer = (name: string): object => ({
      responses: {
        200: {
          description: "OK",
          content: {
            "application/json": {
              schema: { type: "object", properties: { [name]: named("Shared") } },
            },
          },
        },
      },
    });
    const from = documentFile({
      openapi: "3.1.0",
      info: { title: "Test", version: "1" },
      paths: {
        "/first": { get: { operationId: "readFirst", ...answer("first") } },
        "/second": { get: { operationId: "readSecond", ...answer("second") } },
      },
      components: { schemas: { Shared: { type: "string", enum: ["shared"] } } },
    });
    const { packages, remove } = importedPackages([{ from, all: true }]);
    onTestFinished(remove);
    const [{ folder, imported } = expect.unreachable()] = packages;
    const files = packageFiles(
      { id: "provider-x", ...(packageName && { packageName }) },
      imported,
      new Map(),
    );
    for (const name of ["tsup.config.ts", "package.json"])
      if (files.has(name)) writeFileSync(join(folder, name), files.get(name) ?? "");
    const programs = [join(folder, "node_modules/.bin"), join(repository, "node_modules/.bin")];
    const { status, stderr } = spawnSync(process.execPath, [program], {
      cwd: folder,
      env: { ...process.env, PATH: [...programs, process.env.PATH].join(delimiter) },
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const dist = join(folder, "dist");
    const all = globSync("**/*.js", { cwd: dist });
    const texts = new Map(all.map((file) => [file, readFileSync(join(dist, file), "utf8")]));
    const withBoth = all.filter((file) =>
      /path: "\/first".*path: "\/second"/s.test(texts.get(file) ?? ""),
    );
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const [, path = ""] of (texts.get(file) ?? "").matchAll(/from\s*"(\.[^"]+)"/g))
        reach(join(dirname(file), path));
    };
    for (const file of ["index", "adapter", "sandbox", "examples/index", "gateway"])
      reach(`${file}.js`);
    expect([...reached].toSorted()).toEqual(all.toSorted());
    expect(withBoth.filter((file) => file.startsWith("chunk-"))).toEqual([]);
  });
});

describe("unusual texts in an imported package", () => {
  it("an imported package with Greek names and unusual spaces passes the linter and the formatter", () => {
    const property = { type: "string", description: "The\u00a0name\u2003of a customer" };
    const { paths, ...document } = Object(
      documentWith({ type: "object", properties: { ονομα: property, "a-b": property } }),
    );
    const terms = { responses: { 200: { description: "OK", content: { "application/pdf": {} } } } };
    const all = { ...document, paths: { ...paths, "/terms": { get: terms } } };
    const lint = `biome ci --config-path=${repository} --vcs-enabled=false . && oxlint --deny-warnings -c ${repository}/.oxlintrc.json src`;
    expect(faultsOf(all, "sh", "-c", lint)).toBe("");
  });
});
