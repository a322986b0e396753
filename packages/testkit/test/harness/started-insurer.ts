import { onTestFinished } from "vitest";
import {
  type Arrival,
  type FaultInjectingInsurer,
  type FaultInjectingInsurerOptions,
  type InsurerAnswer,
  startFaultInjectingInsurer,
} from "../../src/index.ts";

/** An insurer that records the requests that it carries out. */
export interface StartedInsurer extends FaultInjectingInsurer {
  /** The numbers of the requests that were carried out, in order. */
  readonly executed: readonly number[];
}

/** The insurer's answer without a fault. */
export const CONFIRMED: InsurerAnswer = {
  status: 201,
  body: '{"applicationId":"A-1","premium":"99.00"}',
};

/** Starts an insurer that is closed when the test ends. */
export async function startInsurer(
  more: Partial<FaultInjectingInsurerOptions> = {},
): Promise<StartedInsurer> {
  const executed: number[] = [];
  const work = more.execute ?? (() => CONFIRMED);
  const insurer = await startFaultInjectingInsurer({
    ...more,
    execute(arrival: Arrival) {
      executed.push(arrival.number);
      return work(arrival);
    },
  });
  // If closing is expected to fail, the test itself has already handled the error.
  onTestFinished(() => insurer.close().catch(() => undefined));
  return { ...insurer, executed };
}
