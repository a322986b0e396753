import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { installPackage } from "../harness/provider-package.ts";
import { REPEATABLE_PACKAGE } from "./repeatable-package.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let folder: GatewayFolder;
let insurer: Insurer;
let token: string;
let processes: GatewayProcess[];
/** What the insurer does with a policy the first time; it takes everything else. */
let first: Map<string, Behaviour>;
afterEach(async () => {
  for (const one of processes) await one.stop("SIGKILL");
  await insurer.close();
  folder.remove();
});

/** Starts as many processes as have an environment, before one insurer; gives the first and the last of them. */
async function start(
  environments: readonly Readonly<Record<string, string>>[],
  bulkhead: object,
): Promise<readonly [GatewayProcess, GatewayProcess]> {
  first = new Map();
  processes = [];
  insurer = await startInsurer((response, arrival) => {
    const policy = arrival.url.slice(arrival.url.lastIndexOf("/") + 1);
    const behave = first.get(policy) ?? taken;
    first.delete(policy);
    behave(response, arrival);
  });
  folder = makeGatewayFolder();
  installPackage(folder, "provider-m", REPEATABLE_PACKAGE);
  folder.writeConfiguration({
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl),
        package: "provider-m",
        bulkhead,
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
      },
    ],
    // A busy machine must not keep submissions from being sent.
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
  });
  token = await developmentToken(folder.path);
  for (const environment of environments)
    processes.push(await startGatewayProcess(folder.path, environment));
  const [one, other = one] = processes;
  if (one === undefined || other === undefined) throw new Error("No process was started");
  return [one, other];
}

const taken = json(200, { policyId: "P-1" });

function send(gateway: GatewayProcess, method: string, policy: string): Promise<Response> {
  return fetch(`${gateway.address}/provider-m/policies/${policy}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ colour: method === "PUT" ? "red" : "blue" }),
  });
}

/** Resolves when so many calls wait for a place at the insurer. */
async function untilQueued(gateway: GatewayProcess, count: number): Promise<void> {
  await expect
    .poll(async () => (await fetch(`${gateway.operationsAddress}/providers`)).json())
    .toMatchObject({ items: [{ queued: count }] });
}

/** What reached the insurer, in its order. */
function log(): readonly string[] {
  return insurer.arrivals.map(({ method, url }) => `${method} ${url.split("/").at(-1)}`);
}

describe.each<[string, () => Promise<readonly Readonly<Record<string, string>>[]>]>([
  ["one process with SQLite", async () => [{}]],
  [
    "two processes with PostgreSQL",
    async () => {
      const DATABASE_URL = await server.createDatabase();
      return [{ DATABASE_URL }, { DATABASE_URL }];
    },
  ],
])("a second sending, in %s", (_, environments) => {
  it("that waits for its turn is not overtaken by a later submission to the resource", async () => {
    const bulkhead = { running: 1, queued: 10, queueMs: 60_000 };
    const [one, other] = await start(await environments(), bulkhead);
    const reset = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    first.set("P-1", (response) => void reset.promise.then(() => response.destroy()));
    first.set("P-9", (...parts) => void release.promise.then(() => taken(...parts)));
    const arrived = insurer.nextArrival();
    const repeated = send(one, "PUT", "P-1");
    await arrived;
    // It takes the only place when the first sending has failed.
    const between = send(one, "PUT", "P-9");
    await untilQueued(one, 1);
    const holding = insurer.nextArrival();
    reset.resolve();
    await holding;
    await untilQueued(one, 1);

    const refused = await send(other, "PATCH", "P-1");
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]/);
    expect(await problemIn(refused)).toMatchObject({
      status: 409,
      code: "SUBMISSION_IN_PROGRESS",
      outcome: "not_sent",
      retry: "safe",
    });
    release.resolve();
    expect((await between).status).toBe(200);
    expect((await repeated).status).toBe(200);
    expect((await send(other, "PATCH", "P-1")).status).toBe(200);
    expect(log()).toEqual(["PUT P-1", "PUT P-9", "PUT P-1", "PATCH P-1"]);
  });

  it("never follows a later submission that was sent at the same moment", async () => {
    const [one, other] = await start(await environments(), {
      running: 4,
      queued: 200,
      queueMs: 60_000,
    });
    const policies = Array.from({ length: 20 }, (_unused, number) => `R-${number}`);
    await Promise.all(
      policies.map(async (policy) => {
        const later = Promise.withResolvers<Promise<Response>>();
        first.set(policy, (response) => {
          later.resolve(send(other, "PATCH", policy));
          response.destroy();
        });
        await Promise.all([send(one, "PUT", policy), later.promise]);
      }),
    );
    const isUndone = (policy: string): boolean => {
      const own = log().filter((line) => line.endsWith(` ${policy}`));
      return (
        own.lastIndexOf(`PUT ${policy}`) > own.indexOf(`PATCH ${policy}`) &&
        own.includes(`PATCH ${policy}`)
      );
    };
    expect(policies.filter(isUndone)).toEqual([]);
  });
});
