import { alteredAnswers } from "./altered-answers.ts";
import type { ConnectionFaultName, FaultName } from "./fault-names.ts";
import { fixedAnswers } from "./fixed-answers.ts";
import { wireFaults } from "./wire-faults.ts";

/** The description of a fault. */
export interface FaultDescription {
  /** The rest of a sentence that begins with "the insurer", in one line. */
  readonly description: string;
  /** True if the insurer carries out the request despite the fault. */
  readonly executes: boolean;
}

const connectionFaults: Readonly<Record<ConnectionFaultName, FaultDescription>> = {
  refuse: { description: "refuses the connection", executes: false },
  "accept-and-reset": {
    description: "accepts the connection and resets it before it has read anything",
    executes: false,
  },
  "keep-alive-closed": {
    description:
      "works normally, keeps the connection open and resets it when another request begins on it",
    executes: true,
  },
};

/** All faults, with their descriptions. */
export const insurerFaults: Readonly<Record<FaultName, FaultDescription>> = {
  ...connectionFaults,
  ...wireFaults,
  ...alteredAnswers,
  ...fixedAnswers,
};
