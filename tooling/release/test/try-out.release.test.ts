import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Packed, tryOut } from "../src/try-out.ts";
import { publishedPackages } from "../src/workspace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Packages with optional peers of others and with a program among the entry points, and what these are installed with. */
const tried = ["provider-c", "sandbox"] as const;
const packages = publishedPackages(root).filter(({ name }) =>
  ["core", "adapter", ...tried].some((needed) => name === `@insurance-gateway/${needed}`),
);

let folder: string;
let packed: readonly Packed[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "try-out-"));
  packed = packages.map((found) => {
    const tarball = join(folder, `${found.path.replaceAll("/", "-")}.tgz`);
    execFileSync("pnpm", ["pack", "--out", tarball], { cwd: found.folder });
    return { found, version: found.manifest.version, tarball };
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it.each(tried)("a release installs and uses %s, all entry points of it", (name) => {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" });
  const one = packed.find(({ found }) => found.name === `@insurance-gateway/${name}`);
  const into = join(folder, name);
  expect(tryOut(one ?? expect.unreachable(), packed, into, registry.trim())).toEqual([]);
});
