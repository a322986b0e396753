import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** The packages of the small repository, and the folders that build and release them. */
const folders = [
  "packages/core",
  "packages/adapter",
  "packages/provider-a",
  "packages/provider-d",
  "packages/reference",
  "packages/testkit",
  "tooling/presets",
  "tooling/release",
  "tooling/contract-diff",
  // The guides, which the build of the reference package needs.
  "docs/*.md",
];

/** The result of a command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A copy of this repository in a separate folder and Git repository, with a few packages and no changesets. */
export interface SmallRepository {
  readonly folder: string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Replaces a text in a file; throws if the file does not contain the text. */
  replace(path: string, text: string, by: string): void;
  /** Adds another package of this repository. */
  add(path: string): void;
  /** Adds a changeset for a package, named without the scope. */
  addChangeset(name: string, bump: string, text: string): void;
  commit(): void;
  /** Runs a program in the repository's folder, or in the folder `path`. */
  run(command: readonly [string, ...string[]], path?: string): Ended;
  /** Runs a program and returns its output; throws with the output if the exit code is not 0. */
  succeed(command: readonly [string, ...string[]], path?: string): string;
}

/** Copies the files, installs the dependencies and commits. */
export function smallRepository(folder: string, environment: NodeJS.ProcessEnv): SmallRepository {
  const bin = [join(folder, "node_modules/.bin"), join(repository, "node_modules/.bin")];
  const env = { ...environment, PATH: `${bin.join(":")}:${process.env.PATH}` };
  let changesets = 0;
  const copy: SmallRepository = {
    folder,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    replace(path, text, by) {
      const before = copy.read(path);
      if (!before.includes(text)) throw new Error(`${path} has no ${text}`);
      copy.write(path, before.replace(text, by));
    },
    add: (path) => copyTracked(path, folder),
    addChangeset(name, bump, text) {
      changesets += 1;
      const head = `---\n"@insurance-gateway/${name}": ${bump}\n---\n`;
      copy.write(`.changeset/change-${changesets}.md`, `${head}\n${text}\n`);
    },
    commit() {
      copy.succeed(["git", "add", "--all"]);
      const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
      copy.succeed(["git", ...author, "commit", "--quiet", "--no-gpg-sign", "-m", "A change"]);
    },
    run([program, ...parameters], path = ".") {
      const ended = spawnSync(program, parameters, {
        cwd: resolve(folder, path),
        env,
        encoding: "utf8",
        maxBuffer: 50_000_000,
      });
      return { code: ended.status, output: `${ended.stdout}${ended.stderr}` };
    },
    succeed(command, path) {
      const { code, output } = copy.run(command, path);
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}`);
      return output;
    },
  };
  mkdirSync(folder, { recursive: true });
  for (const path of ["*.json", "*.yaml", ".gitignore", ".pnpmfile.mjs", "LICENSE"])
    copyTracked(path, folder);
  for (const path of [".changeset/config.json", ...folders]) copy.add(path);
  copy.succeed(["git", "init", "--quiet"]);
  copy.succeed(["pnpm", "install", "--no-frozen-lockfile", "--prefer-offline"]);
  copy.commit();
  return copy;
}

/** Copies the files that Git tracks or would add; built files are not among them. */
function copyTracked(path: string, folder: string): void {
  const listed = execFileSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", `:(glob)${path}`, path],
    { cwd: repository, encoding: "utf8" },
  );
  const depth = path.split("/").length;
  for (const file of new Set(listed.split("\0")))
    if (file !== "" && (path.includes("/") || file.split("/").length === depth))
      cpSync(join(repository, file), join(folder, file), { errorOnExist: false });
}
