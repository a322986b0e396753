import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  makeStoreOnce,
} from "@insurance-gateway/running-gateway";

/** A server in a process of its own. */
export interface Server {
  readonly origin: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server that is measured. */
export interface Variant extends Server {
  readonly name: string;
  /** Of the gateway's development issuer; other proxies read none. */
  readonly token: string;
}

/** How a server is started. */
export interface ServerSettings {
  readonly command: readonly string[];
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Where its output goes; nowhere when left out. */
  readonly log?: number;
  /** Answers with 2xx when it serves; without one, a connection to the port is enough. */
  readonly readiness?: string;
  /** What else must hold before it serves. */
  readonly isReady?: () => boolean;
  /** The core it runs on: 0 unless said otherwise; null for all. */
  readonly core?: 0 | 1 | null;
}

/** What is measured has core 0 for itself, the insurer and the load share core 1: where the machine can do so. */
const canPin =
  availableParallelism() > 1 && spawnSync("taskset", ["-c", "0,1", "true"]).status === 0;

/** A command that runs on one core. */
export function pinned(core: 0 | 1 | null, command: readonly string[]): readonly string[] {
  return canPin && core !== null ? ["taskset", "-c", String(core), ...command] : command;
}

const SOURCES = "--conditions=@insurance-gateway/source";

/** Has a signal end the benchmark in a way that also ends its servers. */
export function endServersOnSignal(): void {
  // Each server has a listener for the end of the benchmark.
  process.setMaxListeners(0);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("A server that listens on TCP has an address with a port");
}

/**
 * Starts a server and waits until it serves.
 * @throws an Error with its command when it ends before that
 */
export async function startServer(settings: ServerSettings): Promise<Server> {
  const { command, core = 0, environment, folder, log = "ignore", port } = settings;
  const origin = `http://127.0.0.1:${port}`;
  const [program = "", ...parameters] = pinned(core, command);
  const child = spawn(program, parameters, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", log, log],
  });
  // Also when the benchmark itself fails.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command.join(" ")} ended with ${code}`)));
  });
  // It is awaited only until the server is ready.
  failed.catch(() => undefined);
  await Promise.race([failed, readiness(settings.readiness ?? origin, settings, child)]);
  return {
    origin,
    pid: child.pid ?? 0,
    async stop() {
      process.removeListener("exit", kill);
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Starts the insurer of every work, on the core of the load. */
export async function startInsurer(): Promise<Server> {
  const port = await freePort();
  return startServer({
    command: [
      process.execPath,
      SOURCES,
      fileURLToPath(new URL("insurer-process.ts", import.meta.url)),
    ],
    port,
    environment: { PORT: String(port) },
    core: 1,
  });
}

/** Which gateway is started, and how. */
export interface GatewaySettings {
  readonly name: string;
  /** The folder of a checkout that is built; this one when left out. */
  readonly checkout?: string;
  /** Options of Node. */
  readonly options?: readonly string[];
  /** Whether the sources run instead of what is built: a profile then names them. */
  readonly fromSources?: boolean;
  /** Settings of each provider. */
  readonly provider?: object;
  /** A PostgreSQL database; the gateway uses SQLite when left out. */
  readonly databaseUrl?: string;
  /** How many processes serve: one unless said otherwise; more need PostgreSQL. */
  readonly processes?: number;
  /** As for any server. */
  readonly core?: 0 | 1 | null;
}

/** Starts a gateway with everything on before an insurer: tokens, checks, a store, limits, metrics, its log in a file. */
export async function startGateway(insurer: string, settings: GatewaySettings): Promise<Variant> {
  const configuration = {
    ...withoutOverload,
    providers: ["a", "b", "c", "d", "e"].map((letter) => ({
      package: `@insurance-gateway/provider-${letter}`,
      ...providerBefore(insurer),
      ...settings.provider,
    })),
  };
  const folder = makeGatewayFolder(configuration, settings.checkout);
  return startGatewayIn(folder, settings);
}

/** A busy machine is not what is measured. */
export const withoutOverload = {
  overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
};

/** The settings of a provider before the benchmark's insurer: no limit is reached. */
export function providerBefore(insurer: string): object {
  return {
    upstream: { baseUrl: insurer, adapter: "declared", credentials: { type: "none" } },
    callerLimit: { requests: 1_000_000, windowSeconds: 1 },
    breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
    bulkhead: { running: 64, queued: 1_024, queueMs: 10_000 },
  };
}

/** What the image sets for glibc (`deploy/Dockerfile`). The gateway and the proxies on Node are measured with it. */
export const memoryEnvironment = {
  MALLOC_ARENA_MAX: "2",
} as const;

/** The environment of a gateway that is measured. */
export function gatewayEnvironment(
  port: number,
  operationsPort: number,
  databaseUrl?: string,
): Readonly<Record<string, string>> {
  return {
    ...memoryEnvironment,
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}

/** Starts a gateway in a folder that has its configuration; the folder is removed when it stops. */
export async function startGatewayIn(
  folder: GatewayFolder,
  { checkout, core, databaseUrl, fromSources, name, options = [], processes = 1 }: GatewaySettings,
): Promise<Variant> {
  const token = await developmentToken(folder.path);
  const [port, operationsPort] = [await freePort(), await freePort()];
  const root = checkout ?? fileURLToPath(new URL("../../../../", import.meta.url));
  const program = fromSources === true ? "src/main.ts" : "bin/insurance-gateway.js";
  const conditions = fromSources === true ? [SOURCES] : [];
  const log = join(folder.path, "log");
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  await makeStoreOnce(folder.path, database, join(root, "apps/gateway/bin/insurance-gateway.js"));
  const server = await startServer({
    command: [
      process.execPath,
      ...conditions,
      ...options,
      join(root, "apps/gateway", program),
      "serve",
      ...(processes === 1 ? [] : ["--processes", String(processes)]),
    ],
    port,
    ...(core === undefined ? {} : { core }),
    environment: gatewayEnvironment(port, operationsPort, databaseUrl),
    folder: folder.path,
    log: openSync(log, "a"),
    readiness: `http://127.0.0.1:${operationsPort}/health/ready`,
    // It prints its address when all processes serve.
    isReady: () =>
      processes === 1 || readFileSync(log, "utf8").includes(`http://127.0.0.1:${port}`),
  }).catch((error: unknown) => {
    throw new Error(`The gateway did not start:\n${readFileSync(log, "utf8")}`, { cause: error });
  });
  return {
    ...server,
    name,
    token,
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}

async function readiness(
  address: string,
  settings: ServerSettings,
  child: ChildProcess,
): Promise<void> {
  const { isReady = () => true } = settings;
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(address).catch(() => null);
    await answer?.body?.cancel();
    const serves = answer !== null && (answer.ok || settings.readiness === undefined);
    if (serves && isReady()) return;
    await moment();
  }
}

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
