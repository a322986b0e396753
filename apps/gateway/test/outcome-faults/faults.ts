import { answerFaults } from "./answer-faults.ts";
import { connectionFaults } from "./connection-faults.ts";
import type { Fault } from "./fault.ts";
import { foreignAnswerFaults } from "./foreign-answer-faults.ts";
import { refusalFaults } from "./refusal-faults.ts";
import { repeatFaults } from "./repeat-faults.ts";
import { transferFaults } from "./transfer-faults.ts";

/** A group of faults. */
export interface Family {
  readonly title: string;
  readonly faults: readonly Fault[];
}

/**
 * All faults, each once. Faults that nobody can notice from outside are left out: an insurer executes an application
 * and refuses the application with the contract's own codes, or reports a success without an execution.
 */
export const families: readonly Family[] = [
  { title: "the connection", faults: connectionFaults },
  { title: "the transfer of the answer", faults: transferFaults },
  { title: "the form of the answer", faults: answerFaults },
  { title: "refusals and redirects", faults: refusalFaults },
  { title: "answers that belong to another request", faults: foreignAnswerFaults },
  { title: "repetitions of the same key", faults: repeatFaults },
];
