import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { repository } from "./harness/repository.ts";

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

/** A copy of the repository in a temporary folder, as after a fresh clone. */
export interface WorkspaceCopy {
  readonly path: string;
  /** Runs a command and returns its output; throws with the output if the command fails. */
  run(...command: Command): string;
  /** Runs a tool of the workspace, as a script of package.json does. */
  runTool(command: Command, variables?: Readonly<Record<string, string>>): string;
  write(files: ReadonlyMap<string, string>): void;
  /** Applies a patch to the files; throws if the patch does not apply. */
  apply(patch: string): void;
  /** Commits all changes. */
  commit(): void;
  /** Returns the changes since the clone or the last commit, in the format of `git status`. */
  changes(): readonly string[];
  /** Runs `npm start` and waits until the gateway prints its address. */
  start(): Promise<StartedGateway>;
  /** Stops a sandbox that a killed gateway has left running, and deletes the copy. */
  remove(): Promise<void>;
}

/** A gateway that `npm start` has started. */
export interface StartedGateway {
  readonly address: string;
  /** Sends SIGTERM to the process group of `npm start` and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Copies all files that git tracks or would add. The copy has no dependencies installed. */
export function copyWorkspace(): WorkspaceCopy {
  const path = mkdtempSync(join(tmpdir(), "insurance-gateway-clone-"));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: repository,
    encoding: "utf8",
  });
  for (const file of new Set(listed.split("\0").filter(Boolean))) {
    // git also lists a file that is deleted but whose deletion is not committed.
    if (!existsSync(join(repository, file))) continue;
    mkdirSync(dirname(join(path, file)), { recursive: true });
    copyFileSync(join(repository, file), join(path, file));
  }
  const run: WorkspaceCopy["run"] = (...command) => runIn(path, command);
  const commit = (): void => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    run("git", "add", "--all");
    run("git", ...author, "commit", "--quiet", "--no-gpg-sign", "--message", "So far");
  };
  run("git", "init", "--quiet");
  commit();
  return {
    path,
    run,
    runTool: (command, variables) =>
      runIn(path, command, { variables: { ...variables, PATH: toolPath(path) } }),
    write(files) {
      for (const [file, text] of files) {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), text, { flag: "wx" });
      }
    },
    apply(patch) {
      runIn(path, ["git", "apply", "-"], { input: patch });
    },
    commit,
    changes: () => run("git", "status", "--porcelain").split("\n").filter(Boolean),
    start: () => startIn(path),
    async remove() {
      await endSandbox(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/**
 * Stops the copy's sandbox. By design, a sandbox continues after its gateway was killed, and no later gateway uses the
 * sandbox of a deleted copy.
 */
async function endSandbox(path: string): Promise<void> {
  const file = join(path, "data", "sandbox", "address.json");
  if (!existsSync(file)) return;
  const { address } = JSON.parse(readFileSync(file, "utf8"));
  // The sandbox may end after its address was read and before this request.
  await fetch(`${address}/-/`, { method: "DELETE" }).catch(() => undefined);
}

interface Extras {
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function runIn(cwd: string, [program, ...parameters]: Command, extras: Extras = {}): string {
  const { status, stderr, stdout } = spawnSync(program, parameters, {
    cwd,
    env: { ...environment(), ...extras.variables },
    encoding: "utf8",
    ...(extras.input === undefined ? {} : { input: extras.input }),
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${parameters.join(" ")} failed:\n${stdout}\n${stderr}`);
}

/**
 * Variables of the npm, pnpm and vitest that run this test. With NODE_PATH the copy would find the packages of this
 * repository.
 */
const FOREIGN_VARIABLES =
  /^(npm_(?!config_(registry|cache|userconfig|cafile)$)|pnpm_|VITEST|(CI|NODE_ENV|NODE_PATH)$)/i;

/** Returns the environment of a user with a fresh clone. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !FOREIGN_VARIABLES.test(name)),
    ),
    PATH: systemPath(),
    TURBO_TELEMETRY_DISABLED: "1",
    PORT: "0",
    OPERATIONS_PORT: "0",
  };
}

function systemPath(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.filter((folder) => !folder.includes("node_modules")).join(delimiter);
}

function toolPath(path: string): string {
  return [join(path, "node_modules", ".bin"), systemPath()].join(delimiter);
}

async function startIn(cwd: string): Promise<StartedGateway> {
  // A separate process group, so that the test can stop all processes of `npm start`.
  const child = spawn("npm", ["start"], { cwd, env: environment(), detached: true });
  const ended = once(child, "close");
  const address = await addressOf(child, ended);
  return {
    address,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      // `close` reports the exit code, or null after a signal.
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

function addressOf(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    const read = (text: Buffer): void => {
      output += text.toString();
      const [, address] = /Insurance Gateway +(http\S+)\n/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    void ended.then(() => reject(new Error(`npm start ended before it served:\n${output}`)));
  });
}
