import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changedSources, faultsOfTags } from "../src/changed-sources.ts";
import type { WorkspacePackage } from "../src/workspace.ts";

const NAME = "@insurance-gateway/reference";
const path = "packages/reference";
const manifest = { name: NAME, version: "1.0.0", dependencies: { zod: "^4.0.0" } };
let root: string;
let found: WorkspacePackage;

function git(...parameters: readonly string[]): void {
  execFileSync("git", parameters, { cwd: root });
}

/** Commits a file with a text. */
function commit(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  git("add", "--all");
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  git(...author, "commit", "--quiet", "--no-gpg-sign", "--no-verify", "-m", "A change");
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "changed-sources-"));
  found = { name: NAME, path, folder: join(root, path), manifest };
  git("init", "--quiet");
  commit("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

it("follows what a package publishes from its tag, or from what a changeset explains", () => {
  const file = `${path}/package.json`;
  commit(file, JSON.stringify(manifest, null, 2));
  expect(faultsOfTags(root, [found])).toEqual([]);
  commit(`${path}/src/index.ts`, "export {};");
  expect(faultsOfTags(root, [found])).toEqual([
    {
      reason: expect.stringContaining(`${NAME}@1.0.0 is published, and the repository has no tag`),
      remedy: expect.stringContaining("git fetch --tags"),
    },
  ]);
  git("tag", `${NAME}@1.0.0`);
  expect(faultsOfTags(root, [found])).toEqual([]);

  commit(`${path}/test/index.test.ts`, "export {};");
  commit(file, JSON.stringify({ ...manifest, scripts: { test: "vitest" } }, null, 2));
  expect(changedSources(root, found)).toEqual([]);
  commit(file, JSON.stringify({ ...manifest, dependencies: {} }, null, 2));
  expect(changedSources(root, found)).toEqual([file]);
  commit(`${path}/browser/page.ts`, "export {};");
  expect(changedSources(root, found)).toEqual([`${path}/browser/page.ts`, file]);

  commit(".changeset/words.md", `---\n"${NAME}": none\n---\n\nOther words in comments.\n`);
  expect(changedSources(root, found)).toEqual([]);
  rmSync(join(root, ".changeset/words.md"));
  commit(`${path}/README.md`, "Versions are made of the changesets.");
  expect(changedSources(root, found)).toEqual([]);
  commit(`${path}/src/index.ts`, "export const later = 1;");
  expect(changedSources(root, found)).toEqual([`${path}/src/index.ts`]);
});

it("follows the ranges of the catalog that a manifest names, and no other line of it", () => {
  const listed = {
    ...manifest,
    version: "1.1.0",
    dependencies: { pg: "catalog:old", zod: "catalog:" },
  };
  const workspace = (zod: string, pg: string, vitest: string): string =>
    `catalog:\n  vitest: ${vitest}\n  zod: ${zod}\ncatalogs:\n  old:\n    pg: ${pg}\n`;
  const file = "pnpm-workspace.yaml";
  commit(file, workspace("^4.0.0", "^7.0.0", "^5.0.0"));
  commit(`${path}/package.json`, JSON.stringify(listed));
  git("tag", `${NAME}@1.1.0`);
  const current = { ...found, manifest: listed };
  commit(file, workspace("^4.0.0", "^7.0.0", "^6.0.0"));
  expect(changedSources(root, current)).toEqual([]);
  commit(file, workspace("^4.1.0", "^7.0.0", "^6.0.0"));
  expect(changedSources(root, current)).toEqual([`${file} (zod ^4.0.0 → ^4.1.0)`]);
  git("tag", "--force", `${NAME}@1.1.0`);
  commit(file, workspace("^4.1.0", "^8.0.0", "^6.0.0"));
  expect(changedSources(root, current)).toEqual([`${file} (pg ^7.0.0 → ^8.0.0)`]);
  git("tag", "--force", `${NAME}@1.1.0`);
  commit(
    file,
    workspace("^4.1.0", "^8.0.0", "^6.0.0").replace("  zod", "  minisearch: ^7.0.0\n  zod"),
  );
  expect(changedSources(root, current)).toEqual([]);
  const bundling = (range: string): string =>
    JSON.stringify({ ...listed, devDependencies: { minisearch: range, vitest: range } });
  commit(`${path}/package.json`, bundling("catalog:"));
  expect(changedSources(root, current)).toEqual([
    `${path}/package.json (minisearch none → ^7.0.0)`,
  ]);
  git("tag", "--force", `${NAME}@1.1.0`);
  commit(`${path}/package.json`, bundling("^7.0.0"));
  expect(changedSources(root, current)).toEqual([]);
  commit(`${path}/package.json`, bundling("^8.0.0"));
  expect(changedSources(root, current)).toEqual([
    `${path}/package.json (minisearch ^7.0.0 → ^8.0.0)`,
  ]);
  git("tag", "--force", `${NAME}@1.1.0`);
  commit(`${path}/package.json`, JSON.stringify(listed));
  expect(changedSources(root, current)).toEqual([
    `${path}/package.json (minisearch ^8.0.0 → none)`,
  ]);
  commit(".changeset/newer.md", `---\n"${NAME}": none\n---\n\nUsers have it already.\n`);
  expect(changedSources(root, current)).toEqual([]);
});
