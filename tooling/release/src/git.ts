import { execFileSync, spawnSync } from "node:child_process";
import type { Refusal } from "./refusal.ts";

/** The hash of the commit that is checked out. */
export function headOf(root: string): string {
  return git(root, "rev-parse", "HEAD").trim();
}

/** Refuses files that the commit does not have as they are, and another commit than the one that was planned from. */
export function faultsOfTree(root: string, head: string): readonly Refusal[] {
  const files = git(root, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3));
  const listed = files.slice(0, 5).join(", ");
  const changed = {
    reason: `The work tree differs from the last commit: ${listed}${files.length > 5 ? ", …" : ""}.`,
    remedy: "Commit the files or remove them, so that what is published can be built again.",
  };
  const current = headOf(root);
  const moved = {
    reason: `The release began at the commit ${head}, and ${current} is checked out now.`,
    remedy: "Release again, and leave the work tree alone while the release runs.",
  };
  return [...(files.length > 0 ? [changed] : []), ...(current === head ? [] : [moved])];
}

/** Whether the repository has a tag. */
export function hasTag(root: string, tag: string): boolean {
  const parameters = ["rev-parse", "--verify", "--quiet", `refs/tags/${tag}`];
  return spawnSync("git", parameters, { cwd: root }).status === 0;
}

/** The files below some paths that differ between a commit, or a tag, and the one that is checked out. */
export function changedSince(
  root: string,
  commit: string,
  paths: readonly string[],
): readonly string[] {
  return git(root, "diff", "--name-only", commit, "HEAD", "--", ...paths)
    .split("\n")
    .filter((line) => line !== "");
}

/**
 * The last commit that added a line below a path.
 * @param line - a regular expression of Git
 * @param after - only commits after this one
 */
export function lastCommitThatAdds(
  root: string,
  line: string,
  path: string,
  after?: string,
): string | null {
  const range = after === undefined ? "HEAD" : `${after}..HEAD`;
  const commits = git(root, "log", "--format=%H", "-E", "-G", line, range, "--", path)
    .split("\n")
    .filter((commit) => commit !== "");
  const added = new RegExp(line.replace("^", "^\\+"), "m");
  return commits.find((commit) => added.test(git(root, "show", commit, "--", path))) ?? null;
}

/** The text of a file in a commit. */
export function fileAt(root: string, commit: string, path: string): string {
  return git(root, "show", `${commit}:${path}`);
}

/** Whether the repository has only the newest commits of its history. */
export function isShallow(root: string): boolean {
  return git(root, "rev-parse", "--is-shallow-repository").trim() === "true";
}

/** Tags a commit, unless the repository has the tag. */
export function tagCommit(root: string, tag: string, commit: string): void {
  if (!hasTag(root, tag)) git(root, "tag", tag, commit);
}

function git(root: string, ...parameters: readonly string[]): string {
  return execFileSync("git", parameters, { cwd: root, encoding: "utf8" });
}
