import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { createApplicationsInsurer } from "./applications.ts";
import { insurerConfiguration } from "./gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "./insurer.ts";

/** Provider D's insurer, which takes submissions, and provider A's, which is only looked up. */
export interface StoreInsurers {
  /** The configuration of a gateway before both. */
  readonly configuration: object;
  readonly applications: FaultInjectingInsurer;
  readonly brands: Insurer;
  /** Sets the work after a submission was carried out, before it is answered. */
  beforeAnswer(work: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Starts both. */
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

/** An answer with more than its declaration says, longer than the space that a full disk still has here and there. */
function withRemarks(text: string): string {
  const body: object = JSON.parse(text);
  return JSON.stringify({ ...body, remarks: "ν".repeat(8_000) });
}

/** The submissions that reached the insurer, by the id they came with. */
export function submissionsAt({ applications }: StoreInsurers): readonly string[] {
  return applications
    .arrivals()
    .filter(({ method }) => method === "POST")
    .map(({ submissionId }) => submissionId ?? "none");
}

/** Answers of the insurer that do not come yet. */
export interface HeldAnswers {
  /** Resolves when the given number of submissions wait for theirs. */
  readonly all: Promise<void>;
  release(): void;
}

/** Holds the answers to the next submissions, of which each has been carried out. */
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
