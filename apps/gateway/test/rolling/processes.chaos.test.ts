import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { type SteadyRequest, startSteadyLoad } from "./steady-load.ts";

const PROCESSES = 2;
/** How long the insurer takes. */
const INSURER_MS = 30;
const SUBMISSION_MS = 15_000;
/** A submission whose process is gone is settled after its time limit and the 15 seconds of its lease. */
const SETTLED_WITHIN_MS = 90_000;
/** A search that is not answered by then is answered by nobody. */
const NO_ANSWER_AFTER_MS = 30_000;

let postgres: RunningPostgres;
let insurer: Insurer;
/** The applications that the insurer has carried out. */
let executed: readonly SandboxRecord[];
let folder: GatewayFolder;
let gateway: GatewayProcess;
let token: string;

beforeEach(async () => {
  postgres = await startPostgres();
  const { execute, records } = createApplicationsInsurer();
  executed = records;
  insurer = await startInsurer((response, { body, method, url }) => {
    const [, query = ""] = url.split("?");
    const answer = execute({ body, method, query });
    setTimeout(() => {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(answer.body);
    }, INSURER_MS);
  });
  folder = makeGatewayFolder({
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl),
        callerLimit: { requests: 1_000_000 },
        timeouts: { connectMs: 30_000, totalMs: 30_000, submissionMs: SUBMISSION_MS },
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
        bulkhead: { running: 64, queued: 64, queueMs: 20_000 },
      },
    ],
    submissions: { keys: [{ id: "processes", secret: { env: "ENCRYPTION_KEY" } }] },
    // What else this machine does is not the point.
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
  });
  token = await developmentToken(folder.path);
  const databaseUrl = new URL(await postgres.createDatabase());
  databaseUrl.search = "query_timeout=30000&statement_timeout=30000";
  gateway = await startGatewayProcess(
    folder.path,
    {
      DATABASE_URL: databaseUrl.href,
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    },
    ["--processes", String(PROCESSES)],
  );
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
  await postgres.remove();
  folder.remove();
});

/** The ids of the processes that serve, each of which has a socket for commands. */
function serving(): readonly number[] {
  return readdirSync(join(folder.path, "data/serving")).map(Number);
}

function oneServing(): number {
  const [one] = serving();
  if (one === undefined) throw new Error("No process serves");
  return one;
}

/** The processes whose metrics the operator's address has. */
async function observed(): Promise<readonly string[]> {
  const response = await fetch(`${gateway.operationsAddress}/metrics`);
  const numbers = (await response.text()).matchAll(/^process_resident_memory.*process="(\d+)"/gm);
  return [...numbers].map(([, number = ""]) => number).toSorted();
}

function searchRequest(): SteadyRequest {
  const headers = { authorization: `Bearer ${token}` };
  return { method: "GET", path: "/provider-d/applications/search?clientAfm=123456789", headers };
}

/** Searches and applications by turns, each application another customer's. */
function nextRequest(): SteadyRequest {
  if (randomInt(2) === 0) return searchRequest();
  return {
    method: "POST",
    path: "/provider-d/applications",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(applicationBody()),
  };
}

it("SIGUSR2 replaces every process, and no request fails", async () => {
  expect(await observed()).toEqual(["1", "2"]);
  const before = serving();
  expect(before).toHaveLength(PROCESSES);
  const load = startSteadyLoad(gateway.address, 25, nextRequest);
  await expect.poll(() => load.answered(), { timeout: 30_000 }).toBeGreaterThan(100);
  gateway.child.kill("SIGUSR2");
  await expect
    .poll(() => gateway.output(), { timeout: 120_000 })
    .toContain("the processes were replaced");
  const answeredBefore = load.answered();
  await expect
    .poll(() => load.answered(), { timeout: 30_000 })
    .toBeGreaterThan(answeredBefore + 100);

  const { failures, notTaken } = await load.stop();
  expect({ failures, notTaken }).toEqual({ failures: {}, notTaken: 0 });
  expect(serving().filter((pid) => before.includes(pid))).toEqual([]);
  expect(await observed()).toEqual(["3", "4"]);
  expect((await fetch(`${gateway.operationsAddress}/health/ready`)).status).toBe(200);
});

/** Sends one application, again with its key until it is answered with an outcome; gives how often the insurer may have it. */
async function submitUntilSettled(): Promise<{
  readonly afm: string;
  readonly times: readonly number[];
}> {
  const [afm, key] = [String(randomInt(100_000_000, 999_999_999)), randomUUID()];
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await submitApplication(
      { address: gateway.address, token },
      applicationBody(afm),
      {
        "idempotency-key": key,
      },
    ).catch(() => null);
    if (answer?.status === 201) return { afm, times: [1] };
    const { code, outcome } = Object(await answer?.json());
    if (outcome === "not_sent") return { afm, times: [0] };
    if (code === "OUTCOME_UNKNOWN") return { afm, times: [0, 1] };
    await wait(1_000);
  }
  return { afm, times: [] };
}

it("a process that is killed among submissions is replaced, and none is sent twice or lost", async () => {
  const killed = oneServing();
  const submissions = Array.from({ length: 40 }, submitUntilSettled);
  await expect.poll(() => executed.length, { timeout: 30_000 }).toBeGreaterThan(5);
  process.kill(killed, "SIGKILL");
  const ends = await Promise.all(submissions);

  for (const { afm, times } of ends) {
    const carriedOut = executed.filter((record) => JSON.stringify(record).includes(`"${afm}"`));
    expect(times).toContain(carriedOut.length);
  }
  expect(gateway.output()).toContain(`"pid":${killed},"exit":"SIGKILL"`);
  await expect.poll(observed, { timeout: 30_000 }).toHaveLength(PROCESSES);
  expect(await observed()).toContain("3");
});

/** Sends a search on a connection of its own; gives its status, or the code of what broke. */
async function search(): Promise<number | string> {
  const { path, ...options } = searchRequest();
  const signal = AbortSignal.timeout(NO_ANSWER_AFTER_MS);
  const sent = request(new URL(path, gateway.address), { ...options, agent: false, signal }).end();
  try {
    const [response]: IncomingMessage[] = await once(sent, "response");
    response?.resume();
    return response?.statusCode ?? "";
  } catch (error) {
    return Object(error).code;
  }
}

it("calls that were handed to a stopped process are answered by another one when that process is killed", async () => {
  const stopped = oneServing();
  process.kill(stopped, "SIGSTOP");
  let ended = 0;
  const searches = Array.from({ length: 8 }, async () => {
    const end = await search();
    ended += 1;
    return end;
  });
  try {
    // All but the one that waits for the stopped process.
    await expect.poll(() => ended, { timeout: 20_000 }).toBe(7);
  } finally {
    process.kill(stopped, "SIGKILL");
  }
  expect(await Promise.all(searches)).toEqual(Array.from({ length: 8 }, () => 200));
});
