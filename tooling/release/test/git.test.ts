import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changedSince, faultsOfTree, hasTag, headOf, tagCommit } from "../src/git.ts";

let root: string;

function commit(text: string): string {
  writeFileSync(join(root, "README.md"), text);
  execFileSync("git", ["add", "--all"], { cwd: root });
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const options = ["--quiet", "--no-gpg-sign", "--no-verify", "-m", "A change"];
  execFileSync("git", [...author, "commit", ...options], { cwd: root });
  return headOf(root);
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "release-git-"));
  execFileSync("git", ["init", "--quiet"], { cwd: root });
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

it("keeps a tag where it is, and notices files and commits that came after a release began", () => {
  const released = commit("1.1.0\n");
  const head = commit("More.\n");
  expect(hasTag(root, "core@1.1.0")).toBe(false);
  tagCommit(root, "core@1.1.0", released);
  tagCommit(root, "core@1.1.0", head);
  expect(hasTag(root, "core@1.1.0")).toBe(true);
  const tagged = execFileSync("git", ["rev-parse", "core@1.1.0"], { cwd: root, encoding: "utf8" });
  expect(tagged.trim()).toBe(released);

  expect(changedSince(root, "core@1.1.0", ["README.md"])).toEqual(["README.md"]);
  expect(changedSince(root, "core@1.1.0", ["src"])).toEqual([]);

  expect(faultsOfTree(root, head)).toEqual([]);
  expect(faultsOfTree(root, released)[0]?.reason).toContain(`began at the commit ${released}`);
  execFileSync("git", ["config", "status.showUntrackedFiles", "no"], { cwd: root });
  mkdirSync(join(root, "new"));
  writeFileSync(join(root, "new/file"), "");
  expect(faultsOfTree(root, head)[0]?.reason).toContain("differs from the last commit: new/file.");
});
