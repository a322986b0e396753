import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleave } from "../interleave.ts";
import { percentile, rounded } from "../percentile.ts";
import { memoryOf, watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf } from "../statistics.ts";
import { sendLoad } from "./load.ts";
import { type MeasurementSize, warmUp } from "./measure.ts";
import type { Variant } from "./processes.ts";
import { workNamed } from "./works.ts";

/**
 * Measures the additional p50 of a quote over one connection, in milliseconds, compared with the first variant in the
 * same round. All variants are warmed up before the measurement: after minutes without quotes the gateway added 0.37
 * ms, after a warm-up 0.23 ms (2026-11-28).
 */
export async function addedLatency(
  variants: readonly Variant[],
  amount: MeasurementSize,
): Promise<ReadonlyMap<string, Estimate>> {
  const { requests, rounds } = amount;
  for (const variant of variants) await warmUp("quote", variant, amount);
  const found = await interleave(variants, rounds, async ({ origin, token }) => {
    const order = { origin, token, work: "quote", connections: 1, requests: requests / 4 };
    return (await sendLoad({ ...order, perSecond: requests / 4 })).p50;
  });
  const [first = []] = found.values();
  return new Map(
    [...found].map(([{ name }, p50]) => [
      name,
      medianOf(p50.map((value, round) => value - (first[round] ?? 0))),
    ]),
  );
}

const READER_COUNT = 50;
const READ_INTERVAL_MS = 25;

/** Measures the additional memory, in MB, while 50 callers each read a PDF of 10 MB slowly, with 2.6 MB/s at most. */
export async function slowReaders({ origin, pid, token }: Variant): Promise<number> {
  const work = workNamed("large");
  const idle = memoryOf(pid);
  const usage = watchUsage(pid);
  const { hostname, port } = new URL(origin);
  const headers = `authorization: Bearer ${token}\r\nconnection: close`;
  const text = `GET ${work.path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}\r\n\r\n`;
  await Promise.all(
    Array.from({ length: READER_COUNT }, () => readSlowly(connect(Number(port), hostname), text)),
  );
  return usage.stop().memoryPeak - idle;
}

/** Reads 64 kB, the buffer of a socket, at intervals. Resolves at the end of the answer. */
async function readSlowly(socket: Socket, text: string): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  socket.once("error", reject).once("end", resolve).pause().write(text);
  const reading = setInterval(() => {
    const piece: Buffer | null = socket.read();
    bytes += piece?.length ?? 0;
  }, READ_INTERVAL_MS);
  try {
    await promise;
  } finally {
    clearInterval(reading);
    socket.destroy();
  }
  if (bytes < 10_000_000) throw new Error(`A slow reader got ${bytes} bytes of 10 MB`);
}

/** Measures the duration of one fdatasync of 4 kB on the stores' disk, in milliseconds. */
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

/** Waits until newly started servers are idle and returns the memory of each server, in MB. */
export async function memoryAtRest(
  variants: readonly Variant[],
): Promise<ReadonlyMap<string, number>> {
  await seconds(5);
  return new Map(variants.map(({ name, pid }) => [name, memoryOf(pid)]));
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}
