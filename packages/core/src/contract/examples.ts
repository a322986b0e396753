import type { Endpoint } from "./endpoint.ts";
import type { InputOf, ResponseOf } from "./input.ts";

/** One named example of a call: what is sent and what comes back. Values are plausible and belong to nobody. */
export interface Example<E extends Endpoint> {
  /** What the example shows, in one line. */
  readonly summary: string;
  readonly request: InputOf<E>;
  /** The answer; left out for a document. */
  readonly response?: ResponseOf<E>;
}

/** The examples of one endpoint, by name. */
export type Examples<E extends Endpoint> = Readonly<Record<string, Example<E>>>;
