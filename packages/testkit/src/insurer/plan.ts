import type { FaultName } from "./fault-names.ts";

/** The plan of the faults for the next requests. */
export interface Plan {
  /** The fault that `behave` set; null for none. */
  readonly currentFault: FaultName | null;
  /** The fault of the next request. */
  readonly next: FaultName | null;
  /** Sets the fault of every later request, and drops the rest of the script. */
  setFault(fault: FaultName | null): void;
  /** Adds faults to the script, which has priority over the fault of `behave`. */
  script(faults: readonly (FaultName | null)[]): void;
  /** Returns the fault of the arrived request, and removes the fault from the script. */
  take(): FaultName | null;
}

/** Creates a plan without faults. */
export function createPlan(): Plan {
  const scripted: (FaultName | null)[] = [];
  let currentFault: FaultName | null = null;
  const next = (): FaultName | null => {
    const [first = currentFault] = scripted;
    return first;
  };
  return {
    get currentFault() {
      return currentFault;
    },
    get next() {
      return next();
    },
    setFault(fault) {
      currentFault = fault;
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
