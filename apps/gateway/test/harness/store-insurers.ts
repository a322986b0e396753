import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { createApplicationsInsurer } from "./applications.ts";
import { insurerConfiguration } from "./gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "./insurer.ts";

/** The insurer of provider D for submissions, and the insurer of provider A for lookups. */
export interface StoreInsurers {
  /** The configuration of a gateway for both insurers. */
  readonly configuration: object;
  readonly applications: FaultInjectingInsurer;
  readonly brands: Insurer;
  /** Sets work that the insurer does between a submission's execution and the answer. */
  beforeAnswer(work: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Starts both insurers. */
export async function startStoreInsurers(): Promise<StoreInsurers> {
  const { execute } = createApplicationsInsurer();
  let work = async (): Promise<void> => {};
  const applications = await startFaultInjectingInsurer({
    async execute(arrival) {
      const answer = execute(arrival);
      if (arrival.method !== "POST") return answer;
      await work();
      return { ...answer, body: withRemarks(String(answer.body)) };
    },
  });
  const brands = await startInsurer(json(200, { items: [] }));
  return {
    configuration: {
      providers: [
        insurerConfiguration("d", applications.baseUrl),
        insurerConfiguration("a", brands.baseUrl),
      ],
    },
    applications,
    brands,
    beforeAnswer(next) {
      work = next;
    },
    async close() {
      await applications.close();
      await brands.close();
    },
  };
}

/** Adds a long undeclared text to an answer, so that a full disk has no space for the answer. */
function withRemarks(text: string): string {
  const body: object = JSON.parse(text);
  return JSON.stringify({ ...body, remarks: "ν".repeat(8_000) });
}

/** Returns the ids of the submissions that reached the insurer. */
export function submissionsAt({ applications }: StoreInsurers): readonly string[] {
  return applications
    .arrivals()
    .filter(({ method }) => method === "POST")
    .map(({ submissionId }) => submissionId ?? "none");
}

/** Answers of the insurer that the test delays. */
export interface HeldAnswers {
  /** Resolves when the given number of submissions wait for their answers. */
  readonly all: Promise<void>;
  release(): void;
}

/** Delays the insurer's answers to the next submissions. The insurer executes these submissions without delay. */
export function holdAnswers(insurers: StoreInsurers, count: number): HeldAnswers {
  const all = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let held = 0;
  insurers.beforeAnswer(async () => {
    if (held === count) return;
    held += 1;
    if (held === count) all.resolve();
    await released.promise;
  });
  return { all: all.promise, release: () => released.resolve() };
}
