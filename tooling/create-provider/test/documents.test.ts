import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameProvider } from "../src/naming.ts";
import { firstEndpointFiles, newPackage } from "../src/template.ts";
import { writePackage } from "../src/write-package.ts";
import { adapterRow } from "./adapter-lines.ts";
import { readInstructions } from "./harness/documents.ts";
import { repository } from "./harness/repository.ts";

/**
 * Checks with git that a patch applies to the files of a folder. Throws an error with git's message if the patch does
 * not apply.
 */
function tryPatch(folder: string, patch: string): string {
  return execFileSync("git", ["apply", "--check", "-"], {
    cwd: folder,
    input: patch,
    encoding: "utf8",
  });
}

describe("docs/adding-an-endpoint.md", () => {
  const { files, patch } = readInstructions("adding-an-endpoint.md");

  it("docs/adding-an-endpoint.md shows a schema, an endpoint, an example and a sandbox handler that the repository does not have", () => {
    expect([...files.keys()]).toEqual([
      "packages/provider-a/src/schemas/model.ts",
      "packages/provider-a/src/endpoints/list-models.ts",
      "packages/provider-a/src/examples/list-models.ts",
      "packages/provider-a/src/sandbox/handlers/list-models.ts",
    ]);
    for (const path of files.keys()) expect(existsSync(join(repository, path)), path).toBe(false);
  });

  it("the patch in docs/adding-an-endpoint.md applies to the present provider-a", () => {
    expect(() => tryPatch(repository, patch)).not.toThrow();
  });
});

describe("docs/adding-a-provider.md", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "adding-a-provider-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("the patch in docs/adding-a-provider.md applies to the present output of `new:provider`", () => {
    mkdirSync(join(folder, "packages"));
    const names = nameProvider("provider-x");
    const files = new Map([...newPackage(names), ...firstEndpointFiles(names)]);
    writePackage(join(folder, "packages"), "provider-x", files);
    const { patch } = readInstructions("adding-a-provider.md");
    expect(() => tryPatch(folder, patch)).not.toThrow();
  });

  it("docs/adding-a-provider.md shows an adapter and the dialect of the provider's sandbox", () => {
    expect([...readInstructions("adding-a-provider.md").files.keys()]).toEqual([
      "packages/provider-x/src/adapter.ts",
      "packages/provider-x/src/sandbox/dialect.ts",
    ]);
  });

  it("the table in docs/adding-a-provider.md has the present line counts of the five adapters", () => {
    const document = readFileSync(join(repository, "docs", "adding-a-provider.md"), "utf8");
    const rows = [...document.matchAll(/^\| (provider-[a-e]) \| ([^|]+) \| \d.*$/gm)];
    expect(rows).toHaveLength(5);
    for (const [row, id = "", dialect = ""] of rows) expect(row).toBe(adapterRow(id, dialect));
  });
});
