import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../src/manifest.ts";
import type { Refusal } from "../src/refusal.ts";
import { type PackedPackage, tryInstallation, useInstalled } from "../src/try-out.ts";
import { publishedPackages } from "../src/workspace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const packages = publishedPackages(root);

let folder: string;
let packed: readonly PackedPackage[];
/** The address of the registry for packages that are not part of this project. */
let registry: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "try-out-"));
  registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  // `prepack` would start turbo for each package, but the suite has just built all.
  const filters = packages.map(({ name }) => `--filter=${name}`);
  const pack = ["--recursive", ...filters, "--config.ignore-scripts=true", "pack"];
  execFileSync("pnpm", [...pack, "--pack-destination", folder], { cwd: root, stdio: "ignore" });
  packed = packages.map((found) => {
    const { version } = found.manifest;
    const file = `${found.name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    return { found, version, tarball: join(folder, file) };
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the JavaScript files of a target in `exports`. */
function filesOf(target: unknown): readonly string[] {
  if (typeof target === "string") return /\.[cm]?js$/.test(target) ? [target] : [];
  return typeof target === "object" && target !== null
    ? Object.values(target).flatMap(filesOf)
    : [];
}

describe.each(packages.map(({ name }) => name))("the test installation of %s", (name) => {
  const into = (): string => join(folder, "installed", name.replace(/.*\//, ""));
  const packedOne = (): PackedPackage =>
    packed.find(({ found }) => found.name === name) ?? expect.unreachable();

  let refusals: readonly Refusal[];
  beforeAll(() => {
    refusals = tryInstallation(packedOne(), packed, into(), registry);
  });

  it("a packed package installs, and the package's entry points and commands work", () => {
    expect(refusals).toEqual([]);
  });

  it("a release is refused if an entry point or a command of an installed package throws", () => {
    const installed = join(into(), "node_modules", name);
    const manifest = readManifest(installed);
    const entries = Object.entries(manifest.exports ?? {}).filter(
      ([entry, target]) => entry !== "./main" && filesOf(target).length > 0,
    );
    const commands = Object.values(manifest.bin ?? {});
    expect(entries.length + commands.length).toBeGreaterThan(0);
    for (const file of [...entries.flatMap(([, target]) => filesOf(target)), ...commands])
      writeFileSync(join(installed, file), 'throw new Error("It is broken");\n');
    const reasons = useInstalled(packedOne(), into()).map(({ reason }) => reason);
    const { version } = manifest;
    expect(reasons).toEqual([
      ...entries.map(([entry]) => `${name} ${version}: ${name}${entry.slice(1)}: It is broken.`),
      ...commands.map((file) => `${name} ${version}: ${file} --help fails: Error: It is broken.`),
    ]);
  });
});

describe("a package that cannot be installed", () => {
  it("a release is refused if npm cannot install one of the packed packages", () => {
    const found = packages[0] ?? expect.unreachable();
    const { name, version } = found.manifest;
    const content = join(folder, "package");
    mkdirSync(content);
    const dependencies = { zod: "^999.0.0" };
    writeFileSync(join(content, "package.json"), JSON.stringify({ name, version, dependencies }));
    const tarball = join(folder, "not-installable.tgz");
    execFileSync("tar", ["-czf", tarball, "-C", folder, "package"]);
    expect(
      tryInstallation({ found, version, tarball }, [], join(folder, "refused"), registry),
    ).toEqual([
      {
        reason: expect.stringMatching(/^@insurance-gateway\/\S+ cannot be installed:.*zod@\^999/s),
        remedy: expect.stringContaining("install it into an empty folder"),
      },
    ]);
  });
});
