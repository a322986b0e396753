import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameProvider } from "../src/naming.ts";
import { newPackage } from "../src/template.ts";
import { filesOf, program } from "./harness/repository.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "create-provider-"));
  for (const [path, text] of [
    ["package.json", '{ "name": "a-workspace" }'],
    ["pnpm-workspace.yaml", "packages: [packages/*]"],
    ["apps/gateway/package.json", "{}"],
    ["packages/provider-a/package.json", "{}"],
  ] as const) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in the temporary workspace. */
function create(...parameters: readonly string[]): Ended {
  return spawnSync(process.execPath, [program, ...parameters], { cwd: folder, encoding: "utf8" });
}

describe("pnpm new:provider", () => {
  it("pnpm new:provider writes only the package, and prints the next steps", () => {
    const before = filesOf(folder);
    const { status, stderr, stdout } = create("provider-x");
    expect([status, stderr]).toEqual([0, ""]);
    const after = filesOf(folder);
    const written = newPackage(nameProvider("provider-x"));
    const inPackage = [...written].map(([path, text]) => [`packages/provider-x/${path}`, text]);
    expect(Object.fromEntries(after)).toEqual(Object.fromEntries([...before, ...inPackage]));
    for (const step of ["pnpm install", "docs/adding-a-provider.md", '"private"', "npm start"])
      expect(stdout).toContain(step);
  });

  it("pnpm new:provider accepts a display name and another folder", () => {
    mkdirSync(join(folder, "insurers"));
    expect(create("acme", "--name", "Acme Life", "--directory", "insurers").status).toBe(0);
    const provider = filesOf(join(folder, "insurers", "acme")).get("src/provider.ts");
    expect(provider).toContain('name: "Acme Life"');
  });

  it.each([
    [["provider-a"], "packages/provider-a exists already. Choose another id"],
    [["gateway"], "apps/gateway exists already. Choose another id"],
    [["health"], "a path of the gateway's own"],
    [["Provider-X"], "cannot be a provider's id"],
    [["provider-x", "--directory", "nowhere"], "Run this in the repository's root"],
    [[], "missing required argument 'id'"],
  ])(
    "pnpm new:provider rejects wrong arguments with a message and writes nothing: %j",
    (parameters, words) => {
      const before = filesOf(folder);
      const { status, stderr } = create(...parameters);
      expect(status).toBe(1);
      expect(stderr).toContain(words);
      expect(stderr).not.toContain("    at ");
      expect(filesOf(folder)).toEqual(before);
    },
  );
});
