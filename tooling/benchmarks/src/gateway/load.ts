import { execFile, fork, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packageVersion } from "../machine.ts";
import { pinned } from "./processes.ts";
import { type Work, workNamed } from "./works.ts";

interface Order {
  readonly origin: string;
  readonly token: string;
  readonly work: string;
  readonly connections: number;
}

/** What is sent: over each connection one request after the other, as fast as they are answered. */
export interface LoadOrder extends Order {
  /** About so many: wrk runs whole seconds. */
  readonly requests: number;
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
const POOL = 10_000;
const KEY = "KEY-OF-THIS-REQUEST-----------------";
/** No run is longer, also when the run before it got no answer on a busy machine. */
const LONGEST_SECONDS = 60;

const wrk = spawnSync("wrk", ["-v"], { encoding: "utf8" });
const hasWrk = wrk.error === undefined;

/** The load generator that this machine has: wrk, or else autocannon, which needs more of the core that it shares. */
export const generator: "wrk" | "autocannon" = hasWrk ? "wrk" : "autocannon";

/** The load generator with its version, such as `{ wrk: "4.1.0" }`. */
export const generatorVersion: Readonly<Record<string, string>> = {
  [generator]: hasWrk
    ? (/\d+\.\d+\.\d+/.exec(`${wrk.stdout}${wrk.stderr}`)?.[0] ?? "of an unknown version")
    : packageVersion("autocannon"),
};

/**
 * Sends requests from a process of their own.
 * @throws an Error when a request was not answered as its work says
 */
export async function send(order: LoadOrder): Promise<LoadResult> {
  return hasWrk ? sendWithWrk(order) : sendWithAutocannon(order);
}

/** What is sent when requests are due, whatever became of earlier ones. */
export interface PacedOrder extends Order {
  readonly perSecond: number;
  readonly seconds: number;
}

/** The result; latencies from when a request was sent, the p99 as if late requests had taken longest. */
export interface PacedResult extends LoadResult {
  /**
   * Answers with an error, and connections that failed. wrk counts no request that is never answered; while it waits,
   * its connection sends nothing else.
   */
  readonly failed: number;
  /** Requests that were sent more than 2 ms after they were due: no connection was free, or wrk had to wait for its core. */
  readonly late: number;
}

/** No request is due before: load.lua has the same. */
const OPENING_SECONDS = 0.5;

/**
 * Sends requests at a rate, from wrk: the times between them are random (a Poisson process), the same in each run, and do
 * not depend on answers, unless no connection is free. wrk's timers have whole milliseconds: what is due in one
 * millisecond is sent together.
 */
export async function sendPaced(order: PacedOrder): Promise<PacedResult> {
  const result = await runWrk(order, order.seconds, [String(order.perSecond)]);
  return { ...result, seconds: result.seconds - OPENING_SECONDS };
}

async function sendWithWrk(order: LoadOrder): Promise<LoadResult> {
  const seconds = Math.max(1, Math.ceil(order.requests / order.perSecond));
  const { failed, ...result } = await runWrk(order, Math.min(seconds, LONGEST_SECONDS), []);
  if (failed !== 0) throw new Error(`${failed} requests of ${order.work} failed`);
  return result;
}

async function runWrk(
  order: Order,
  seconds: number,
  more: readonly string[],
): Promise<PacedResult> {
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
      `${seconds}s`,
      "--timeout",
      "30s",
      "-s",
      script,
      order.origin,
      "--",
      file,
      randomUUID().slice(0, 24),
      ...more,
    ]);
    const running = promisify(execFile)(program, parameters);
    const kill = (): void => void running.child.kill();
    process.once("exit", kill);
    const { stdout } = await running.finally(() => process.removeListener("exit", kill));
    const [, json] = /^RESULT (.*)$/m.exec(stdout) ?? [];
    if (json === undefined) throw new Error(`wrk gave no result: ${stdout}`);
    // The script above writes it.
    const result = JSON.parse(json) as PacedResult;
    if (result.requests === 0) throw new Error(`No request of ${order.work} was answered`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The requests as load.lua reads them. */
function requestFile({ origin, token, work }: Order): string {
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
