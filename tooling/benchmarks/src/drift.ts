import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { providerD } from "@insurance-gateway/provider-d";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { Pool } from "undici";
// @boundaries-ignore the watch is the gateway's own and no package exports it
import { createCompareAnswer } from "../../../apps/gateway/src/drift/compare-answer.ts";
// @boundaries-ignore the watch is the gateway's own and no package exports it
import { startDriftWatch } from "../../../apps/gateway/src/drift/watch.ts";
import { readNumbers } from "./command-line.ts";
import { markdownTable } from "./markdown-table.ts";
import { processorMs } from "./process-usage.ts";

/** What the drift watch costs: the gateway's processor time for one request, with and without it, in turns. */

const asked = readNumbers(
  `npm run bench:drift -- [OPTION]...

Measures what the drift watch costs: the gateway's processor time for one request, with and without it,
in turns.`,
  {
    rounds: { about: "rounds", byDefault: 7 },
    requests: { about: "requests in a round", byDefault: 3_000 },
  },
);

const AT_ONCE = 16;
const PERCENTS = [0, 1] as const;

const application = {
  applicationId: "D-000001",
  status: "AWAITING_PAYMENT",
  statusReasons: [{ code: "R-1", message: "Pay first.", source: "INSURER" }],
  policy: { startDate: "2026-12-01", endDate: "2027-11-30", policyNumber: null },
  vehicle: { plateNumber: "AAA-1111", manufacturerCode: "TOY", modelCode: "YARIS" },
  holder: { afm: "123456789", fullName: "Maria Papadopoulou" },
  premium: { net: "100.50", taxes: "15.00", gross: "115.50", currency: "EUR" },
  payment: null,
  documents: [],
  createdAt: "2026-11-21T08:00:00Z",
  updatedAt: "2026-11-21T09:00:00Z",
};
const page = JSON.stringify({
  items: Array.from({ length: 20 }, () => application),
  start: 1,
  limit: 20,
  total: 20,
});

/** A gateway with the drift watch at a sample. */
interface Sampled {
  readonly percent: number;
  /** Sends all requests, and gives the processor time for one in microseconds. */
  readonly run: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

const insurer = await startInsurer();
const gateways: Sampled[] = [];
for (const percent of PERCENTS) gateways.push(await startSampled(percent, addressOf(insurer)));
const figures = new Map<number, number[]>(PERCENTS.map((percent) => [percent, []]));
// The first round compiles schemas and code.
for (const { run } of gateways) await run();
for (let round = 0; round < asked.rounds; round += 1) {
  const order = round % 2 === 0 ? gateways : gateways.toReversed();
  for (const { percent, run } of order) figures.get(percent)?.push(await run());
}
const rows = [...figures].map(([percent, all]) => ({
  "sampled %": percent,
  "processor time a request, median µs": Math.round(medianOf(all)),
  "all runs µs": all.map((one) => Math.round(one)).join(" "),
}));
process.stdout.write(
  `${asked.requests} searches with 20 items, ${asked.rounds} runs each, in turns:\n\n`,
);
process.stdout.write(`${markdownTable(rows)}\n`);
process.stdout.write(`\n${markdownTable(alone())}\n`);
for (const { stop } of gateways) await stop();
insurer.closeAllConnections();
insurer.close();

/** The parts of the watch by themselves: on a busy machine whole requests differ by more than it costs. */
function alone(): readonly Readonly<Record<string, string | number>>[] {
  const endpoint = providerD.endpoints.searchApplications;
  const content: unknown = JSON.parse(page);
  const form = { type: "declared", status: 200, mediaType: "application/json" } as const;
  const value = { status: 200, mediaType: "application/json", content };
  const answer = { bodies: [{ content, form }], value, isBroken: false };
  const compare = createCompareAnswer();
  const observed = {
    segment: "provider-d",
    endpoint: "searchApplications",
    kind: "search",
  } as const;
  const watch = startDriftWatch({
    samplePercent: () => 0,
    time: { every: () => async () => {} },
    differs: () => {},
  });
  return [
    {
      part: "comparing one answer",
      "median µs": medianUsOf(1_000, () => compare(endpoint, answer)),
    },
    {
      part: "not comparing one",
      "median µs": medianUsOf(100_000, () => watch.received(observed, endpoint, answer)),
    },
  ];
}

/** The processor time of one call, the median of several runs, in microseconds. */
function medianUsOf(calls: number, work: () => unknown): number {
  const runs = Array.from({ length: asked.rounds }, () => {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) work();
    const { system, user } = process.cpuUsage(before);
    return (system + user) / calls;
  });
  return Math.round(medianOf(runs) * 100) / 100;
}

async function startInsurer(): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function addressOf(server: Server): string {
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function startSampled(percent: number, baseUrl: string): Promise<Sampled> {
  const folder: GatewayFolder = makeGatewayFolder({
    providers: [
      {
        package: "@insurance-gateway/provider-d",
        upstream: { baseUrl, adapter: "declared" },
        callerLimit: { requests: 1_000_000, windowSeconds: 1 },
        // A busy machine is not what is measured.
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
        bulkhead: { running: 64, queued: 64, queueMs: 10_000 },
        timeouts: { connectMs: 15_000, totalMs: 30_000 },
      },
    ],
    overload: { eventLoopDelayMs: 3_600_000 },
    drift: { samplePercent: percent },
  });
  const token = await developmentToken(folder.path);
  const gateway = await startGatewayProcess(folder.path);
  gateway.child.stdout?.removeAllListeners("data").resume();
  const { pid } = gateway.child;
  if (pid === undefined) throw new TypeError("A process that serves has an id");
  const pool = new Pool(gateway.address, { connections: AT_ONCE });
  const send = async (): Promise<void> => {
    const { body, statusCode } = await pool.request({
      method: "GET",
      path: "/provider-d/applications/search?clientAfm=123456789",
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`The gateway answered with ${statusCode}: ${text}`);
  };
  return {
    percent,
    async run() {
      const before = processorMs(pid);
      let left = asked.requests;
      const sender = async (): Promise<void> => {
        for (; left > 0; ) {
          left -= 1;
          await send();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      return ((processorMs(pid) - before) * 1_000) / asked.requests;
    },
    async stop() {
      await pool.close();
      await gateway.stop();
      folder.remove();
    },
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
