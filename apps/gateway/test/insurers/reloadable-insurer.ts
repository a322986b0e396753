import type { Adapter } from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { providerD } from "@insurance-gateway/provider-d";
import { onTestFinished } from "vitest";
import type { ProviderConfiguration } from "../../src/configuration/file.ts";
import type { InsurerCredential } from "../../src/configuration/insurer-credentials.ts";
import { unobserved } from "../../src/events.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { createInsurer, type Insurer, type Upstream } from "../../src/insurers/insurer.ts";
import { openTransport } from "../../src/insurers/insurer-access.ts";
import { json, startInsurer } from "../harness/insurer.ts";

/** A read of the insurer. */
export const readModels: Endpoint = {
  provider: "provider-d",
  path: "/models",
  kind: "read",
  method: "GET",
  response: { 200: loose<object>({}) },
};

/** A lookup that is fresh for ten minutes; each account has a separate answer. */
export const lookUpModels: Endpoint = {
  ...readModels,
  kind: "lookup",
  freshFor: 600,
  perAccount: true,
};

const adapter: Adapter = {
  name: "x",
  failures: [],
  async call({ method }, _, send, { settings }) {
    const path = `/models?agency=${String(settings.agency)}`;
    const response = await send({ method, path });
    const { mediaType, status } = response;
    const content: unknown = JSON.parse(await response.text());
    return status >= 400
      ? { type: "refusal", status, mediaType, content }
      : { type: "value", status, value: {} };
  },
};

/** Further changes of a reload. Every reload also changes the `agency` in the provider's settings. */
interface Changed {
  /** The OAuth client id of the default account. */
  readonly own?: string;
  /** The OAuth client id of the account in the configuration file. */
  readonly filed?: string;
  /** The API key that replaces the token of the default account. */
  readonly key?: string;
}

/** An insurer with recorded requests, whose answers the test sets. */
export interface ReloadableInsurer {
  readonly insurer: Insurer;
  /** The client ids for which tokens were issued. */
  readonly fetches: readonly string[];
  /** The accounts that were read from the store. */
  readonly reads: readonly string[];
  /** The agencies in the settings of the calls. */
  readonly agencies: readonly (string | undefined)[];
  /** The recorded waits of calls for the insurer, in milliseconds. */
  readonly waits: readonly number[];
  /** Returns how many requests for models the insurer has received. */
  readonly calls: () => number;
  /** Sets the status of the insurer's answers. */
  readonly answerWith: (status: number) => void;
  /** Moves the clock. */
  readonly pass: (milliseconds: number) => void;
  /** Makes one call of an account. The call's wait is added to `waits`, or passed to `waited`. */
  readonly call: (
    account: string,
    endpoint?: Endpoint,
    waited?: (milliseconds: number) => void,
  ) => Promise<UpstreamAnswer>;
  /** Reloads the settings, and closes the parts that only the old settings used. */
  readonly reload: (agency: string, changed?: Changed) => Promise<void>;
}

/** Opens an insurer for three accounts with tokens: the default account, one of the file and one of the store. */
export async function openInsurer(freshMinutes?: number): Promise<ReloadableInsurer> {
  const fetches: string[] = [];
  const waits: number[] = [];
  const agencies: (string | undefined)[] = [];
  let status = 200;
  const server = await startInsurer((response, arrival) => {
    const client = /client_id=(\w+)/.exec(arrival.body)?.[1];
    if (client === undefined) agencies.push(/agency=(\w+)/.exec(arrival.url)?.[1]);
    else fetches.push(client);
    const token = { access_token: "token", token_type: "Bearer" };
    json(client === undefined ? status : 200, token)(response, arrival);
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
  // `createInsurer` needs no other settings.
  const settings = {
    ...limits,
    answers: { ...limits.answers, freshMinutes },
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
    async readAccount(_, id) {
      reads.push(id);
      return id === "bare"
        ? { credentials: null, settings: null }
        : { credentials: credentialsOf(id), settings: { agency: id } };
    },
    maintainedMs: () => 0,
    answerBudget: createAnswerBudget(() => 1_000_000_000),
    openTransport,
  });
  onTestFinished(async () => {
    await insurer.close();
    await server.close();
  });
  const fixed = (key: string): readonly InsurerCredential[] => [
    { type: "fixed", content: { headers: { "x-key": key }, login: null } },
  ];
  const open = (agency: string, { filed = "filed", key, own = "own" }: Changed = {}): Upstream =>
    insurer.open(
      installed,
      {
        ...limits,
        adapter,
        settings: { agency },
        baseUrl,
        credentials: key === undefined ? credentialsOf(own) : fixed(key),
        tls: {},
        connections: 1,
        sandbox: true,
      },
      new Map([["filed", { credentials: credentialsOf(filed), settings: { agency } }]]),
    );
  let current = open("first");
  return {
    insurer,
    fetches,
    reads,
    agencies,
    waits,
    calls: () => agencies.length,
    answerWith(next) {
      status = next;
    },
    pass(milliseconds) {
      clock += milliseconds;
    },
    call: async (
      account,
      endpoint = readModels,
      waited = (milliseconds) => void waits.push(milliseconds),
    ) =>
      await current.call(endpoint, {
        account,
        requestId: "request",
        traceHeaders: {},
        scenario: undefined,
        waited,
        input: { params: {}, query: {}, headers: {}, body: undefined },
        callerGone: null,
        submissionId: null,
      }),
    async reload(agency, changed) {
      const before = current;
      current = open(agency, changed);
      await before.close();
    },
  };
}
