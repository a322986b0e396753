import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder with the given files. The end of the test removes the folder. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

/** The contents of a provider package for tests. */
export interface PackageParts {
  readonly contract?: number;
  readonly endpoints?: object;
  /** Additional fields of package.json. */
  readonly manifest?: object;
}

/**
 * Returns the files of a provider package.
 * @param place - the package's folder
 */
export function providerFiles(
  place: string,
  name: string,
  { contract = 2, endpoints = {}, manifest = {} }: PackageParts = {},
): Record<string, string> {
  const id = name.replace(/^.*\//, "");
  const declared = { contract, id, name: `The ${id}`, lines: ["motor", "life"], endpoints };
  return {
    [`${place}/package.json`]: JSON.stringify({
      name,
      type: "module",
      exports: { ".": "./index.js", "./package.json": "./package.json" },
      ...manifest,
    }),
    [`${place}/index.js`]: `export const provider = ${JSON.stringify(declared)};`,
  };
}

/** Returns the files of an installed provider package. */
export function installedFiles(id: string, parts?: PackageParts): Record<string, string> {
  return providerFiles(`node_modules/@insurance-gateway/${id}`, `@insurance-gateway/${id}`, parts);
}

/** Returns a declaration of a lookup without input. */
export function lookupDeclaration(id: string, path = "/things"): object {
  return {
    kind: "lookup",
    provider: id,
    method: "GET",
    path,
    response: { 200: { media: {} } },
  };
}
