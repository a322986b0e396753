import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { Pool } from "undici";
import { markdownTable } from "./markdown-table.ts";
import { percentile, rounded } from "./percentile.ts";
import { memoryOf, processorMs } from "./process-usage.ts";

/** What many connections cost: memory, start, and processor time and latency of a request, beside one and no other. */

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 10_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REQUESTS = Number(process.env.REQUESTS ?? 3_000);
const AT_ONCE = 8;
/** Whose requests are measured; so many others have connections that nobody uses. */
const TENANTS = 4;
const ISSUER = "urn:insurance-gateway:development-issuer";
const OPERATOR_TOKEN = "operator-token";
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
  readonly name: string;
  readonly configuration: object;
  /** How many are added over HTTP before it is measured. */
  readonly added: number;
}

const inStore = {
  connections: { claim: "broker", keptIn: "store" },
  operations: { connectionsToken: { env: "OPERATOR_TOKEN" } },
};
const inFile = (count: number): object => ({
  connections: { claim: "broker", list: fromEnvironment(count) },
});
const ways: readonly Way[] = [
  { name: `${TENANTS} in the file`, configuration: inFile(TENANTS), added: 0 },
  { name: `${CONNECTIONS} in the file`, configuration: inFile(CONNECTIONS), added: 0 },
  { name: `${TENANTS} in the store`, configuration: inStore, added: TENANTS },
  { name: `${CONNECTIONS} in the store`, configuration: inStore, added: CONNECTIONS },
];

/** A gateway that was started with one way of keeping connections, and the tokens of its tenants. */
interface Prepared extends Way {
  readonly folder: GatewayFolder;
  readonly tokens: readonly string[];
}

interface Figures {
  readonly startMs: number[];
  readonly memory: number[];
  readonly used: number[];
  readonly requestUs: number[];
  readonly p99: number[];
}

const prepared: Prepared[] = [];
for (const way of ways) prepared.push(await prepare(way));
const figures = new Map<Prepared, Figures>(
  prepared.map((way) => [way, { startMs: [], memory: [], used: [], requestUs: [], p99: [] }]),
);
for (let round = 0; round < ROUNDS; round += 1)
  for (const [way, found] of figures) await measure(way, found);
const rows = [...figures].map(([{ name }, found]) => ({
  connections: name,
  "start ms": Math.round(percentile(found.startMs, 0.5)),
  "memory after the start MB": Math.round(percentile(found.memory, 0.5)),
  "after the requests MB": Math.round(percentile(found.used, 0.5)),
  "processor time a request µs": Math.round(percentile(found.requestUs, 0.5)),
  "p99 ms": rounded(percentile(found.p99, 0.5)),
}));
process.stdout.write(`${REQUESTS} searches, ${ROUNDS} starts each, in turns, medians:\n\n`);
process.stdout.write(`${markdownTable(rows)}\n`);
for (const { folder } of prepared) folder.remove();
insurer.closeAllConnections();
insurer.close();

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
    ...way.configuration,
  });
  const gateway = await start({ folder });
  const pool = new Pool(new URL(gateway.operationsAddress).origin);
  for (let index = 0; index < way.added; index += 1) {
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

async function measure({ folder, tokens }: Prepared, found: Figures): Promise<void> {
  const begun = performance.now();
  const gateway = await start({ folder });
  found.startMs.push(performance.now() - begun);
  const { pid = 0 } = gateway.child;
  found.memory.push(memoryOf(pid));
  const pool = new Pool(new URL(gateway.address).origin, { connections: AT_ONCE });
  // What the first requests compile is the same for all.
  await send(pool, tokens, REQUESTS / 3);
  const before = processorMs(pid);
  found.p99.push(percentile(await send(pool, tokens, REQUESTS), 0.99));
  found.requestUs.push(((processorMs(pid) - before) * 1_000) / REQUESTS);
  found.used.push(memoryOf(pid));
  await pool.close();
  await gateway.stop();
}

/** Sends searches, so many at once; gives how long each took, in milliseconds. */
async function send(
  pool: Pool,
  tokens: readonly string[],
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
