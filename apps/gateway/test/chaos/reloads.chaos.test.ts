import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createReadSettings } from "../../src/configuration/settings.ts";
import { startGateway } from "../../src/gateway.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { makeStore } from "../../src/store/exclusive-store.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { ISSUER, issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { holdTime } from "../harness/held-time.ts";
import { startInsurer } from "../harness/insurer.ts";
import { makeKeyPair } from "../harness/signing.ts";
import { nothingFound, taking } from "../harness/site.ts";
import { startKeyServer } from "../harness/token-gateway.ts";
import { reloadNow } from "../reload/settled.ts";
import { reloadRounds } from "./chance.ts";

const CALLERS = 6;
/** Share of the rounds before the first measurement of memory, so that all code has run a few times. */
const WARM_UP = 0.1;
const MAX_GROWTH_BYTES = 5 * 1024 * 1024;

it("no call fails while the gateway reloads every reloadable setting under load", async () => {
  const rounds = reloadRounds();
  const pair = makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256" });
  const keys = await startKeyServer([pair.jwk]);
  let known = ["token-0"];
  const take = taking();
  const insurer = await startInsurer((response, arrival) => {
    insurer.arrivals.length = 0;
    if (!known.some((token) => arrival.headers.authorization === `Bearer ${token}`))
      response.writeHead(401).end();
    else (arrival.method === "POST" ? take : nothingFound)(response, arrival);
  });
  const folder = makeGatewayFolder();
  const write = (round: number): void => {
    writeFileSync(join(folder.path, "token.txt"), `token-${round}`);
    folder.writeConfiguration(configurationOf(round, insurer.baseUrl, keys.baseUrl));
  };
  write(0);
  await makeStore({ data: join(folder.path, "data"), databaseUrl: undefined });
  const time = holdTime();
  const environment = { PORT: "0", OPERATIONS_PORT: "0" };
  const gateway = await startGateway(
    createReadSettings(environment, folder.path),
    environment,
    createLogger({ write: () => {} }),
    { time, processMetrics: new Registry() },
  );
  const token = makeToken(pair, {
    claims: { broker: "north", exp: Math.floor(Date.now() / 1_000) + 86_400 },
  });
  const failed: string[] = [];
  let calls = 0;
  const over = new AbortController();
  const callOnce = async (number: number): Promise<void> => {
    const response =
      number % 5 === 4
        ? await submitApplication({ address: gateway.address, token }, applicationBody())
        : await fetch(`${gateway.address}/provider-d/applications/search?clientAfm=123456789`, {
            headers: { authorization: `Bearer ${token}` },
          });
    const text = await response.text();
    calls += 1;
    if (!response.ok) failed.push(`${response.status} ${text}`);
  };
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let number = 0; !over.signal.aborted; number += 1) await callOnce(number);
  });

  let before = 0;
  for (let round = 1; round <= rounds; round += 1) {
    // The insurer accepts the last three tokens, because a running call may still use an earlier token.
    known = [`token-${round - 2}`, `token-${round - 1}`, `token-${round}`];
    write(round);
    expect(await reloadNow(gateway, time)).toMatchObject({ result: "applied" });
    if (round === Math.ceil(rounds * WARM_UP)) before = heapAfterCollection();
  }
  const grown = heapAfterCollection() - before;
  over.abort();
  await Promise.all(callers);
  await gateway.stop();
  await insurer.close();
  await keys.close();
  folder.remove();
  process.stdout.write(
    `${rounds} reloads, ${calls} calls, ${failed.length} failed, ${Math.round(grown / 1024)} KB more memory\n`,
  );
  expect(failed).toEqual([]);
  expect(calls).toBeGreaterThan(rounds);
  expect(grown).toBeLessThanOrEqual(MAX_GROWTH_BYTES);
});

/** Returns a configuration in which every reloadable section differs from the section of the previous round. */
function configurationOf(round: number, insurer: string, keys: string): object {
  const more = round % 7;
  return {
    limits: { bodyBytes: 65_536 + more, connections: 1_000 + more, keepAliveMs: 60_000 + more },
    overload: { eventLoopDelayMs: 3_600_000 - more },
    observation: { searchesPerHour: 1_000 - more },
    drift: { samplePercent: more },
    shutdown: { noticeMs: more },
    issuers: [
      issuerConfiguration(keys),
      issuerConfiguration(keys, { issuer: `https://other-${round}.example` }),
    ],
    authentication: { cachedSeconds: 300 + more },
    submissions: { queriesPerSecond: 5 + more },
    accounts: {
      claim: "broker",
      quotas: { requestsPerDay: 1_000_000_000 - more },
      list: [
        {
          id: "north",
          tenant: { issuer: ISSUER, name: "north" },
          segment: "provider-d",
          credentials: { type: "bearer", token: { file: "token.txt" } },
          quotas: { submissionsPerDay: 100_000 - more },
        },
      ],
    },
    providers: [
      {
        ...insurerConfiguration("d", insurer, {
          credentials: { type: "bearer", token: { file: "token.txt" } },
        }),
        maintenance: [{ from: "2026-01-01T00:00:00Z", to: `2026-01-0${2 + more}T00:00:00Z` }],
        timeouts: { connectMs: 20_000 + more, totalMs: 60_000 + more, submissionMs: 60_000 + more },
        retries: { attempts: 1 + more },
        breaker: { failuresInRow: 5 + more },
        bulkhead: { running: 8 + more, queued: 100 + more, queueMs: 20_000 },
        callerLimit: { requests: 1_000_000 - more },
        answers: { jsonBytes: 1_000_000 + more },
        compare: { except: more % 2 === 0 ? [] : ["/vehicle/plateNumber"] },
        failures: [
          {
            status: 422,
            media: "application/problem+json",
            at: "/code",
            is: [`CODE-${more}`],
            code: "CONFLICT",
            outcome: "rejected",
            why: "The insurer's manual",
          },
        ],
      },
    ],
  };
}

/** Returns the used heap of this process. The insurer and the callers also run in this process. */
function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed;
}
