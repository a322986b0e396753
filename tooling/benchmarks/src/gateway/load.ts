import { execFile, fork, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pinned } from "./processes.ts";
import { type Work, workNamed } from "./works.ts";

/** What is sent: over each connection one request after the other, as fast as they are answered. */
export interface LoadOrder {
  readonly origin: string;
  readonly token: string;
  readonly work: string;
  /** About so many: wrk runs whole seconds. */
  readonly requests: number;
  readonly connections: number;
  /** How many a second are expected, for wrk's whole seconds. */
  readonly perSecond: number;
}

/** The result; latencies in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** How many different requests there are. */
export const POOL = 10_000;
const KEY = "KEY-OF-THIS-REQUEST-----------------";
/** No run is longer, also when the run before it got no answer on a busy machine. */
const LONGEST_SECONDS = 60;

const hasWrk = spawnSync("wrk", ["-v"]).error === undefined;

/** The load generator that this machine has: wrk, or else autocannon, which needs more of the core that it shares. */
export const generator: "wrk" | "autocannon" = hasWrk ? "wrk" : "autocannon";

/**
 * Sends requests from a process of their own.
 * @throws an Error when a request was not answered as its work says
 */
export async function send(order: LoadOrder): Promise<LoadResult> {
  return hasWrk ? sendWithWrk(order) : sendWithAutocannon(order);
}

async function sendWithWrk(order: LoadOrder): Promise<LoadResult> {
  const seconds = Math.max(1, Math.ceil(order.requests / order.perSecond));
  const folder = mkdtempSync(join(tmpdir(), "benchmark-load-"));
  const file = join(folder, "requests");
  const script = fileURLToPath(new URL("load.lua", import.meta.url));
  try {
    writeFileSync(file, requestFile(order));
    const [program = "", ...parameters] = pinned(1, [
      "wrk",
      "-t",
      "1",
      "-c",
      String(order.connections),
      "-d",
      `${Math.min(seconds, LONGEST_SECONDS)}s`,
      "--timeout",
      "30s",
      "-s",
      script,
      order.origin,
      "--",
      file,
      randomUUID().slice(0, 24),
    ]);
    const running = promisify(execFile)(program, parameters);
    const kill = (): void => void running.child.kill();
    process.once("exit", kill);
    const { stdout } = await running.finally(() => process.removeListener("exit", kill));
    const [, json = '{"failed":"no result"}'] = /^RESULT (.*)$/m.exec(stdout) ?? [];
    // The script above writes it.
    const { failed, ...result } = JSON.parse(json) as LoadResult & { failed: number };
    if (failed !== 0) throw new Error(`${failed} requests of ${order.work} failed`);
    if (result.requests === 0) throw new Error(`No request of ${order.work} was answered`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The requests as load.lua reads them. */
function requestFile({ origin, token, work }: LoadOrder): string {
  const one = workNamed(work);
  const texts = Array.from({ length: one.body() === null ? 1 : POOL }, () => {
    const text = requestText(one, new URL(origin).host, token);
    return `${Buffer.byteLength(text)}\n${text}`;
  });
  return [texts.length, ...texts].join("\n");
}

function requestText(work: Work, host: string, token: string): string {
  const content = work.body();
  const body = content === null ? "" : JSON.stringify(content);
  const head = [
    `${work.method} ${work.nextPath?.() ?? work.path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headersOf(work, token, KEY)).map(([name, value]) => `${name}: ${value}`),
    ...(content === null ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** The headers of one request; the key is sent with submissions only. */
export function headersOf(work: Work, token: string, key: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(work.method === "POST" ? { "content-type": "application/json" } : {}),
    ...(work.status === 201 ? { "idempotency-key": key } : {}),
  };
}

async function sendWithAutocannon(order: LoadOrder): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL("autocannon-process.ts", import.meta.url)));
  child.send(order);
  const [message] = await once(child, "message");
  child.disconnect();
  if ("failed" in message) throw new Error(message.failed);
  return message.result as LoadResult;
}
