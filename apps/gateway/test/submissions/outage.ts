import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { createSteppedTime } from "./stepped-time.ts";

/** A gateway, and provider D's insurer during an outage and after it. The test controls the clock. */
export interface Outage {
  readonly gateway: GatewayInProcess;
  /** Customers of the submissions of unknown outcome, oldest first. */
  readonly customers: readonly string[];
  /**
   * Advances the time in steps.
   * @returns the customers for whom the gateway queried the insurer, step by step
   */
  pass(milliseconds: number, step: number): Promise<readonly (readonly string[])[]>;
  /** Makes the insurer answer again. */
  recover(): void;
  /** Returns the number of submissions in each state. */
  states(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Default limit of reconciliation queries to one insurer, which the specification states. */
export const QUERIES_PER_SECOND = 5;
const FIRST_CUSTOMER = 200_000_000;
const SIMULTANEOUS_SUBMISSIONS = 16;
/** Maximum number of polls in a row in which no query arrives. Each poll takes at least a millisecond. */
const MAX_POLLS = 1_000;

/** Starts an outage: the insurer executes the submissions, and breaks every connection instead of answering. */
export async function startOutage(submissions: number): Promise<Outage> {
  const time = createSteppedTime();
  const { execute } = createApplicationsInsurer(() => new Date(time.now()));
  let away = true;
  let queried: string[] = [];
  const insurer: Insurer = await startInsurer((response, { body, method, url }) => {
    const query = url.split("?")[1] ?? "";
    if (method === "GET") queried.push(new URLSearchParams(query).get("clientAfm") ?? "");
    const answer = method === "POST" || !away ? execute({ body, method, query }) : null;
    if (away || answer === null) return void response.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body);
  });
  const gateway = await startInProcess(
    {
      providers: [
        {
          ...insurerConfiguration("d", insurer.baseUrl),
          retries: { attempts: 1 },
          // The test measures the pace of reconciliation, which no circuit breaker may change.
          breaker: { failuresInRow: 10_000, minCalls: 10_000 },
          callerLimit: { requests: 100_000 },
        },
      ],
    },
    {},
    { time },
  );

  /**
   * Waits until the tasks of a time step have ended, or have sent this second's queries. A query whose connection
   * failed never arrives, so time also advances after a while without an arrival.
   */
  async function settle(): Promise<void> {
    const isDone = (): boolean => time.running() === 0 || queried.length >= QUERIES_PER_SECOND;
    for (let polls = 0, seen = 0; !isDone() && polls < MAX_POLLS; polls++) {
      await setTimeout(1);
      if (queried.length !== seen) polls = 0;
      seen = queried.length;
    }
  }

  const customers = Array.from({ length: submissions }, (_, index) =>
    String(FIRST_CUSTOMER + index),
  );
  const waiting = customers.values();
  const submit = async (): Promise<void> => {
    for (const afm of waiting) {
      const { status } = await submitApplication(gateway, applicationBody(afm));
      expect(status).toBe(504);
    }
  };
  await Promise.all(Array.from({ length: SIMULTANEOUS_SUBMISSIONS }, submit));

  return {
    gateway,
    customers,
    async pass(milliseconds, step) {
      const steps: (readonly string[])[] = [];
      for (let passed = 0; passed < milliseconds; passed += step) {
        time.step(step);
        await settle();
        steps.push(queried);
        queried = [];
      }
      return steps;
    },
    recover() {
      away = false;
    },
    states() {
      const file = join(gateway.folder.path, "data", "submissions.sqlite");
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database
        .prepare("SELECT state, count(*) AS number FROM gateway_submissions GROUP BY state")
        .all();
      database.close();
      return new Map(rows.map(({ number, state }) => [String(state), Number(number)]));
    },
    async close() {
      // When the gateway stops, the queries that wait for the next second continue.
      await gateway.stop();
      await insurer.close();
    },
  };
}
