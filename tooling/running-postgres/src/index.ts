import { randomInt, randomUUID } from "node:crypto";
import { Client } from "pg";
import { makeGuardedFolder } from "./guarded-folder.ts";
import { findInstallation } from "./installation.ts";
import { killFamily, pauseFamily, resumeFamily } from "./process-family.ts";
import { type Cluster, createCluster, type ServerProcess, startServer } from "./server-process.ts";

export { postgresVersion } from "./installation.ts";

/** A real PostgreSQL server for one test. The server ends together with the test's process. */
export interface RunningPostgres {
  /** A connection string to an empty database: postgres://postgres:…@127.0.0.1:PORT/NAME */
  readonly url: string;
  /** Creates another empty database on the same server and returns its connection string. */
  createDatabase(): Promise<string>;
  /** Stops the server in order (fast shutdown) and closes its connections. */
  stop(): Promise<void>;
  /** Starts the server again on the same port with the same data; resolves when it is ready. */
  start(): Promise<void>;
  /** Sends SIGSTOP to the server and all its backends: connections hang, and queries get no answer. */
  pause(): void;
  /** Sends SIGCONT to the server and all its backends. */
  resume(): void;
  /** Sends SIGKILL to the server and all its backends, like a crash. `start()` recovers the data. */
  kill(): Promise<void>;
  /** Ends the server in any state, even paused or killed, and removes its data. */
  remove(): Promise<void>;
}

/** Starts a server; `settings` are further server settings as `-c name=value`. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPostgres> {
  const cluster = { installation: findInstallation(), folder: makeGuardedFolder(), settings };
  const password = randomUUID();
  try {
    await createCluster(cluster, password);
    const { port, server } = await startOnFreePort(cluster);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    return runningPostgres(cluster, server, port, url);
  } catch (error) {
    await cluster.folder.remove();
    throw error;
  }
}

function runningPostgres(
  cluster: Cluster,
  first: ServerProcess,
  port: number,
  url: string,
): RunningPostgres {
  let server = first;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server.isRunning()) return;
    process.kill(server.id, signal);
    // A paused server receives the signal only after it is resumed.
    resumeFamily(server.id);
    await server.whenEnded();
  };
  return {
    url,
    createDatabase: () => createDatabase(url),
    stop: () => end("SIGINT"),
    async start() {
      if (server.isRunning()) throw new Error("PostgreSQL is running already");
      server = await startServer(cluster, port);
    },
    pause() {
      if (!server.isRunning()) throw new Error("PostgreSQL is not running");
      pauseFamily(server.id);
    },
    resume() {
      if (server.isRunning()) resumeFamily(server.id);
    },
    async kill() {
      if (!server.isRunning()) return;
      await killFamily(server.id);
      await server.whenEnded();
    },
    async remove() {
      await end("SIGQUIT");
      await cluster.folder.remove();
    },
  };
}

/**
 * Starts a server on a free port below the range from which systems assign ports, so that `start()` finds the port free
 * again.
 */
async function startOnFreePort(
  cluster: Cluster,
): Promise<{ readonly port: number; readonly server: ServerProcess }> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    try {
      return { port, server: await startServer(cluster, port) };
    } catch (error) {
      if (!String(error).includes("Address already in use")) throw error;
    }
  }
}

async function createDatabase(url: string): Promise<string> {
  const name = `test_${randomUUID()}`;
  const client = new Client(url);
  // The query in progress also rejects. An error event without a listener would end the test's process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  return new URL(name, url).href;
}
