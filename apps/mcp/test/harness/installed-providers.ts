import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder with these files; it is removed at the end of the test. */
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

/** The declarations of a test's provider package. */
export interface PackageParts {
  readonly contract?: number;
  readonly endpoints?: object;
  /** Fields of its package.json. */
  readonly manifest?: object;
}

/**
 * The files of a provider package.
 * @param place - its folder
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

/** The files of a provider package that npm has installed. */
export function installed(id: string, parts?: PackageParts): Record<string, string> {
  return providerFiles(`node_modules/@insurance-gateway/${id}`, `@insurance-gateway/${id}`, parts);
}

/** An endpoint without input. */
export function lookup(id: string, path = "/things"): object {
  return {
    kind: "lookup",
    provider: id,
    method: "GET",
    path,
    response: { 200: { media: {} } },
  };
}
