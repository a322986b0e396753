import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applicationBody, createApplicationsInsurer } from "../harness/applications.ts";
import { freePorts } from "../harness/free-ports.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { type Haproxy, type Server, startHaproxy } from "./haproxy.ts";
import { type SteadyRequest, startSteadyLoad } from "./steady-load.ts";

const REPLICAS = 3;
/** Number of answers that each gateway gives before the test restarts the next gateway. */
const ANSWERS_BETWEEN = 100;

let postgres: RunningPostgres;
let databaseUrl: string;
let insurer: Insurer;
let folder: GatewayFolder;
let haproxy: Haproxy;
let servers: readonly Server[];
let token: string;
const gateways: GatewayProcess[] = [];
const sealingKey = randomBytes(32).toString("base64");

beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
  insurer = await startApplicationsInsurer();
  // The gateways must not refuse calls if the machine is busy with other work.
  folder = makeGatewayFolder({
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl),
        callerLimit: { requests: 1_000_000 },
        bulkhead: { queued: 1_000, queueMs: 60_000 },
      },
    ],
    submissions: { keys: [{ id: "rolling", secret: { env: "SEALING_KEY" } }] },
    shutdown: { noticeMs: 5_000 },
    overload: { eventLoopDelayMs: 10_000, longestWaitMs: 60_000 },
  });
  token = await developmentToken(folder.path);
  const ports = await freePorts(2 * REPLICAS);
  servers = Array.from({ length: REPLICAS }, (_, index) => ({
    port: Number(ports[2 * index]),
    operationsPort: Number(ports[2 * index + 1]),
  }));
  for (const [index, server] of servers.entries()) gateways[index] = await start(index, server);
  haproxy = await startHaproxy(folder.path, servers);
});
afterAll(async () => {
  await haproxy.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await insurer.close();
  await postgres.remove();
  folder.remove();
});

/** Starts an insurer that executes applications after a short delay. */
function startApplicationsInsurer(): Promise<Insurer> {
  const { execute } = createApplicationsInsurer();
  return startInsurer((response, { body, method, url }) => {
    const [, query = ""] = url.split("?");
    const answer = execute({ body, method, query });
    setTimeout(() => {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(answer.body);
    }, 30);
  });
}

function start(index: number, { operationsPort, port }: Server): Promise<GatewayProcess> {
  // Each gateway has a separate data folder, with the same development issuer.
  const data = join(folder.path, `data-${index}`);
  mkdirSync(data, { recursive: true });
  const key = "development-issuer.json";
  copyFileSync(join(folder.path, "data", key), join(data, key));
  return startGatewayProcess(folder.path, {
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    GATEWAY_DATA: data,
    DATABASE_URL: databaseUrl,
    SEALING_KEY: sealingKey,
  });
}

/** Returns a search or an application, at random. Each application has a new customer. */
function nextRequest(): SteadyRequest {
  const headers = { authorization: `Bearer ${token}` };
  if (randomInt(2) === 0)
    return {
      method: "GET",
      path: "/provider-d/applications/search?clientAfm=123456789",
      headers,
    };
  return {
    method: "POST",
    path: "/provider-d/applications",
    headers: {
      ...headers,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(applicationBody()),
  };
}

it("no request fails while three replicas behind haproxy are restarted one after another", async () => {
  const load = startSteadyLoad(haproxy.address, 50, nextRequest);
  const moreAnswers = async (): Promise<void> => {
    const before = load.answered();
    await expect
      .poll(() => load.answered(), { timeout: 30_000 })
      .toBeGreaterThan(before + ANSWERS_BETWEEN);
  };
  await moreAnswers();
  for (const [index, server] of servers.entries()) {
    const ended = await gateways[index]?.stop();
    expect(ended?.code).toBe(0);
    gateways[index] = await start(index, server);
    await moreAnswers();
  }
  const { answered, failures, notTaken } = await load.stop();
  expect({ failures, notTaken }).toEqual({ failures: {}, notTaken: 0 });
  expect(answered).toBeGreaterThan(REPLICAS * ANSWERS_BETWEEN);
});
