import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, tryOut } from "../src/try-out.ts";
import { publishedPackages } from "../src/workspace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const packages = publishedPackages(root);

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

describe("a release of everything", () => {
  it.each(packages.map(({ name }, index) => [name, index] as const))(
    "installs and uses %s",
    (_, index) => {
      const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" });
      const one = packed[index] ?? expect.unreachable();
      expect(tryOut(one, packed, join(folder, String(index)), registry.trim())).toEqual([]);
    },
  );
});
