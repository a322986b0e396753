import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { makeGuardedFolder } from "../src/guarded-folder.ts";

const guard = fileURLToPath(new URL("../src/guard.sh", import.meta.url));

type Started = ChildProcessByStdio<Writable, Readable, null>;

/** The code of a process that starts a guard for a folder and a process id, like a test. */
const owner = `
  const { spawn } = await import("node:child_process");
  const [guard, folder, id] = process.argv.slice(1);
  const child = spawn("sh", [guard, folder], { stdio: ["pipe", "inherit", "inherit"], detached: true });
  child.stdin.write(id + "\\n", () => console.log("guarded"));
`;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "running-postgres-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a process that the end of the test kills. */
function startNode(script: string, ...parameters: readonly string[]): Started {
  const started = spawn(
    process.execPath,
    ["--input-type=module", "-e", script, "--", ...parameters],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void started.kill("SIGKILL"));
  return started;
}

/** Starts a process that exits normally at the end of its input unless a signal ends it. */
function startBystander(...parameters: readonly string[]): Started {
  return startNode("process.stdin.resume()", ...parameters);
}

/** Ends the input of the process. Returns the signal that ended the process; null if the process exited by itself. */
async function endingOf(bystander: Started): Promise<unknown> {
  const ended = once(bystander, "exit");
  bystander.stdin.end();
  return (await ended)[1];
}

/** Puts a program into a new folder at the start of PATH and returns the folder. */
function putOnPath(name: string, script: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), script);
  chmodSync(join(folder, name), 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  return folder;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a guard process ends the guarded process and removes that process's folder if the process that started the guard is killed", async () => {
  const folder = temporaryFolder();
  const guarded = startBystander(folder);
  const owning = startNode(owner, guard, folder, String(guarded.pid));
  await once(owning.stdout, "data");
  expect(existsSync(folder)).toBe(true);
  // The guard inherits the output of the process that started the guard, so the event `close` proves that the guard
  // has also ended.
  const ended = Promise.all([once(guarded, "exit"), once(owning, "close")]);
  guarded.kill("SIGSTOP");
  owning.kill("SIGKILL");
  expect(await ended).toEqual([
    [null, "SIGQUIT"],
    [null, "SIGKILL"],
  ]);
  expect(existsSync(folder)).toBe(false);
});

test("a guard process does not signal a process that reuses the id of the guarded process", async () => {
  const folder = temporaryFolder();
  const bystander = startBystander();
  await once(bystander, "spawn");
  const guarding = spawn("sh", [guard, folder]);
  guarding.stdin.end(`${bystander.pid}\n`);
  expect(await once(guarding, "close")).toEqual([0, null]);
  expect(existsSync(folder)).toBe(false);
  expect(await endingOf(bystander)).toBeNull();
});

test("a guard process without a process id signals no process, regardless of the guard's environment variables", async () => {
  const folder = temporaryFolder();
  const bystander = startBystander(folder);
  await once(bystander, "spawn");
  const env = { ...process.env, process: String(bystander.pid) };
  const guarding = spawn("sh", [guard, folder], { env });
  guarding.stdin.end();
  expect(await once(guarding, "close")).toEqual([0, null]);
  expect(await endingOf(bystander)).toBeNull();
});

test("a guard process does not inherit the environment variables of the test", async () => {
  const folder = putOnPath("sh", `#!/bin/sh\nenv >"\${0%/*}/variables"\nexec /bin/sh "$@"\n`);
  vi.stubEnv("CANARY", "1");
  await makeGuardedFolder().remove();
  const variables = readFileSync(join(folder, "variables"), "utf8");
  expect(variables).toMatch(/^PATH=/m);
  expect(variables).not.toMatch(/^CANARY=/m);
});

/**
 * The code of a test whose guard ends early: the guard's `sh` writes its process id into a file and exits, and then
 * the test writes to the guard.
 */
const survivor = `
  const { existsSync, readFileSync } = await import("node:fs");
  const [folders, processes, file] = process.argv.slice(1);
  const { makeGuardedFolder } = await import(folders);
  const { statesOf } = await import(processes);
  const folder = makeGuardedFolder();
  while (!existsSync(file));
  const id = Number(readFileSync(file, "utf8"));
  while (statesOf([id])[0] !== "Z");
  folder.watch(1);
  await folder.remove().catch((error) => console.log(error.message));
`;

test("a test continues if the guard process of a temporary folder has ended early, but the removal of the folder then fails", async () => {
  const folder = putOnPath(
    "sh",
    `#!/bin/sh\necho $$ >"\${0%/*}/new"\nmv "\${0%/*}/new" "\${0%/*}/id"\nexit 3\n`,
  );
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const modules = ["../src/guarded-folder.ts", "../src/process-family.ts"].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const surviving = startNode(survivor, ...modules, join(folder, "id"));
  const [said, ended] = await Promise.all([
    surviving.stdout.setEncoding("utf8").toArray(),
    once(surviving, "close"),
  ]);
  expect(ended).toEqual([0, null]);
  const [left = "nothing"] = readdirSync(temporary);
  expect(said.join("")).toBe(`Could not remove ${join(temporary, left)}\n`);
});
