import type { Fault } from "@insurance-gateway/core/contract";

/** Returns the simulated time. Handlers use no other clock. */
export type Clock = () => Date;

/** A stored record of a simulated insurer. */
export interface SandboxRecord {
  readonly id: string;
}

/** A refusal in the declared contract: a problem with one of the gateway's codes. */
export interface InsurerProblem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly Fault[];
}
