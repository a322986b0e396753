import { execFileSync } from "node:child_process";
import type { Refusal } from "./refusal.ts";

/** Returns the hash of the checked-out commit. */
export function headOf(root: string): string {
  return git(root, "rev-parse", "HEAD").trim();
}

/** Returns refusals for files that differ from the commit, and for another checked-out commit than at the start. */
export function faultsOfTree(root: string, head: string): readonly Refusal[] {
  const files = git(root, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3));
  const listed = files.slice(0, 5).join(", ");
  const changed = {
    reason: `The work tree differs from the last commit: ${listed}${files.length > 5 ? ", …" : ""}.`,
    remedy: "Commit the files or remove them, so that the published packages can be built again.",
  };
  const current = headOf(root);
  const moved = {
    reason: `The release began at the commit ${head}, and ${current} is checked out now.`,
    remedy: "Release again, and do not change the work tree during the release.",
  };
  return [...(files.length > 0 ? [changed] : []), ...(current === head ? [] : [moved])];
}

function git(root: string, ...parameters: readonly string[]): string {
  return execFileSync("git", parameters, { cwd: root, encoding: "utf8" });
}
