import type { ServerResponse } from "node:http";
import type { Environment } from "../../src/configuration/load.ts";
import {
  applicationBody,
  createApplicationsInsurer,
  listedApplication,
  submitApplication,
} from "./applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./gateway-in-process.ts";
import { type HeldTime, holdTime } from "./held-time.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "./insurer.ts";

/** A gateway with providers A, C and D, and the insurer of all three. */
export interface Site {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** Sends a GET request. Default path: provider D's search. */
  readonly ask: (path?: string) => Promise<Response>;
  /** Submits an application to provider D. */
  readonly submit: (body?: object, key?: string) => Promise<Response>;
  /** Sends one search while the insurer fails, and returns the status. */
  readonly fail: () => Promise<number>;
  /** Sends one search while the insurer works, and returns the status. */
  readonly work: () => Promise<number>;
  /** Moves the clock forward and runs the scheduled tasks that are due. */
  readonly pass: (milliseconds: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A valid answer to a search, without items. */
export const nothingFound: Behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });

/** A valid answer to a search for the customer 123456789, with one item. */
export const oneFound: Behaviour = json(200, {
  items: [
    listedApplication(applicationBody("123456789"), {
      applicationId: "D-1",
      createdAt: "2030-01-01T00:00:00Z",
      updatedAt: "2030-01-01T00:00:00Z",
    }),
  ],
  start: 1,
  limit: 20,
  total: 1,
});

const SEARCH = "/provider-d/applications/search?clientAfm=123456789";

/** Settings that switch off retries and, in practice, the circuit breaker. */
const plain = { retries: { attempts: 1 }, breaker: { failuresInRow: 10_000, minCalls: 10_000 } };

/**
 * Starts a gateway with providers A, C and D.
 * @param provider - settings of each provider
 * @param configuration - the other settings of the gateway
 */
export async function startSite(
  provider: object,
  configuration: object = {},
  environment: Environment = {},
): Promise<Site> {
  const insurer = await startInsurer(nothingFound);
  const time = holdTime();
  const providers = ["a", "c", "d"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    ...plain,
    ...provider,
  }));
  const gateway = await startInProcess({ providers, ...configuration }, environment, { time });
  const ask: Site["ask"] = (path = SEARCH) => gateway.ask(path);
  const askOnce = async (behaviour: Behaviour): Promise<number> => {
    insurer.behaviour = behaviour;
    const response = await ask();
    await response.arrayBuffer();
    return response.status;
  };
  return {
    gateway,
    insurer,
    time,
    ask,
    submit: (body = applicationBody(), key?: string) =>
      submitApplication(gateway, body, key === undefined ? {} : { "idempotency-key": key }),
    fail: () => askOnce(json(500, {})),
    work: () => askOnce(nothingFound),
    async pass(milliseconds) {
      time.forward(milliseconds);
      await time.tick();
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/** Returns an insurer that accepts applications. The test can change each answer. */
export function taking(change: (application: object) => object = (same) => same): Behaviour {
  const applications = createApplicationsInsurer();
  return (response, arrival) => {
    const { body, status } = applications.execute({ ...arrival, query: "" });
    json(status, change(JSON.parse(String(body))))(response, arrival);
  };
}

/** Returns an insurer that answers after a delay. */
export function late(milliseconds: number, answer: Behaviour): Behaviour {
  return (response, arrival) => {
    const timer = setTimeout(() => answer(response, arrival), milliseconds);
    response.once("close", () => clearTimeout(timer));
  };
}

/** Returns an insurer that waits until the test releases its answers. */
export function holding(answer: Behaviour): {
  readonly behaviour: Behaviour;
  /** Sends all waiting answers, and answers later requests without a wait. */
  readonly release: () => void;
} {
  const waiting: (() => void)[] = [];
  let isReleased = false;
  return {
    behaviour(response: ServerResponse, arrival) {
      if (isReleased) answer(response, arrival);
      else waiting.push(() => answer(response, arrival));
    },
    release() {
      isReleased = true;
      for (const one of waiting) one();
    },
  };
}
