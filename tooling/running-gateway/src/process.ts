import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(
  new URL("../../../apps/cli/bin/insurance-gateway.js", import.meta.url),
);

/** The folder for Node.js's compile cache, which saves most of the start time of a short command. */
const compileCache = fileURLToPath(
  new URL("../../../node_modules/.cache/compiled", import.meta.url),
);

/** Returns the environment of a program that a test starts, without the test's own variables. */
export function programEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...extra };
}

/** The result of a command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built gateway in a separate process. */
export interface GatewayProcess {
  readonly address: string;
  readonly operationsAddress: string;
  /** The address of the reference with the secret for the development token button; empty without a reference. */
  readonly referenceAddress: string;
  readonly child: ChildProcess;
  /** Returns the output so far. */
  output(): string;
  /** Sends SIGTERM or the given signal and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Returns the environment of a command, with free ports. */
function environmentOf(extra: Readonly<Record<string, string>>): Record<string, string> {
  return programEnvironment({ PORT: "0", OPERATIONS_PORT: "0", ...extra });
}

/** Runs the built command and waits for its end. */
export async function runCommand(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd: folder,
    env: environmentOf(environment),
  });
  return endOf(child);
}

/**
 * Creates the store of a folder whose gateway has a real insurer, unless the store exists.
 * @param of - the gateway's program (default: the built program of this checkout). An older program without this
 * command creates its store at its start
 */
export async function makeStoreOnce(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  of: string = program,
): Promise<void> {
  const { DATABASE_URL, GATEWAY_CONFIG = "gateway.config.json", GATEWAY_DATA } = environment;
  const file = resolve(folder, GATEWAY_CONFIG);
  const { data = "data", providers = [] }: GatewayConfiguration = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  if (providers.every(({ upstream }) => upstream === "sandbox")) return;
  const store = resolve(dirname(file), GATEWAY_DATA ?? data, "submissions.sqlite");
  if (DATABASE_URL === undefined && existsSync(store)) return;
  const env = environmentOf(environment);
  await endOf(spawn(process.execPath, [of, "store", "create"], { cwd: folder, env }));
}

/**
 * The part of a gateway's configuration that determines the place of the store and whether the gateway creates the
 * store.
 */
interface GatewayConfiguration {
  readonly data?: string;
  readonly providers?: readonly { readonly upstream?: unknown }[];
}

/**
 * Starts the built gateway in a folder and waits until the gateway prints its address. Before that, creates the store
 * with the command that operators run once.
 */
export async function startGatewayProcess(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  parameters: readonly string[] = [],
): Promise<GatewayProcess> {
  await makeStoreOnce(folder, environment);
  const child = spawn(process.execPath, [program, "serve", ...parameters], {
    cwd: folder,
    env: environmentOf(environment),
  });
  let output = "";
  const ended = endOf(child);
  const address = await new Promise<string>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const [, found] = /Insurance Gateway +(http\S+)/.exec(output) ?? [];
      if (found !== undefined && output.endsWith("\n\n")) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then((end) => reject(new Error(`The gateway ended: ${JSON.stringify(end)}`)));
  });
  const [, operations = ""] = /Operations +(http\S+)/.exec(output) ?? [];
  const [, reference = ""] = /Reference +(http\S+)/.exec(output) ?? [];
  return {
    address,
    operationsAddress: operations,
    referenceAddress: reference,
    child,
    output: () => output,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Returns a token of the folder's development issuer. */
export async function developmentToken(
  folder: string,
  ...parameters: readonly string[]
): Promise<string> {
  const { code, stderr, stdout } = await runCommand(folder, ["token", ...parameters]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Waits for the end of a process and returns its exit code and output. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
}
