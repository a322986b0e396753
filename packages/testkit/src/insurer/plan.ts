import type { FaultName } from "./fault-names.ts";

/** What the next request is met with. */
export interface Plan {
  /** What `behave` said last; null to work normally. */
  readonly standing: FaultName | null;
  /** What the next request will be met with. */
  readonly next: FaultName | null;
  /** Holds for every request from now on; what is left of the script is dropped. */
  stand(fault: FaultName | null): void;
  /** Adds to the script, which overrides the standing behaviour. */
  script(faults: readonly (FaultName | null)[]): void;
  /** What this request is met with, taken off the script. */
  take(): FaultName | null;
}

/** Makes a plan of no faults. */
export function createPlan(): Plan {
  const scripted: (FaultName | null)[] = [];
  let standing: FaultName | null = null;
  const next = (): FaultName | null => {
    const [first = standing] = scripted;
    return first;
  };
  return {
    get standing() {
      return standing;
    },
    get next() {
      return next();
    },
    stand(fault) {
      standing = fault;
      scripted.length = 0;
    },
    script(faults) {
      scripted.push(...faults);
    },
    take() {
      const fault = next();
      scripted.shift();
      return fault;
    },
  };
}
