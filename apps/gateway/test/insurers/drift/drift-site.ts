import type { Difference } from "../../../src/events.ts";
import type { CountedKind } from "../../../src/operator/observation/counted-answers.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../../harness/held-time.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../../harness/insurer.ts";

/** Endpoint that a test calls. The insurer answers with JSON, or with a text that contains XML. */
export type Subject = "brands" | "countries" | "usages" | "applications" | "quote" | "declared";

/** Gateway with an insurer whose answers the test chooses. */
export interface DriftSite {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** Calls an endpoint once; the insurer sends this answer. Returns the status that the caller receives. */
  call(subject: Subject, answer: unknown): Promise<number>;
  /** Returns all differences that the gateway has found. */
  found(): Promise<readonly CountedKind<Difference>[]>;
  stop(): Promise<void>;
}

/** Starts the gateway with the dialects of the five insurers, and with provider D in the declared contract. */
export async function startDriftSite(configuration: object = {}): Promise<DriftSite> {
  const insurer = await startInsurer(json(500, {}));
  const time = holdTime();
  const plain = {
    retries: { attempts: 1 },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
    callerLimit: { requests: 10_000 },
    answers: { staleHours: 0 },
    // The insurer's pages contain applications of other customers, so the gateway must not compare the tax number.
    compare: { except: ["/holder/afm"] },
  };
  const own = (letter: string): object => ({
    ...insurerConfiguration(letter, insurer.baseUrl, { adapter: undefined }),
    ...plain,
  });
  const declared = { ...insurerConfiguration("d", insurer.baseUrl), ...plain, segment: "declared" };
  const gateway = await startInProcess(
    {
      providers: [...["a", "b", "c", "d", "e"].map(own), declared],
      drift: { samplePercent: 100 },
      ...configuration,
    },
    {},
    { time },
  );
  return {
    gateway,
    insurer,
    time,
    async call(subject, answer) {
      insurer.behaviour = behaviourOf(answer);
      const { body, path } = requests[subject];
      const response = await gateway.ask(path, { json: body });
      await response.arrayBuffer();
      return response.status;
    },
    async found() {
      // Each run of the comparison ends after a few milliseconds, so some answers may remain for the next run.
      for (let turn = 0; turn < MOST_COMPARED; turn += 1) await time.tick();
      const response = await fetch(`${gateway.operationsAddress}/drift`);
      return Reflect.get(Object(await response.json()), "items");
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}

/** Maximum number of calls between two reads of the differences. */
const MOST_COMPARED = 8;

const quote = { personDob: "1985-04-12", monthlyContribution: 100, durationYears: 20 };

const requests: Readonly<Record<Subject, { readonly path: string; readonly body?: object }>> = {
  brands: { path: "/provider-a/auto/brands" },
  countries: { path: "/provider-b/countries" },
  usages: { path: "/provider-c/vehicle/usages" },
  applications: { path: "/provider-d/applications/search?clientAfm=123456789" },
  quote: { path: "/provider-e/life/core/fast-pension-quote", body: quote },
  declared: { path: "/declared/applications/search?clientAfm=123456789" },
};

function behaviourOf(answer: unknown): Behaviour {
  if (typeof answer !== "string") return json(200, answer);
  const mediaType = answer.startsWith("<e:") ? "text/xml" : "application/json";
  return json(200, answer, { "content-type": `${mediaType}; charset=utf-8` });
}
