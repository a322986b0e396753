import type { FaultName } from "./fault-names.ts";

/** A request that arrived at the insurer. */
export interface Arrival {
  /** The request's number in the order of arrival, from 1. An existing log is continued. */
  readonly number: number;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The query without "?"; empty if there is none. */
  readonly query: string;
  /**
   * The request's Idempotency-Key: the content of a quoted string, or the unchanged header in any other form. Null if
   * the header is missing or repeated.
   */
  readonly submissionId: string | null;
  /**
   * The headers, by names in lower case. The log must not contain credentials, so it has only `accept`,
   * `accept-encoding`, `connection`, `content-encoding`, `content-length`, `content-type`, `expect`, `host`,
   * `idempotency-key`, `transfer-encoding`, `user-agent`, `x-request-id`, `x-sandbox-scenario`, and the headers that
   * `logHeaders` names.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, decoded as UTF-8. Invalid bytes are replaced. */
  readonly body: string;
}

/** The insurer's normal answer. */
export interface InsurerAnswer {
  readonly status: number;
  /** The headers. Default `content-type`: `application/json`. The insurer adds the headers for length and connection. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The options of a fault-injecting insurer. */
export interface FaultInjectingInsurerOptions {
  /**
   * Does the work of the insurer: called once for each request that is carried out. May return a promise. If it
   * throws, the insurer resets the connection, and `close` throws the same error.
   */
  readonly execute: (arrival: Arrival) => InsurerAnswer | Promise<InsurerAnswer>;
  /**
   * The log file of arrived requests, one JSON line each, flushed to disk before the request is handled. Existing
   * lines are kept. A lock file, with `.lock` after the name, prevents simultaneous use by another insurer. Default:
   * a temporary file, which is removed on close.
   */
  readonly log?: string;
  /** Additional headers for the log. They must not contain credentials. */
  readonly logHeaders?: readonly string[];
  /**
   * The port. Default, also for 0: a free port between 20000 and 32767. Systems do not assign these ports by
   * themselves, so the port is still free after `behave("refuse")`.
   */
  readonly port?: number;
  /**
   * The delay of a `late-answer` after the request is carried out, in milliseconds. Default: 120000, longer than
   * every deadline. The answer is dropped if its connection closes, and does not keep the process alive.
   */
  readonly lateAfterMs?: number;
}

/** An insurer on loopback HTTP that works normally, or fails as a test instructs it. */
export interface FaultInjectingInsurer {
  /** The address `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Sets the fault for every request until the next call of this function; null means normal work. The rest of a script
   * is dropped. Resolves when idle connections are closed, so that the next requests open new connections. Rejects
   * after the insurer is closed.
   */
  behave(fault: FaultName | null): Promise<void>;
  /**
   * Sets the faults of the next requests, one each; null means normal work. After these requests, the fault of
   * `behave` applies again. Throws a TypeError for "refuse", which cannot apply to a single request, and an Error
   * after the insurer is closed.
   */
  script(...faults: readonly (FaultName | null)[]): void;
  /** Returns all requests so far from the log, which survives a crash. */
  arrivals(): readonly Arrival[];
  /** Resolves with the next request after it is logged. Rejects if the insurer closes before that. */
  nextArrival(): Promise<Arrival>;
  /** Resets every connection and stops. Throws the first error of `execute`. Another call has no further effect. */
  close(): Promise<void>;
}
