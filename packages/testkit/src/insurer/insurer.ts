import type { FaultName } from "./fault-names.ts";

/** One request as it reached the insurer. */
export interface Arrival {
  /** 1, 2, 3 … in the order of arrival. An existing log is continued. */
  readonly number: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without "?"; empty when there is none. */
  readonly query: string;
  /**
   * The request's Idempotency-Key: what its quoted string stands for, or the header as it came when it is none. Null
   * without the header, and when it came more than once.
   */
  readonly submissionId: string | null;
  /**
   * The headers, by names in lower case. The log must not contain credentials, so it has only `accept`, `accept-encoding`,
   * `connection`, `content-encoding`, `content-length`, `content-type`, `expect`, `host`, `idempotency-key`,
   * `transfer-encoding`, `user-agent`, `x-request-id` and `x-sandbox-scenario`, and those that `logHeaders` names.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8; what is not is replaced. */
  readonly body: string;
}

/** The insurer's normal answer. */
export interface InsurerAnswer {
  readonly status: number;
  /** The headers of the answer. Default of `content-type`: `application/json`. The insurer sets the length and the connection. */
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
   * The file that arrivals are logged to, one JSON line each, flushed to disk before the request is handled. Its content is
   * kept. No other insurer can use it at the same time: a second file, with `.lock` after the name, prevents it. Default: a
   * temporary file, which is removed on close.
   */
  readonly log?: string;
  /** Headers that are logged besides those of `Arrival.headers`; none of them may hold a credential. */
  readonly logHeaders?: readonly string[];
  /**
   * The port to listen on. Default, also for 0: a free one between 20000 and 32767. Systems assign none of those by
   * themselves, so it is still free after `behave("refuse")`.
   */
  readonly port?: number;
  /**
   * The delay of a `late-answer` after the request is carried out, in milliseconds. Default: 120000, which is after every
   * deadline. The answer is dropped when its connection closes, and keeps no process alive.
   */
  readonly lateAfterMs?: number;
}

/** An insurer on loopback HTTP that works normally or fails as a test orders. */
export interface FaultInjectingInsurer {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Every request meets this fault until the next call of this function; null to work normally. The rest of a script is
   * dropped. Resolves when idle connections are closed, so that no request meets the fault on an older one. Rejects after
   * the insurer is closed.
   */
  behave(fault: FaultName | null): Promise<void>;
  /**
   * The next requests meet these, one each; null is a request that is carried out normally. Afterwards what `behave`
   * said holds. Throws a TypeError for "refuse", which no single request can meet, and an Error once the insurer is
   * closed.
   */
  script(...faults: readonly (FaultName | null)[]): void;
  /** Every arrival so far, read from the log, which survives a crash. */
  arrivals(): readonly Arrival[];
  /** Resolves with the next request after it is logged; rejects if the insurer is closed before that. */
  nextArrival(): Promise<Arrival>;
  /** Resets every connection and stops. Throws the first error of `execute`. Calling it again has no effect. */
  close(): Promise<void>;
}
