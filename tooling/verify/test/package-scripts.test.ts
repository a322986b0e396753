import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const manifests = globSync("{packages,apps,tooling}/*/package.json", { cwd: repository });

function scriptsOf(manifest: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(repository, manifest), "utf8")).scripts ?? {};
}

describe("the scripts of a package", () => {
  it.each(manifests)(
    "a package has scripts that test and lint only this package: %s",
    (manifest) => {
      expect(scriptsOf(manifest)).toMatchObject({
        test: `vitest run --root ../.. --project fast --passWithNoTests ${dirname(manifest)}/`,
        lint: "biome ci --reporter=summary . && oxlint --type-aware --deny-warnings .",
      });
    },
  );
});

describe("the version of pnpm", () => {
  it("package.json, the bootstrap script and the Dockerfile name the same version of pnpm", () => {
    const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
    const pnpm = `pnpm@${manifest.devDependencies.pnpm}`;
    expect(manifest.packageManager).toBe(pnpm);
    const dockerfile = readFileSync(join(repository, "deploy/Dockerfile"), "utf8");
    for (const text of [manifest.scripts.bootstrap, dockerfile])
      expect(text).toContain(`npx --yes ${pnpm} install`);
  });
});
