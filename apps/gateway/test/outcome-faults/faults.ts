import { answerFaults } from "./answer-faults.ts";
import { connectionFaults } from "./connection-faults.ts";
import type { Fault } from "./fault.ts";
import { foreignAnswerFaults } from "./foreign-answer-faults.ts";
import { refusalFaults } from "./refusal-faults.ts";
import { repeatFaults } from "./repeat-faults.ts";
import { transferFaults } from "./transfer-faults.ts";

/** A family of faults. */
export interface Family {
  readonly title: string;
  readonly faults: readonly Fault[];
}

/**
 * Every fault, once. One thing is left out on purpose: an insurer that carries an application out and then refuses it
 * in the contract's own words, or the other way round, cannot be noticed from outside.
 */
export const families: readonly Family[] = [
  { title: "the connection", faults: connectionFaults },
  { title: "the transfer of the answer", faults: transferFaults },
  { title: "the form of the answer", faults: answerFaults },
  { title: "refusals and redirects", faults: refusalFaults },
  { title: "foreign answers", faults: foreignAnswerFaults },
  { title: "how the same key comes again", faults: repeatFaults },
];
