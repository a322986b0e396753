import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pinnedCommand } from "./processes.ts";
import { type Work, workNamed } from "./works.ts";

interface Order {
  readonly origin: string;
  readonly token: string;
  readonly work: string;
  readonly connections: number;
}

/** A load in which each connection sends the next request as soon as the previous one is answered. */
export interface LoadOrder extends Order {
  /** The approximate number of requests: wrk runs for whole seconds. */
  readonly requests: number;
  /** The expected requests per second, from which the whole seconds for wrk are computed. */
  readonly perSecond: number;
}

/** The result of a load; latencies are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** The number of different requests. */
const DIFFERENT_REQUESTS = 10_000;
const KEY_PLACEHOLDER = "KEY-OF-THIS-REQUEST-----------------";
/** Maximum duration of a run, even if the previous run got no answer on a busy machine. */
const MAX_RUN_SECONDS = 60;

/** Returns the version of wrk, which sends the requests: `{ wrk: "4.1.0" }`. */
export function generatorVersion(): Readonly<Record<string, string>> {
  const { error, stderr, stdout } = spawnSync("wrk", ["-v"], { encoding: "utf8" });
  if (error !== undefined) throw new Error("wrk sends the requests: apt-get install wrk");
  return { wrk: /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? "of an unknown version" };
}

/**
 * Sends requests from a separate process.
 * @throws an Error if an answer differs from the expected answer of the work
 */
export async function sendLoad(order: LoadOrder): Promise<LoadResult> {
  const seconds = Math.max(1, Math.ceil(order.requests / order.perSecond));
  const { failed, ...result } = await runWrk(order, Math.min(seconds, MAX_RUN_SECONDS), []);
  if (failed !== 0) throw new Error(`${failed} requests of ${order.work} failed`);
  return result;
}

/** The counts of wrk; `sendRegardless` adds the counts of good and refused requests. */
interface WrkResult extends LoadResult {
  /** The number of answers with status 400 or higher, and of failed connections. */
  readonly failed: number;
}

/** The result of a load whose requests may be refused. */
export interface RefusableLoadResult extends LoadResult {
  /** The number of answers with a status below 400. */
  readonly good: number;
  /** The number of answers 429 and 503 with Retry-After. */
  readonly refused: number;
  /** The number of failed connections, and of requests without an answer. */
  readonly failed: number;
}

/** Sends requests for a time, regardless of the answers. */
export async function sendRegardless(
  order: Order & { readonly seconds: number },
): Promise<RefusableLoadResult> {
  // With this argument the script load.lua counts the answers.
  const result = await runWrk(order, order.seconds, ["count"]);
  return result as RefusableLoadResult;
}

async function runWrk(order: Order, seconds: number, more: readonly string[]): Promise<WrkResult> {
  const folder = mkdtempSync(join(tmpdir(), "benchmark-load-"));
  const file = join(folder, "requests");
  const script = fileURLToPath(new URL("load.lua", import.meta.url));
  try {
    writeFileSync(file, requestFile(order));
    const [program = "", ...parameters] = pinnedCommand(1, [
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
    // The script load.lua writes this JSON.
    const result = JSON.parse(json) as WrkResult;
    if (result.requests === 0) throw new Error(`No request of ${order.work} was answered`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the requests in the format of load.lua. */
function requestFile({ origin, token, work }: Order): string {
  const one = workNamed(work);
  const texts = Array.from({ length: one.body() === null ? 1 : DIFFERENT_REQUESTS }, () => {
    const text = requestText(one, new URL(origin).host, token);
    return `${Buffer.byteLength(text)}\n${text}`;
  });
  return [texts.length, ...texts].join("\n");
}

function requestText(work: Work, host: string, token: string): string {
  const content = work.body();
  const body = content === null ? "" : JSON.stringify(content);
  const head = [
    `${work.method} ${work.path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headersOf(work, token, KEY_PLACEHOLDER)).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(content === null ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Returns the headers of a request. Only submissions have an idempotency key. */
export function headersOf(work: Work, token: string, key: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(work.method === "POST" ? { "content-type": "application/json" } : {}),
    ...(work.status === 201 ? { "idempotency-key": key } : {}),
  };
}
