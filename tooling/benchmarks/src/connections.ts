import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loadavg } from "node:os";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { Pool } from "undici";
import { readNumbers } from "./command-line.ts";
import { interleave } from "./interleave.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile, rounded } from "./percentile.ts";
import { memoryOf, processorUs } from "./process-usage.ts";
import { type Estimate, ratioOf } from "./statistics.ts";

/**
 * What many connections cost beside few: memory, start, processor time and latency of a request. It needs Linux. One start
 * says little of processor time: between two starts of the same gateway it differs by 10 %, so that the ratios are those of
 * whole rounds, with an interval.
 */

const asked = readNumbers(
  `npm run bench:connections -- [OPTION]...

Measures what many connections cost beside few: memory, start, processor time and latency of a request.
It needs Linux.`,
  {
    connections: { about: "connections of the larger gateways", byDefault: 10_000 },
    rounds: { about: "rounds; 6 are the fewest that give an interval of 95 %", byDefault: 6 },
    requests: { about: "requests in a round", byDefault: 6_000 },
    "warm-up": { about: "requests before them", byDefault: 3_000 },
  },
);

const PART = 500;
const AT_ONCE = 8;
/** Whose requests are measured; so many others have connections that nobody uses. */
const TENANTS = 4;
const ISSUER = "urn:insurance-gateway:development-issuer";
const OPERATOR_TOKEN = "operator-token-of-the-benchmarks-1";
const PATH = "/provider-d/applications/search?clientAfm=123456789";

const insurer = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"items":[],"start":1,"limit":20,"total":0}');
});
insurer.listen(0, "127.0.0.1");
await once(insurer, "listening");
// A server that listens on TCP has an address with a port.
const baseUrl = `http://127.0.0.1:${(insurer.address() as AddressInfo).port}`;

const connectionOf = (index: number, secret: unknown): object => ({
  id: `connection-${index}`,
  tenant: { issuer: ISSUER, name: `tenant-${index}` },
  segment: "provider-d",
  credentials: { type: "apiKey", header: "x-agency-key", value: secret },
});
const fromEnvironment = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => connectionOf(index, { env: "AGENCY_KEY" }));

/** One way to have connections. */
interface Way {
  readonly where: "file" | "store";
  readonly count: number;
}

const configurations: Readonly<Record<Way["where"], (count: number) => object>> = {
  file: (count) => ({ connections: { claim: "broker", list: fromEnvironment(count) } }),
  store: () => ({
    connections: { claim: "broker", keptIn: "store" },
    operations: { connectionsToken: { env: "OPERATOR_TOKEN" } },
  }),
};

/** A way with its gateway's folder and the tokens of its tenants. */
interface Prepared extends Way {
  readonly folder: GatewayFolder;
  readonly tokens: readonly string[];
}

/** A gateway that was started with one way of keeping connections. */
interface Started extends Prepared {
  readonly gateway: GatewayProcess;
  readonly pid: number;
  readonly pool: Pool;
  readonly startMs: number;
  readonly memory: number;
}

/** What was measured of one way in one round. */
interface Figures {
  readonly startMs: number;
  readonly memory: number;
  readonly used: number;
  /** Of the first requests after the start, which compile and fill memory. */
  readonly firstUs: number;
  readonly requestUs: number;
  readonly p99: number;
}

const prepared: Prepared[] = [];
for (const where of ["file", "store"] as const)
  for (const count of [TENANTS, asked.connections]) prepared.push(await prepare({ where, count }));
const rounds: (readonly Figures[])[] = [];
for (let round = 0; round < asked.rounds; round += 1) {
  process.stderr.write(`round ${round + 1} of ${asked.rounds}\n`);
  rounds.push(await measureAll());
}
process.stdout.write(
  `${asked.requests} searches after each of ${asked.rounds} starts, ${PART} at a time at each gateway in turn; medians. ` +
    `Load of the machine at the end: ${rounded(loadavg()[0] ?? 0)}.\n\n${markdownTable(rowsOf())}\n`,
);
for (const { folder } of prepared) folder.remove();
insurer.closeAllConnections();
insurer.close();

function rowsOf(): readonly Readonly<Record<string, string | number>>[] {
  const found = prepared.map((way, place) => ({
    ...way,
    figures: rounds.flatMap((round) => round[place] ?? []),
  }));
  return found.map(({ count, figures, where }) => {
    const few = found.find((one) => one.count === TENANTS && one.where === where);
    const median = (value: (one: Figures) => number): number => percentile(figures.map(value), 0.5);
    const besideFew = (value: (one: Figures) => number): string =>
      few === undefined || count === TENANTS
        ? ""
        : percentText(ratioOf(figures.map(value), few.figures.map(value)));
    return {
      connections: `${count} in the ${where}`,
      "start ms": Math.round(median((one) => one.startMs)),
      "memory after the start MB": Math.round(median((one) => one.memory)),
      "after the requests MB": Math.round(median((one) => one.used)),
      "processor time of the first requests µs": Math.round(median((one) => one.firstUs)),
      "first beside few": besideFew((one) => one.firstUs),
      "of a request then µs": Math.round(median((one) => one.requestUs)),
      "then beside few": besideFew((one) => one.requestUs),
      "p99 ms": rounded(median((one) => one.p99)),
    };
  });
}

/** By how much a ratio differs from 1, with its interval and how certain that is. */
function percentText({ confidence, high, low, median }: Estimate): string {
  const percent = (times: number): number => rounded((times - 1) * 100);
  return `${percent(median)} % (${percent(low)} to ${percent(high)}, ${Math.floor(confidence * 100)} %)`;
}

function start({ folder }: Pick<Prepared, "folder">): Promise<GatewayProcess> {
  return startGatewayProcess(folder.path, { AGENCY_KEY: "agency-key", OPERATOR_TOKEN });
}

async function prepare(way: Way): Promise<Prepared> {
  const folder = makeGatewayFolder({
    providers: [
      {
        package: "@insurance-gateway/provider-d",
        upstream: { baseUrl, adapter: "declared", credentials: { type: "none" } },
        callerLimit: { requests: 1_000_000 },
        // A busy machine is not what is measured.
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
        bulkhead: { running: 64, queued: 64, queueMs: 10_000 },
      },
    ],
    ...configurations[way.where](way.count),
  });
  const gateway = await start({ folder });
  const pool = new Pool(new URL(gateway.operationsAddress).origin);
  // Those in the store are added over HTTP before anything is measured.
  for (let index = 0; way.where === "store" && index < way.count; index += 1) {
    const { body, statusCode } = await pool.request({
      method: "POST",
      path: "/connections",
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(connectionOf(index, `agency-key-${index}`)),
    });
    await body.dump();
    if (statusCode !== 201) throw new Error(`A connection was answered ${statusCode}`);
  }
  await pool.close();
  await gateway.stop();
  const tokens: string[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1)
    tokens.push(await developmentToken(folder.path, "--tenant", `tenant-${tenant}`));
  return { ...way, folder, tokens };
}

async function startMeasured(way: Prepared): Promise<Started> {
  const begun = performance.now();
  const gateway = await start(way);
  const startMs = performance.now() - begun;
  // Its log is not read: that would cost the sender more with every line.
  gateway.child.stdout?.removeAllListeners("data").resume();
  const { pid = 0 } = gateway.child;
  const pool = new Pool(new URL(gateway.address).origin, { connections: AT_ONCE });
  return { ...way, gateway, pid, pool, startMs, memory: memoryOf(pid) };
}

/**
 * Starts all, one after the other, and sends each its requests, a part at a time in turn, so that whatever else the machine
 * does falls on all of them. Returns the figures in the order of what was prepared.
 */
async function measureAll(): Promise<readonly Figures[]> {
  const started: Started[] = [];
  for (const way of prepared) started.push(await startMeasured(way));
  const first = await interleave(started, Math.ceil(asked["warm-up"] / PART), sendPart);
  const then = await interleave(started, Math.ceil(asked.requests / PART), sendPart);
  const figures = started.map((one) => ({
    startMs: one.startMs,
    memory: one.memory,
    used: memoryOf(one.pid),
    firstUs: costOf(first.get(one)),
    requestUs: costOf(then.get(one)),
    p99: percentile(then.get(one)?.flatMap(({ took }) => took) ?? [], 0.99),
  }));
  for (const { gateway, pool } of started) {
    await pool.close();
    await gateway.stop();
  }
  return figures;
}

/** Some requests to one gateway: the processor time of all, in microseconds, and how long each took, in milliseconds. */
interface Part {
  readonly us: number;
  readonly took: readonly number[];
}

async function sendPart(one: Started): Promise<Part> {
  const before = processorUs(one.pid);
  const took = await send(one, PART);
  return { us: processorUs(one.pid) - before, took };
}

function costOf(parts: readonly Part[] = []): number {
  return parts.reduce((sum, { us }) => sum + us, 0) / (parts.length * PART);
}

/** Sends searches, so many at once; gives how long each took, in milliseconds. */
async function send(
  { pool, tokens }: Pick<Started, "pool" | "tokens">,
  count: number,
): Promise<readonly number[]> {
  const took: number[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      const begun = performance.now();
      const { body, statusCode } = await pool.request({
        method: "GET",
        path: PATH,
        headers: { authorization: `Bearer ${tokens[number % tokens.length]}` },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`A search was answered ${statusCode}`);
      took.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return took;
}
