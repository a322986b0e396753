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

/** The files below some paths that a commit has changed since a tag; none without the tag. */
export function changedSince(
  root: string,
  tag: string,
  paths: readonly string[],
): readonly string[] {
  if (!hasTag(root, tag)) return [];
  return git(root, "diff", "--name-only", `refs/tags/${tag}`, "HEAD", "--", ...paths)
    .split("\n")
    .filter((line) => line !== "");
}

/** Tags a commit, unless the repository has the tag. */
export function tagCommit(root: string, tag: string, commit: string): void {
  if (!hasTag(root, tag)) git(root, "tag", tag, commit);
}

function git(root: string, ...parameters: readonly string[]): string {
  return execFileSync("git", parameters, { cwd: root, encoding: "utf8" });
}
