import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getReleasePlan } from "@changesets/get-release-plan";
import { ReleaseRefused, refuse } from "./refusal.ts";
import { type ReleaseRequest, release } from "./release.ts";
import { dependenciesOf, peersOfProviders, publishedPackages } from "./workspace.ts";

/**
 * Publishes what the waiting changesets change, under a dist-tag and versions such as `1.2.0-next-20261123120000`. It
 * happens in a work tree of its own, so that no version of a snapshot gets into a commit.
 * @throws ReleaseRefused as a release does, and when no changeset waits
 */
export async function releaseSnapshot(request: ReleaseRequest): Promise<readonly string[]> {
  const { root, tag } = request;
  refuse(
    /^[a-z][a-z0-9]*$/.test(tag) && tag !== "latest"
      ? []
      : [
          {
            reason: `${tag} names no snapshot.`,
            remedy: "Use lower case letters, such as `next`.",
          },
        ],
  );
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-snapshot-"));
  const copy = join(folder, "repository");
  const run = (program: string, ...parameters: readonly string[]): void => {
    execFileSync(program, parameters, { cwd: copy, stdio: ["ignore", "ignore", "pipe"] });
  };
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", copy], { cwd: root });
  try {
    run("pnpm", "install", "--frozen-lockfile", "--prefer-offline");
    for (const name of await peersToAdd(copy)) addChangeset(copy, name);
    run("changeset", "version", "--snapshot", tag);
    run("git", "add", "--all");
    run(
      "git",
      "-c",
      "user.name=snapshot",
      "-c",
      "user.email=snapshot@localhost",
      "commit",
      "--quiet",
      "--no-verify",
      "--message",
      `Snapshot ${tag}`,
    );
    return await release({ ...request, root: copy });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ReleaseRefused) throw error;
    throw new ReleaseRefused([
      {
        reason: `The snapshot fails: ${error.message}`,
        remedy: "Correct it, then repeat the command.",
      },
    ]);
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", copy], { cwd: root });
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The peers of providers that are not part of a snapshot and need a peer that is: what is released of them has no
 * snapshot in its ranges, so that npm would refuse to install it beside one.
 */
async function peersToAdd(root: string): Promise<readonly string[]> {
  const { releases } = await getReleasePlan(root);
  const isPart = (name: string): boolean =>
    releases.some((release) => release.name === name && release.type !== "none");
  const parts = peersOfProviders.filter(isPart);
  return publishedPackages(root)
    .filter(({ name }) => peersOfProviders.includes(name) && !isPart(name))
    .filter(({ manifest }) => dependenciesOf(manifest).some((name) => parts.includes(name)))
    .map(({ name }) => name);
}

function addChangeset(root: string, name: string): void {
  const file = join(root, ".changeset", `snapshot-${name.replace(/^.*\//, "")}.md`);
  writeFileSync(file, `---\n"${name}": patch\n---\n\nRuns beside the snapshot of its peers.\n`);
}
