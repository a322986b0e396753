import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { developmentToken, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import type { LoadOrder, LoadResult } from "./load-process.ts";
import type { ProcessReport } from "./report-usage.ts";

/** A server that is measured, in a process of its own. */
export interface Variant {
  readonly name: string;
  readonly origin: string;
  /** Of the gateway's development issuer; the bare proxy looks at none. */
  readonly token: string;
  readonly pid: number;
  report(): Promise<ProcessReport>;
  stop(): Promise<void>;
}

const usage = ["--import", fileURLToPath(new URL("report-usage.ts", import.meta.url))];

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("A server that listens on TCP has an address with a port");
}

/** Starts the insurer; gives its address and what ends it. */
export async function startInsurer(): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child = fork(fileURLToPath(new URL("insurer-process.ts", import.meta.url)), {
    env: environmentOf({ PORT: String(port) }),
  });
  await once(child, "message");
  return { origin: `http://127.0.0.1:${port}`, stop: () => end(child) };
}

/** Starts the bare proxy before an insurer. */
export async function startBare(insurer: string): Promise<Variant> {
  const port = await freePort();
  const child = fork(fileURLToPath(new URL("bare-process.ts", import.meta.url)), {
    env: environmentOf({ PORT: String(port), INSURER: insurer }),
    execArgv: [...usage],
  });
  await once(child, "message");
  return variantOf("bare", port, "", child, () => end(child));
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
}

/** Starts a gateway with everything on before an insurer: tokens, checks, SQLite, limits, metrics, its log in a file. */
export async function startGateway(insurer: string, settings: GatewaySettings): Promise<Variant> {
  const folder = makeGatewayFolder({
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
    providers: ["a", "b", "c", "d", "e"].map((letter) => ({
      package: `@insurance-gateway/provider-${letter}`,
      upstream: { baseUrl: insurer, adapter: "declared" },
      callerLimit: { requests: 1_000_000, windowSeconds: 1 },
      // A busy machine is not what is measured.
      breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
      bulkhead: { running: 64, queued: 64, queueMs: 10_000 },
      ...settings.provider,
    })),
  });
  const token = await developmentToken(folder.path);
  const [port, operationsPort] = [await freePort(), await freePort()];
  const checkout = settings.checkout ?? fileURLToPath(new URL("../../../../", import.meta.url));
  const program = settings.fromSources === true ? "src/main.ts" : "bin/insurance-gateway.js";
  const log = openSync(join(folder.path, "log"), "a");
  const child = fork(join(checkout, "apps/gateway", program), ["serve"], {
    cwd: folder.path,
    env: environmentOf({ PORT: String(port), OPERATIONS_PORT: String(operationsPort) }),
    execArgv: [
      ...usage,
      ...(settings.fromSources === true ? ["--conditions=@insurance-gateway/source"] : []),
      ...(settings.options ?? []),
    ],
    stdio: ["ignore", log, log, "ipc"],
  });
  const isReady = await readiness(`http://127.0.0.1:${operationsPort}/health/ready`, child);
  if (!isReady) throw new Error(`The gateway did not start; see ${folder.path}/log`);
  return variantOf(settings.name, port, token, child, async () => {
    child.kill("SIGTERM");
    await end(child);
    folder.remove();
  });
}

async function readiness(address: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

function variantOf(
  name: string,
  port: number,
  token: string,
  child: ChildProcess,
  stop: () => Promise<void>,
): Variant {
  return {
    name,
    origin: `http://127.0.0.1:${port}`,
    token,
    pid: child.pid ?? 0,
    async report() {
      child.send("report");
      const [{ report }] = await once(child, "message");
      return report as ProcessReport;
    },
    stop,
  };
}

/** Sends requests from a process of their own. */
export async function send(order: LoadOrder): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)));
  child.send(order);
  const [said] = await once(child, "message");
  child.disconnect();
  if ("failed" in said) throw new Error(said.failed);
  return said.result as LoadResult;
}

function environmentOf(own: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env.PATH ?? "", ...own };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.connected) child.disconnect();
  if (child.exitCode === null) await once(child, "exit");
}
