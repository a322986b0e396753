import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository } from "./harness/markdown.ts";
import { succeed } from "./harness/run.ts";

/** The fields of a package.json that changesets reads and writes. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The level of a change for a package's users. */
export type ChangesetLevel = "patch" | "minor" | "major";

/** The files of this repository that a release reads, in a separate folder and git repository. */
export interface ReleaseCopy {
  /** Returns the packages by name without scope. */
  packages(): ReadonlyMap<string, Manifest>;
  /** Adds a changeset that names packages without scope. */
  addChangeset(bumps: Readonly<Record<string, ChangesetLevel>>): void;
  /** Runs the real `changeset version`. */
  version(): Promise<void>;
  remove(): void;
}

/** Copies each package.json of the workspace and the files that the tool changesets reads. */
export async function copyForRelease(
  what: "with its changesets" | "without its changesets",
): Promise<ReleaseCopy> {
  const path = mkdtempSync(join(tmpdir(), "insurance-gateway-release-"));
  const manifests = globSync("{packages,apps,tooling}/*/package.json", { cwd: repository });
  const waiting = what === "with its changesets" ? changesetsIn(repository) : [];
  for (const file of [
    "package.json",
    "pnpm-workspace.yaml",
    ".gitignore",
    ".changeset/config.json",
    "tooling/release/src/changelog.ts",
    ...manifests,
    ...waiting,
  ]) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    copyFileSync(join(repository, file), join(path, file));
  }
  symlinkSync(join(repository, "node_modules"), join(path, "node_modules"));
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  await succeed(["git", "init", "--quiet"], { cwd: path });
  await succeed(["git", "add", "--all"], { cwd: path });
  await succeed(["git", ...author, "commit", "--quiet", "--no-gpg-sign", "-m", "So far"], {
    cwd: path,
  });
  const read = (file: string): Manifest =>
    // pnpm has already read this package.json.
    JSON.parse(readFileSync(join(path, file), "utf8")) as Manifest;
  return {
    packages: () =>
      new Map(manifests.map(read).map((found) => [found.name.replace(/^.*\//, ""), found])),
    addChangeset(bumps) {
      const lines = Object.entries(bumps).map(
        ([name, bump]) => `"@insurance-gateway/${name}": ${bump}`,
      );
      const text = `---\n${lines.join("\n")}\n---\n\nA change.\n`;
      const number = changesetsIn(path).length;
      writeFileSync(join(path, ".changeset", `change-${number}.md`), text);
    },
    async version() {
      // The program `changeset version` fails if there is no changeset.
      if (changesetsIn(path).length === 0) return;
      const program = join(repository, "node_modules", ".bin", "changeset");
      await succeed([program, "version"], { cwd: path });
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function changesetsIn(folder: string): readonly string[] {
  return globSync(".changeset/*.md", { cwd: folder }).filter((file) => !file.endsWith("README.md"));
}
