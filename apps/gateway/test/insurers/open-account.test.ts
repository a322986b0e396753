import type { Socket } from "node:net";
import type { FetchResult } from "@insurance-gateway/core/auth";
import { providerD } from "@insurance-gateway/provider-d";
import { expect, it, onTestFinished } from "vitest";
import { unobserved } from "../../src/events.ts";
import { type InsurerGeneration, openAccount } from "../../src/insurers/account/open-account.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import { createRetries } from "../../src/insurers/resilience/retries.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { writeLog } from "../submissions/written-log.ts";

/** Opens an account whose token server the test controls. Records the results of the account's token requests. */
async function openWithTokens(isOpenedAfterReload = false) {
  const server = await startInsurer(() => undefined);
  const results: FetchResult[] = [];
  const recovered: string[] = [];
  const log = writeLog();
  let clock = 0;
  const timeouts = { connectMs: 5_000, totalMs: 10_000, submissionMs: 10_000 };
  const insurer: InsurerAccess = {
    adapter: { name: "x", failures: [], call: () => Promise.reject(new TypeError("No call")) },
    settings: {},
    baseUrl: server.baseUrl,
    credentials: [
      {
        type: "oauth2",
        tokenUrl: `${server.baseUrl}/token`,
        clientId: "broker",
        scope: undefined,
        audience: undefined,
        tls: {},
        timeoutMs: 10_000,
        authentication: { type: "client_secret_post", secret: "secret" },
      },
    ],
    tls: {},
    timeouts,
    answers: { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 },
    compare: { except: [] },
    connections: 1,
    sandbox: false,
  };
  const generationOf = (clientId: string, secret = "secret"): InsurerGeneration => ({
    insurer: {
      ...insurer,
      credentials: insurer.credentials.map((one) =>
        one.type === "oauth2"
          ? { ...one, clientId, authentication: { type: "client_secret_post", secret } }
          : one,
      ),
    },
    contents: new Map(),
    // These parts are not used, because the test only fetches tokens.
    ...({} as Pick<InsurerGeneration, "readAnswer" | "transport">),
  });
  const first = generationOf("broker");
  let newest = isOpenedAfterReload ? generationOf("broker", "newer") : first;
  const account = openAccount({
    id: "default",
    content: null,
    provider: providerD,
    segment: "provider-d",
    retries: createRetries(() => ({
      attempts: 1,
      budgetPercent: 0,
      firstWaitMs: 1,
      longestWaitMs: 1,
    })),
    newest: () => newest,
    logger: log.logger,
    now: () => clock,
    observation: { ...unobserved, tokenFetched: (_, result) => void results.push(result) },
    recovered: (segment, id) => void recovered.push(`${segment} ${id}`),
  });
  account.with(newest);
  // A request that began before the reload still uses the old settings.
  account.with(first);
  onTestFinished(async () => {
    await account.close();
    await server.close();
  });
  const fetchToken = async (): Promise<void> => {
    await account
      .credentials()
      ?.ready({ timeoutMs: 10_000, signal: null })
      .catch(() => undefined);
  };
  const pass = (milliseconds: number): void => {
    clock += milliseconds;
  };
  /** Reloads the settings with this OAuth client, and closes the parts that only the old settings used. */
  const reload = async (clientId: string): Promise<void> => {
    newest = generationOf(clientId);
    account.with(newest);
    await account.leave(first);
  };
  return { account, fetchToken, log, pass, recovered, reload, results, server };
}

it("an account that has fetched no token does not count as refused, and its first token does not count as a recovery", async () => {
  const { account, fetchToken, recovered, results, server } = await openWithTokens();
  const refused: boolean[] = [account.isRefused()];
  server.behaviour = (response, arrival) => {
    refused.push(account.isRefused());
    json(200, { access_token: "token-1", token_type: "Bearer" })(response, arrival);
  };
  await fetchToken();
  refused.push(account.isRefused());
  expect([results, refused, recovered]).toEqual([["fetched"], [false, false, false], []]);
});

it("an account reports one used connection to the token server while the account fetches a token", async () => {
  const { account, fetchToken, server } = await openWithTokens();
  const used = [account.underWay()];
  server.behaviour = (response, arrival) => {
    used.push(account.underWay());
    json(200, { access_token: "token-1", token_type: "Bearer" })(response, arrival);
  };
  await fetchToken();
  expect(used).toEqual([0, 1]);
  await expect.poll(() => account.underWay()).toBe(0);
});

it("an account counts as refused after a refusal by the token server until the gateway has fetched a token for the account", async () => {
  const { account, fetchToken, log, pass, recovered, results, server } = await openWithTokens();
  server.behaviour = json(401, { error: "invalid_client" });
  await fetchToken();
  const names = { provider: "provider-d", segment: "provider-d" };
  const msg = "an insurer's token cannot be fetched";
  expect(log.read()).toEqual([{ level: 40, ...names, reason: "refused", msg }]);
  expect([results, account.isRefused(), recovered]).toEqual([["refused"], true, []]);
  server.behaviour = json(200, { access_token: "token-1", token_type: "Bearer" });
  pass(60_000);
  await fetchToken();
  expect([account.isRefused(), recovered]).toEqual([false, ["provider-d default"]]);
  expect(log.read()).toEqual([]);
});

it.each([
  ["another client", "other", true],
  ["the same client", "broker", false],
])(
  "a reload closes the connection to the token server only if the OAuth client has changed: %s",
  async (_, clientId, isClosed) => {
    const { fetchToken, pass, reload, results, server } = await openWithTokens();
    const sockets: Socket[] = [];
    server.behaviour = (response, arrival) => {
      if (response.socket !== null) sockets.push(response.socket);
      json(200, { access_token: "token-1", token_type: "Bearer", expires_in: 3_600 })(
        response,
        arrival,
      );
    };
    await fetchToken();
    await reload(clientId);
    if (isClosed) await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    pass(3_600_000);
    await fetchToken();
    expect(results).toEqual(["fetched", "fetched"]);
  },
);

it.each([
  ["old settings after a reload", "leave"],
  ["an account", "close"],
])(
  "the closing of an account or of an account's settings waits until the running token request has ended: %s",
  async (_, end) => {
    const { account, fetchToken, reload, server } = await openWithTokens();
    const asked = Promise.withResolvers<() => void>();
    server.behaviour = (response, arrival) =>
      asked.resolve(() => json(200, { access_token: "token-1" })(response, arrival));
    const fetched = fetchToken();
    const answer = await asked.promise;
    const left = (end === "leave" ? reload("other") : account.close()).then(() => "left");
    const turn = new Promise((resolve) => void setImmediate(resolve, "under way"));
    expect(await Promise.race([left, turn])).toBe("under way");
    answer();
    expect(await left).toBe("left");
    await fetched;
  },
);

it("a token request after a reload has the new client secret, even if a call from before the reload causes the request", async () => {
  const { fetchToken, server } = await openWithTokens(true);
  server.behaviour = json(200, { access_token: "token-1", token_type: "Bearer" });
  await fetchToken();
  expect(server.arrivals.map(({ body }) => /client_secret=(\w+)/.exec(body)?.[1])).toEqual([
    "newer",
  ]);
});
