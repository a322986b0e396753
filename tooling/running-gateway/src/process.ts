import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(
  new URL("../../../apps/cli/bin/insurance-gateway.js", import.meta.url),
);

/** Node keeps what it has compiled here: most of the time of a short command is its start. */
const compileCache = fileURLToPath(
  new URL("../../../node_modules/.cache/compiled", import.meta.url),
);

/** The environment of a program that a test starts: nothing of the test's own that the program reads. */
export function programEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...extra };
}

/** A command line that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built gateway, serving in a process of its own. */
export interface GatewayProcess {
  readonly address: string;
  readonly operationsAddress: string;
  /** With the secret that the button for a development token needs; empty without a reference. */
  readonly referenceAddress: string;
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends SIGTERM, or the signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** The environment of a command, on any free ports. */
function environmentOf(extra: Readonly<Record<string, string>>): Record<string, string> {
  return programEnvironment({ PORT: "0", OPERATIONS_PORT: "0", ...extra });
}

/** Runs the built command line to its end. */
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
 * Makes the store of a folder whose gateway has a real insurer, unless it has one.
 * @param of - the program of the gateway (default: the built one of this checkout). A program without such a
 * command makes its store when it starts
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

/** The part of a gateway's configuration that says where its store is, and whether it makes one by itself. */
interface GatewayConfiguration {
  readonly data?: string;
  readonly providers?: readonly { readonly upstream?: unknown }[];
}

/**
 * Starts the built gateway in a folder and waits until it says that it serves. Makes the store before, as an operator does
 * once.
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

/** A token of the folder's development issuer. */
export async function developmentToken(
  folder: string,
  ...parameters: readonly string[]
): Promise<string> {
  const { code, stderr, stdout } = await runCommand(folder, ["token", ...parameters]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Waits for a process to end, and gives its exit code and all that it printed. */
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
