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

/** A program and its parameters. */
export type Command = readonly [string, ...string[]];

/** A copy of the repository as somebody has it who has just cloned it, in a folder of its own. */
export interface WorkspaceCopy {
  readonly path: string;
  /** Runs a command to its end and gives its output; fails with the output when it does. */
  run(...command: Command): string;
  /** Runs a tool of the workspace, as a script of its package.json would. */
  runTool(command: Command, variables?: Readonly<Record<string, string>>): string;
  write(files: ReadonlyMap<string, string>): void;
  /** Applies a patch to the files; fails when they are not what it expects. */
  apply(patch: string): void;
  /** Keeps what has changed so far. */
  commit(): void;
  /** The differences from the clone or from the last kept state, in the form of `git status`. */
  changes(): readonly string[];
  /** Runs `npm start` and waits until it says that it serves. */
  start(): Promise<StartedGateway>;
  /** Ends a sandbox that a killed gateway has left behind, and deletes everything. */
  remove(): Promise<void>;
}

/** A gateway that `npm start` serves. */
export interface StartedGateway {
  readonly address: string;
  /** Sends SIGTERM to everything that `npm start` started and gives the exit code. */
  stop(): Promise<number | null>;
}

/** Copies what git knows or would add, and installs nothing yet. */
export function copyWorkspace(): WorkspaceCopy {
  const path = mkdtempSync(join(tmpdir(), "insurance-gateway-clone-"));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: repository,
    encoding: "utf8",
  });
  for (const file of new Set(listed.split("\0").filter(Boolean))) {
    // A file that is deleted but not committed yet is still listed.
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

/** A sandbox outlives a gateway that was killed, by design; here nobody comes back to it. */
async function endSandbox(path: string): Promise<void> {
  const file = join(path, "data", "sandbox", "address.json");
  if (!existsSync(file)) return;
  const { address } = JSON.parse(readFileSync(file, "utf8"));
  // It may end between the two lines.
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
 * The variables of this test's environment that belong to the npm, pnpm and vitest that run it; with NODE_PATH the copy
 * would find the packages of this repository.
 */
const FOREIGN =
  /^(npm_(?!config_(registry|cache|userconfig|cafile)$)|pnpm_|VITEST|(CI|NODE_ENV|NODE_PATH)$)/i;

/** The environment of somebody who has just cloned the repository. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
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
  // A process group of its own, so that everything `npm start` starts can be stopped.
  const child = spawn("npm", ["start"], { cwd, env: environment(), detached: true });
  const ended = once(child, "close");
  const address = await addressOf(child, ended);
  return {
    address,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      // `close` comes with the exit code, or null after a signal.
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
