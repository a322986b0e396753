import { alteredAnswers } from "./altered-answers.ts";
import type { ConnectionFaultName, FaultName } from "./fault-names.ts";
import { fixedAnswers } from "./fixed-answers.ts";
import { wireFaults } from "./wire-faults.ts";

/** The description of a fault. */
export interface FaultDescription {
  /** One line that completes "the insurer …". */
  readonly description: string;
  /** True if it carries out the requests that arrive. */
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

/** Every fault with one line that says what the insurer does, and whether it carries the request out. */
export const insurerFaults: Readonly<Record<FaultName, FaultDescription>> = {
  ...connectionFaults,
  ...wireFaults,
  ...alteredAnswers,
  ...fixedAnswers,
};
