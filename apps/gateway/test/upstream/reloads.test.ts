import type { Adapter } from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { providerD } from "@insurance-gateway/provider-d";
import { expect, it, onTestFinished } from "vitest";
import type { ProviderConfiguration } from "../../src/configuration/file.ts";
import type { InsurerCredential } from "../../src/insurer-credentials/configured.ts";
import { unobserved } from "../../src/observation/unobserved.ts";
import { createAnswerBudget } from "../../src/resilience/answer-budget.ts";
import { openTransport } from "../../src/upstream/attempt.ts";
import { createInsurer } from "../../src/upstream/upstream.ts";
import { json, startInsurer } from "../harness/insurer.ts";

const readModels: Endpoint = {
  provider: "provider-d",
  path: "/models",
  kind: "read",
  method: "GET",
  response: { 200: loose<object>({}) },
};

const lookUpModels: Endpoint = {
  ...readModels,
  kind: "lookup",
  freshFor: 600,
  perConnection: true,
};

const adapter: Adapter = {
  name: "x",
  failures: [],
  async call(_, __, send) {
    await (await send({ method: "GET", path: "/models" })).text();
    return { type: "value", status: 200, value: {} };
  },
};

/** An insurer with tokens for its default connection, one of the configuration file and one of the store. */
async function openInsurer() {
  const fetches: string[] = [];
  let calls = 0;
  const server = await startInsurer((response, arrival) => {
    const client = /client_id=(\w+)/.exec(arrival.body)?.[1];
    if (client === undefined) calls += 1;
    else fetches.push(client);
    json(200, { access_token: "token", token_type: "Bearer" })(response, arrival);
  });
  const { baseUrl } = server;
  const credentialsOf = (clientId: string): readonly InsurerCredential[] => [
    {
      type: "oauth2",
      tokenUrl: `${baseUrl}/token`,
      clientId,
      scope: undefined,
      audience: undefined,
      tls: {},
      timeoutMs: 10_000,
      authentication: { type: "client_secret_post", secret: "secret" },
    },
  ];
  const limits = {
    timeouts: { connectMs: 5_000, totalMs: 10_000, submissionMs: 10_000 },
    answers: { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 },
    compare: { except: [] },
  };
  // An upstream reads these of the configuration.
  const settings = {
    ...limits,
    retries: { attempts: 1, firstWaitMs: 1, longestWaitMs: 1, budgetPercent: 0 },
    bulkhead: { running: 1, queued: 0, queueMs: 1 },
    callerLimit: { requests: 1, windowSeconds: 1 },
    failures: [],
  } as unknown as ProviderConfiguration;
  const installed = {
    provider: providerD,
    adapter,
    settings,
    folder: "",
    segment: "d",
    upstream: { baseUrl, credentials: [], tls: {} },
    insurerSettings: null,
  };
  const reads: string[] = [];
  let clock = 0;
  const insurer = createInsurer(installed, true, {
    observation: unobserved,
    logger: { error: () => undefined, info: () => undefined, warn: () => undefined },
    received: () => undefined,
    now: () => clock,
    recovered: () => undefined,
    async readConnection(_, id) {
      reads.push(id);
      return { credentials: credentialsOf(id), settings: {} };
    },
    maintainedMs: () => 0,
    answerBudget: createAnswerBudget(() => 1_000_000_000),
    openTransport,
  });
  onTestFinished(async () => {
    await insurer.close();
    await server.close();
  });
  const open = (agency: string, { own = "own", filed = "filed" } = {}) =>
    insurer.open(
      installed,
      {
        ...limits,
        adapter,
        settings: { agency },
        baseUrl,
        credentials: credentialsOf(own),
        tls: {},
        connections: 1,
        sandbox: true,
      },
      new Map([["filed", { credentials: credentialsOf(filed), settings: { agency } }]]),
    );
  let current = open("first");
  return {
    fetches,
    reads,
    tokenAgeMs: () => insurer.traffic().tokenAgeMs,
    pass: (milliseconds: number) => {
      clock += milliseconds;
    },
    /** How many requests for models the insurer has got. */
    calls: () => calls,
    /** Makes one call over a connection. */
    call: async (connection: string, endpoint = readModels): Promise<void> => {
      await current.call(endpoint, {
        connection,
        requestId: "request",
        traceHeaders: {},
        scenario: undefined,
        waited: () => undefined,
        input: { params: {}, query: {}, headers: {}, body: undefined },
        callerGone: null,
        submissionId: null,
      });
    },
    reload: async (...settings: Parameters<typeof open>): Promise<void> => {
      const before = current;
      current = open(...settings);
      await before.close();
    },
  };
}

const connections = ["default", "filed", "stored"];

it.each([
  ["changes nothing of it leaves every connection as it is", "first", []],
  ["changes the provider's settings opens those of the store again", "second", ["stored"]],
])("a reload that %s, with its token", async (_, agency, again) => {
  const { call, fetches, reads, reload } = await openInsurer();
  for (const connection of connections) await call(connection);
  expect([fetches, reads]).toEqual([
    ["own", "filed", "stored"],
    ["filed", "stored"],
  ]);
  await reload(agency);
  for (const connection of connections) await call(connection);
  expect([fetches.slice(3), reads.slice(2)]).toEqual([again, again]);
});

it("the age of an insurer's token is that of the oldest", async () => {
  const { call, pass, reload, tokenAgeMs } = await openInsurer();
  expect(tokenAgeMs()).toBeNull();
  await call("default");
  pass(1_000);
  await call("filed");
  pass(500);
  expect(tokenAgeMs()).toBe(1_500);
  await reload("first");
  expect(tokenAgeMs(), "after a reload").toBe(1_500);
});

it.each([
  ["nothing", "first", {}, []],
  ["the credentials of a connection of the file", "first", { filed: "other" }, ["filed"]],
  ["the insurer's own credentials", "first", { own: "other" }, ["default"]],
  ["the provider's settings", "second", {}, connections],
])(
  "a reload that changes %s drops the answers of lookups that may depend on it",
  async (_, agency, changed, again) => {
    const { call, calls, reload } = await openInsurer();
    for (const connection of connections) await call(connection, lookUpModels);
    await reload(agency, changed);
    const askedAgain: string[] = [];
    for (const connection of connections) {
      const before = calls();
      await call(connection, lookUpModels);
      if (calls() > before) askedAgain.push(connection);
    }
    expect(askedAgain).toEqual(again);
  },
);
