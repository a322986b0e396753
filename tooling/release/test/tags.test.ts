import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { release } from "../src/release.ts";

const PUSH = "Push the tags of the versions: `git push --tags`";
const server = createServer((request, response) => {
  if (request.url !== "/@insurance-gateway%2fcore") return void response.writeHead(404).end();
  const dist = { tarball: "http://127.0.0.1:9/", integrity: "sha512-" };
  const versions = { "1.0.0": { dist } };
  response.end(JSON.stringify({ "dist-tags": { latest: "1.0.0" }, versions }));
});
let root: string;
/** A registry that has core 1.0.0, and nothing else. */
let registry: string;
let lines: string[];

function git(...parameters: readonly string[]): void {
  execFileSync("git", parameters, { cwd: root });
}

/** Commits a package without a build. */
function addPackage(name: string): void {
  const folder = join(root, "packages", name);
  mkdirSync(folder, { recursive: true });
  const manifest = { name: `@insurance-gateway/${name}`, version: "1.0.0" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  git("add", "--all");
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  git(...author, "commit", "--quiet", "--no-gpg-sign", "--no-verify", "-m", "A package");
}

function releaseAll(): Promise<readonly string[]> {
  const report = (line: string): void => void lines.push(line);
  return release({ root, registry, isDryRun: false, tag: "latest", hasIdentity: false, report });
}

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("TCP has a port");
  registry = `http://127.0.0.1:${address.port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "release-tags-"));
  lines = [];
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset/config.json"), "{}");
  writeFileSync(join(root, "package.json"), '{ "name": "root", "private": true }');
  writeFileSync(join(root, "pnpm-workspace.yaml"), "packages:\n  - packages/*\n");
  git("init", "--quiet");
  addPackage("core");
  return () => rmSync(root, { recursive: true, force: true });
});

it("asks for a push of the tags that it added, also when there is nothing to release", async () => {
  expect(await releaseAll()).toEqual([]);
  expect(lines).toContain("Tagged @insurance-gateway/core@1.0.0, which is published already");
  expect(lines).toContain(PUSH);
  lines = [];
  await releaseAll();
  expect(lines).not.toContain(PUSH);
});

it("asks for a push of the tags that it added before it failed", async () => {
  addPackage("broken");
  await expect(releaseAll()).rejects.toThrow("The build fails");
  expect(lines).toContain("Tagged @insurance-gateway/core@1.0.0, which is published already");
  expect(lines.at(-1)).toBe(PUSH);
});
