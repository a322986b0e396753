import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { GuardedFolder } from "./guarded-folder.ts";
import type { Installation } from "./installation.ts";

/** The files and settings of a server. */
export interface Cluster {
  readonly installation: Installation;
  readonly folder: GuardedFolder;
  readonly settings: Readonly<Record<string, string>>;
}

/** A started server, which may have ended. */
export interface ServerProcess {
  readonly id: number;
  isRunning(): boolean;
  /** Resolves when the server has ended. */
  whenEnded(): Promise<void>;
}

/** Maximum start time, in milliseconds. */
const readyWithin = 30_000;

/** Creates the data of a new, empty server in the folder. */
export async function createCluster(cluster: Cluster, password: string): Promise<void> {
  const { folder, installation } = cluster;
  const passwordFile = join(folder.path, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = installation.account ?? {};
  if (uid !== undefined && gid !== undefined)
    for (const path of [folder.path, passwordFile]) chownSync(path, uid, gid);
  const running = promisify(execFile)(
    join(installation.programs, "initdb"),
    [
      `--pgdata=${join(folder.path, "data")}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-sync",
    ],
    spawnOptions(cluster),
  );
  folder.watch(running.child.pid);
  await running.finally(() => folder.watch(undefined));
}

/** Starts a server on the data and waits until it accepts connections. */
export async function startServer(cluster: Cluster, port: number): Promise<ServerProcess> {
  const { folder } = cluster;
  const child = spawnServer(cluster, port);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      folder.watch(undefined);
      resolve();
    });
  });
  folder.watch(child.pid);
  await once(child, "spawn");
  if (child.pid === undefined) throw new Error("PostgreSQL was spawned without a process id");
  await waitUntilReady(child, folder.path);
  return {
    id: child.pid,
    isRunning: () => isRunning(child),
    whenEnded() {
      child.ref();
      return ended;
    },
  };
}

function spawnServer(cluster: Cluster, port: number): ChildProcess {
  const { folder, installation } = cluster;
  const settings = {
    max_connections: "100",
    shared_buffers: "16MB",
    // The shared memory is in the data folder, so a killed server leaves nothing elsewhere.
    dynamic_shared_memory_type: "mmap",
    ...cluster.settings,
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder.path,
  };
  // The log is a file: a pipe would keep this process alive and would close together with it.
  const log = openSync(join(folder.path, "log"), "w");
  const child = spawn(
    join(installation.programs, "postgres"),
    [
      "-D",
      join(folder.path, "data"),
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    { ...spawnOptions(cluster), stdio: ["ignore", log, log], detached: true },
  );
  closeSync(log);
  child.unref();
  return child;
}

/**
 * Returns the options for `spawn`. The working folder is the server's folder, because the server's user may have no
 * access to the working folder of this process.
 */
function spawnOptions({ folder, installation: { account, environment } }: Cluster): {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
} {
  return { cwd: folder.path, env: environment, ...account };
}

async function waitUntilReady(child: ChildProcess, folder: string): Promise<void> {
  const started = Date.now();
  while (!saysReady(child, folder)) {
    const late = Date.now() - started > readyWithin;
    if (late || !isRunning(child)) {
      const problem = late ? `was not ready after ${readyWithin} ms` : "ended before it was ready";
      throw new Error(`PostgreSQL ${problem}:\n${readFileSync(join(folder, "log"), "utf8")}`);
    }
    await setTimeout(10);
  }
}

/** Reports whether the server is ready, from its lock file, which `pg_ctl` also reads. */
function saysReady(child: ChildProcess, folder: string): boolean {
  try {
    const lines = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
    return lines[0] === String(child.pid) && lines[7]?.trim() === "ready";
  } catch {
    return false; // The file does not exist yet.
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
