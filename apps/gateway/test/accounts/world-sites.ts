import type { Environment } from "../../src/configuration/load.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { openMemoryStore } from "../harness/direct-store.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import {
  createMemoryTransport,
  type MemoryArrival,
  type MemoryInsurer,
} from "../harness/memory-transport.ts";
import {
  type Bearer,
  CLAIM,
  environmentOf,
  providersOf,
  startBrokers,
  startIssuers,
} from "./brokers.ts";
import { startWithoutSockets } from "./gateway-without-sockets.ts";

/** A gateway and its insurer for the random steps of a world. */
export interface Site {
  readonly time: HeldTime;
  ask(bearer: Bearer, path: string): Promise<SiteAnswer>;
  submit(bearer: Bearer, body: object, key: string | undefined): Promise<SiteAnswer>;
  /** Returns the requests that have reached the insurer since the last call of this function. */
  takeArrivals(): readonly Pick<MemoryArrival, "headers" | "method" | "url">[];
  usageOn(day: string): ReturnType<SubmissionStore["usageOn"]>;
  stop(): Promise<void>;
}

/** An answer of the gateway. */
export interface SiteAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Arguments of `StartSite`. */
export interface SiteParts {
  /** The accounts of the configuration. */
  readonly list: readonly object[];
  /** The accounts' ids, which are also their API keys at the insurer. */
  readonly ids: readonly string[];
  readonly insurer: MemoryInsurer;
  /** Settings of both providers. */
  readonly provider: object;
}

/** Starts a gateway for a world. */
export type StartSite = (parts: SiteParts) => Promise<Site>;

const MORE = { submissions: { queriesPerSecond: 1_000 } };

/** Returns a function that starts a gateway with HTTP and with SQLite or PostgreSQL. */
export function overHttp(environment: Environment = {}): StartSite {
  return async ({ ids, insurer, list, provider }) => {
    const brokers = await startBrokers({ claim: CLAIM, list }, behaviourOf(insurer), {
      ids,
      environment,
      provider,
      more: MORE,
    });
    const place = { data: `${brokers.folder.path}/data`, databaseUrl: environment.DATABASE_URL };
    return {
      time: brokers.time,
      ask: async (bearer, path) => answerOf(await brokers.ask(bearer, path)),
      submit: async (bearer, body, key) => answerOf(await brokers.submit(bearer, body, key)),
      takeArrivals: () =>
        brokers.insurer.arrivals.splice(0).map(({ headers, method, url }) => ({
          method,
          url,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, String(value)]),
          ),
        })),
      async usageOn(day) {
        const store = await openStore(place, "beside");
        try {
          return await store.usageOn(day, null);
        } finally {
          await store.close();
        }
      },
      stop: () => brokers.stop(),
    };
  };
}

function behaviourOf(insurer: MemoryInsurer): Behaviour {
  return (response, arrival) => {
    const headers = Object.fromEntries(
      Object.entries(arrival.headers).map(([name, value]) => [name, String(value)]),
    );
    const answer = insurer({ ...arrival, headers });
    if (answer === null) response.destroy();
    else json(answer.status, answer.body)(response, arrival);
  };
}

async function answerOf(response: Response): Promise<SiteAnswer> {
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.headers.get(name),
  };
}

/**
 * Starts a gateway without sockets and with a store in memory. Such a gateway executes some hundred times more steps
 * per second than a gateway with sockets.
 */
export const inMemory: StartSite = async ({ ids, insurer, list, provider }) => {
  const time = holdTime();
  const issuers = await startIssuers(time);
  const arrivals: MemoryArrival[] = [];
  const store = await openMemoryStore();
  const gateway = await startWithoutSockets(
    {
      issuers: issuers.configuration,
      providers: providersOf({ baseUrl: "http://insurer.example/api" }, provider),
      accounts: { claim: CLAIM, list },
      ...MORE,
    },
    environmentOf(["default", ...ids]),
    {
      time,
      openStore: async () => store,
      openTransport: () =>
        createMemoryTransport((arrival) => {
          arrivals.push(arrival);
          return insurer(arrival);
        }),
    },
  );
  const send = async (
    bearer: Bearer,
    request: Parameters<typeof gateway.handle>[0],
  ): Promise<SiteAnswer> => {
    const authorization = `Bearer ${issuers.token(bearer)}`;
    const headers = { ...request.headers, authorization };
    const { headers: answered, status, text } = await gateway.handle({ ...request, headers });
    return { status, text, header: (name) => answered.get(name) ?? null };
  };
  return {
    time,
    ask: (bearer, url) => send(bearer, { method: "GET", url, headers: {} }),
    submit: (bearer, body, key) =>
      send(bearer, {
        method: "POST",
        url: "/provider-d/applications",
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        body: JSON.stringify(body),
      }),
    takeArrivals: () => arrivals.splice(0),
    usageOn: (day) => store.usageOn(day, null),
    async stop() {
      await gateway.stop();
      await issuers.close();
    },
  };
};
