import { spawnSync } from "node:child_process";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleave } from "../interleave.ts";
import { startLoad } from "../load/load.ts";
import { percentile, rounded } from "../percentile.ts";
import { memoryOf, watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf } from "../statistics.ts";
import { headersOf, POOL, send } from "./load.ts";
import { type Amount, measureWork } from "./measure.ts";
import type { Variant } from "./processes.ts";
import { workNamed } from "./works.ts";

/** The p50 of a quote at one connection, in milliseconds, over that of the first variant in the same round. */
export async function addedLatency(
  variants: readonly Variant[],
  { requests, rounds }: Amount,
): Promise<ReadonlyMap<string, Estimate>> {
  const found = await interleave(variants, rounds, async ({ origin, token }) => {
    const order = { origin, token, work: "quote", connections: 1, requests: requests / 4 };
    return (await send({ ...order, perSecond: requests / 4 })).p50;
  });
  const [first = []] = found.values();
  return new Map(
    [...found].map(([{ name }, p50]) => [
      name,
      medianOf(p50.map((value, round) => value - (first[round] ?? 0))),
    ]),
  );
}

/** Latencies at a constant rate, in milliseconds from when a call was due. */
export interface SteadyLatency {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Calls that failed, or for which none of 400 connections was free. */
  readonly failed: number;
}

const STEADY_SECONDS = 10;

/** The latency of a quote when calls are due at 70 % of the highest rate of a variant, whatever became of earlier ones. */
export async function steadyLatency(variant: Variant, peak: number): Promise<SteadyLatency> {
  const { origin, token } = variant;
  const work = workNamed("quote");
  const perSecond = Math.round(peak * 0.7);
  const calls = Array.from({ length: POOL }, () => ({
    name: work.name,
    method: work.method,
    path: work.path,
    headers: headersOf(work, token, ""),
    body: JSON.stringify(work.body()),
  }));
  const load = await startLoad({ origin, calls, perSecond, connections: 400, timeoutMs: 10_000 });
  // The core of the insurer and of every other load.
  spawnSync("taskset", ["-a", "-c", "-p", "1", String(load.pid)]);
  await seconds(STEADY_SECONDS);
  const { notSentAt, sent } = await load.end();
  const failed = notSentAt.length + sent.filter(({ ending }) => ending.status !== 200).length;
  // The first second opens connections.
  const start = (sent[0]?.dueAt ?? 0) + 1_000;
  const took = sent.filter(({ dueAt }) => dueAt > start).map(({ tookMs }) => tookMs);
  return { perSecond, p50: percentile(took, 0.5), p99: percentile(took, 0.99), failed };
}

const READERS = 50;
const READ_EVERY_MS = 25;

/** How much more memory a variant has, in MB, while 50 callers slowly read a PDF of 10 MB each: 2.6 MB/s at most. */
export async function slowReaders({ origin, pid, token }: Variant): Promise<number> {
  const work = workNamed("large");
  const idle = memoryOf(pid);
  const usage = watchUsage(pid);
  const { hostname, port } = new URL(origin);
  const headers = `authorization: Bearer ${token}\r\nconnection: close`;
  const text = `GET ${work.path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}\r\n\r\n`;
  await Promise.all(
    Array.from({ length: READERS }, () => readSlowly(connect(Number(port), hostname), text)),
  );
  return usage.stop().memoryPeak - idle;
}

/** Reads what one socket buffers, 64 kB, at intervals; resolves at the answer's end. */
async function readSlowly(socket: Socket, text: string): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  socket.once("error", reject).once("end", resolve).pause().write(text);
  const reading = setInterval(() => {
    const piece: Buffer | null = socket.read();
    bytes += piece?.length ?? 0;
  }, READ_EVERY_MS);
  try {
    await promise;
  } finally {
    clearInterval(reading);
    socket.destroy();
  }
  if (bytes < 10_000_000) throw new Error(`A slow reader got ${bytes} bytes of 10 MB`);
}

/** How long one fdatasync of 4 kB takes on the disk of the stores, in milliseconds. */
export function fdatasyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), "benchmark-disk-"));
  const file = openSync(join(folder, "file"), "a");
  const page = Buffer.alloc(4_096, 1);
  const took = Array.from({ length: 200 }, () => {
    writeSync(file, page);
    const begun = performance.now();
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return rounded(percentile(took, 0.5));
}

/** Waits until servers that have just started are at rest, and gives the memory of each, in MB. */
export async function memoryAtRest(
  variants: readonly Variant[],
): Promise<ReadonlyMap<string, number>> {
  await seconds(5);
  return new Map(variants.map(({ name, pid }) => [name, memoryOf(pid)]));
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}

/** The highest rate of a variant, for a run that does not measure quotes. */
export async function peakOf(variant: Variant, amount: Amount): Promise<number> {
  const [found] = await measureWork("quote", [variant], { ...amount, rounds: 1 }, () => {});
  return found?.perSecond ?? 0;
}
