import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { importProvider } from "../src/import-provider.ts";
import { packageFiles } from "../src/package-files.ts";
import { developmentRanges, runtimeRanges, soapRanges } from "../src/standalone.ts";
import { sample } from "./sample.ts";

const repository = new URL("../../../", import.meta.url);
const imported = importProvider({ provider: "provider-x", ...sample, all: false });

const documents = fileURLToPath(new URL("documents/", import.meta.url));
const soap = { from: `${documents}claims.wsdl`, overlay: `${documents}claims.overlay.yaml` };

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, repository)), "utf8");
}

it("an imported package for use outside the gateway's repository contains no reference to this repository", () => {
  const files = packageFiles(
    { id: "provider-x", packageName: "@broker/provider-x" },
    imported,
    new Map(),
  );
  for (const [path, text] of files)
    expect(text, path).not.toMatch(/catalog:|workspace:|presets|\.\.\/\.\.\/|gateway\/provider-x/);
  expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({
    name: "@broker/provider-x",
    private: true,
    exports: { "./adapter": { types: "./dist/adapter.d.ts", default: "./dist/adapter.js" } },
    peerDependencies: { "@insurance-gateway/core": "^1.0.0" },
  });
});

it.each([
  { where: "outside this repository", packageName: "@broker/provider-x", development: "^5.12.1" },
  { where: "inside this repository", development: "catalog:" },
])(
  "an imported package $where depends on the XML parser only if the insurer uses SOAP",
  ({ development, where: _where, ...names }) => {
    const manifest = (files: ReadonlyMap<string, string>): object =>
      JSON.parse(files.get("package.json") ?? "");
    const id = "provider-x";
    const claims = importProvider({ provider: id, ...soap, all: false });
    const files = packageFiles({ id, ...names }, claims, new Map());
    expect(files.get("src/adapter.ts")).toContain('"@insurance-gateway/adapter/soap"');
    expect(manifest(files)).toMatchObject({
      peerDependencies: { "@insurance-gateway/core": "^1.0.0", "fast-xml-parser": "^5.12.1" },
      peerDependenciesMeta: {
        "@insurance-gateway/adapter": { optional: true },
        "fast-xml-parser": { optional: true },
      },
      devDependencies: {
        "@insurance-gateway/testkit": expect.any(String),
        "fast-xml-parser": development,
      },
    });
    const rest = packageFiles({ id, ...names }, imported, new Map());
    expect(rest.get("package.json")).not.toContain("fast-xml-parser");
  },
);

it.each(["provider x", "@broker", "../provider-x", "Provider-X", ""])(
  "the importer rejects a package name that is not valid: %j",
  (packageName) => {
    const provider = { id: "provider-x", packageName };
    expect(() => packageFiles(provider, imported, new Map())).toThrow("name of a package");
  },
);

it("an imported package has the same dependency ranges as the packages in the gateway's repository", () => {
  const { catalog }: { catalog: Readonly<Record<string, string>> } = parse(
    read("pnpm-workspace.yaml"),
  );
  for (const [name, range] of Object.entries({
    ...developmentRanges,
    ...runtimeRanges,
    ...soapRanges,
  })) {
    const [, own] = /^@insurance-gateway\/(.*)$/.exec(name) ?? [];
    const expected =
      own === undefined
        ? catalog[name]?.replace(/^npm:.*@/, "")
        : `^${JSON.parse(read(`packages/${own}/package.json`)).version.split(".")[0]}.0.0`;
    expect(range, name).toBe(expected);
  }
});
