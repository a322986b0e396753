import type { Endpoint } from "./endpoint.ts";
import type { InputOf, ResponseOf } from "./input.ts";

/** A named example of a call with its request and its answer. All values are invented. */
export interface Example<E extends Endpoint> {
  /** The subject of the example, in one line. */
  readonly summary: string;
  readonly request: InputOf<E>;
  /** The answer; absent for a document. */
  readonly response?: ResponseOf<E>;
}

/** The examples of one endpoint, by name. */
export type Examples<E extends Endpoint> = Readonly<Record<string, Example<E>>>;
