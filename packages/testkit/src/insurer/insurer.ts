import type { FaultName } from "./fault-names.ts";

/** One request as it reached the insurer: all of it, its body included. */
export interface Arrival {
  /** 1, 2, 3 … in the order of arrival; a log that was there before is counted on. */
  readonly number: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without "?"; empty when there is none. */
  readonly query: string;
  /** The request's Idempotency-Key header, without surrounding double quotes. */
  readonly reference: string | null;
  /** Names in lower case, without `authorization`: what is written down here must not hold the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the insurer says when it does its work. */
export interface InsurerAnswer {
  readonly status: number;
  /** `content-type` is `application/json` when left out; the length and the connection are the insurer's business. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** How a fault-injecting insurer is started. */
export interface FaultInjectingInsurerOptions {
  /**
   * Does the work of the insurer: called once for every request that is carried out. May answer later.
   * When it throws, the connection is reset, and `close` throws the same.
   */
  readonly execute: (arrival: Arrival) => InsurerAnswer | Promise<InsurerAnswer>;
  /**
   * The file that arrivals are logged to, one JSON line each, flushed to disk before anything is done with the
   * request. What it holds already is kept. A temporary file when left out, removed on close.
   */
  readonly log?: string;
  /** The port to listen on, any free one when left out. */
  readonly port?: number;
}

/** An insurer on loopback HTTP that does its work or fails as it is told to. */
export interface FaultInjectingInsurer {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Every request from now on meets this fault, until the next call; null to work normally. What is left of a script
   * is dropped. Resolves when idle connections are closed, so that no request meets it on an older one.
   */
  behave(fault: FaultName | null): Promise<void>;
  /**
   * The next requests meet these, one each; null is a request that is carried out normally. Afterwards what `behave`
   * said holds. Throws a TypeError for "refuse", which no single request can meet.
   */
  script(...faults: readonly (FaultName | null)[]): void;
  /** Every arrival so far, read from the log: what it says survives a crash. */
  arrivals(): readonly Arrival[];
  /** Resolves with the next request to arrive, after it is logged. */
  nextArrival(): Promise<Arrival>;
  /** Breaks every connection and ends. Throws what `execute` threw first. A second time is the same as once. */
  close(): Promise<void>;
}
