import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  developmentToken,
  makeGatewayFolder,
  makeStoreOnce,
} from "@insurance-gateway/running-gateway";

/** A server in a separate process. */
export interface Server {
  readonly origin: string;
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** A measured server. */
export interface Variant extends Server {
  readonly name: string;
  /** A token of the gateway's development issuer; other proxies ignore tokens. */
  readonly token: string;
}

/** The options with which a server starts. */
export interface ServerSettings {
  readonly command: readonly string[];
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** The file descriptor for the server's output. Default: the output is discarded. */
  readonly log?: number;
  /** A path that answers with 2xx when the server is ready. Default: a connection to the port is enough. */
  readonly readiness?: string;
  /** True if the benchmark exchanges messages with the process. */
  readonly hasChannel?: boolean;
  /** The processor core on which the server runs. Default: 0. */
  readonly core?: 0 | 1;
}

/**
 * True if the machine can pin processes to cores. Then core 0 runs only the measured process, and core 1 the insurer
 * and the load.
 */
const canPin =
  availableParallelism() > 1 && spawnSync("taskset", ["-c", "0,1", "true"]).status === 0;

/** Returns a command that runs the given command on one core. */
export function pinnedCommand(core: 0 | 1, command: readonly string[]): readonly string[] {
  return canPin ? ["taskset", "-c", String(core), ...command] : command;
}

const thisCheckout = fileURLToPath(new URL("../../../../", import.meta.url));
const SOURCES = "--conditions=@insurance-gateway/source";

/** Makes a signal end the benchmark by `process.exit`, so that the benchmark's servers also end. */
export function endServersOnSignal(): void {
  // Each server adds a listener for the end of the benchmark.
  process.setMaxListeners(0);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("A server that listens on TCP has an address with a port");
}

/**
 * Starts a server and waits until it is ready.
 * @throws an Error with the command if the server ends before it is ready
 */
export async function startServer(settings: ServerSettings): Promise<Server> {
  const { command, core = 0, environment, folder, hasChannel, log = "ignore", port } = settings;
  const origin = `http://127.0.0.1:${port}`;
  const [program = "", ...parameters] = pinnedCommand(core, command);
  const child = spawn(program, parameters, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: hasChannel === true ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
  });
  // The benchmark kills the server even if the benchmark itself fails.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command.join(" ")} ended with ${code}`)));
  });
  // Only the start awaits this promise.
  failed.catch(() => undefined);
  await Promise.race([failed, untilReady(settings.readiness ?? origin, settings, child)]);
  return {
    origin,
    pid: child.pid ?? 0,
    child,
    async stop() {
      process.removeListener("exit", kill);
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Starts the simulated insurer of all works on the core of the load. */
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

/** The version and the settings of a gateway to start. */
export interface GatewaySettings {
  readonly name: string;
  /** The folder of a built checkout. Default: this checkout. */
  readonly checkout?: string;
  /** Options of Node.js in addition to those of the checkout's `npm start`. */
  readonly options?: readonly string[];
  /** Settings for each provider. */
  readonly provider?: object;
  /** The URL of a PostgreSQL database. Default: the gateway uses SQLite. */
  readonly databaseUrl?: string;
  /** True if the gateway may refuse requests when it is overloaded. */
  readonly hasOverload?: boolean;
  /** True if the benchmark exchanges messages with the process. */
  readonly hasChannel?: boolean;
}

/** Starts a gateway with everything on: tokens, validation, a store, limits, metrics and a log file. */
export async function startGateway(insurer: string, settings: GatewaySettings): Promise<Variant> {
  const { checkout = thisCheckout, databaseUrl, hasChannel, hasOverload, name } = settings;
  const folder = makeGatewayFolder(
    {
      ...(hasOverload === true ? {} : withoutOverload),
      providers: ["a", "b", "c", "d", "e"].map((letter) => ({
        package: `@insurance-gateway/provider-${letter}`,
        ...providerSettings(insurer),
        ...settings.provider,
      })),
    },
    checkout,
  );
  const token = await developmentToken(folder.path);
  const [port, operationsPort] = [await freePort(), await freePort()];
  const log = join(folder.path, "log");
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const { options, program } = startCommandOf(checkout);
  await makeStoreOnce(folder.path, database, program);
  const server = await startServer({
    command: [process.execPath, ...options, ...(settings.options ?? []), program, "serve"],
    port,
    environment: {
      ...memoryEnvironment,
      ...database,
      PORT: String(port),
      OPERATIONS_PORT: String(operationsPort),
    },
    folder: folder.path,
    log: openSync(log, "a"),
    readiness: `http://127.0.0.1:${operationsPort}/health/ready`,
    ...(hasChannel === true ? { hasChannel } : {}),
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

/** Returns the options of Node.js and the program that `npm start` of a checkout uses. */
function startCommandOf(checkout: string): {
  readonly options: readonly string[];
  readonly program: string;
} {
  const manifest: { readonly scripts?: { readonly start?: string } } = JSON.parse(
    readFileSync(join(checkout, "package.json"), "utf8"),
  );
  const [, words = ""] = /exec node (.*) serve\b/.exec(manifest.scripts?.start ?? "") ?? [];
  const [program = "", ...options] = words.split(" ").toReversed();
  return { options: options.toReversed(), program: join(checkout, program) };
}

/** Settings that switch off load shedding, because load shedding would react to a busy machine. */
const withoutOverload = {
  overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
};

/** The settings of a provider with the simulated insurer and with limits that are never reached. */
function providerSettings(insurer: string): object {
  return {
    upstream: { baseUrl: insurer, adapter: "declared", credentials: { type: "none" } },
    callerLimit: { requests: 1_000_000, windowSeconds: 1 },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
    bulkhead: { running: 64, queued: 1_024, queueMs: 10_000 },
  };
}

/** The environment for glibc in the image (`deploy/Dockerfile`), used for the gateway and the proxies on Node.js. */
export const memoryEnvironment = {
  MALLOC_ARENA_MAX: "2",
} as const;

async function untilReady(
  address: string,
  { readiness }: ServerSettings,
  child: ChildProcess,
): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(address).catch(() => null);
    await answer?.body?.cancel();
    if (answer !== null && (answer.ok || readiness === undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
