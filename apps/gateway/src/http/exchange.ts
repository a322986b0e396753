import type { IncomingMessage } from "node:http";
import type { Caller } from "../callers/caller.ts";
import type { ExpectedBody, ReceivedBody } from "./body.ts";
import type { Trace } from "./trace-context.ts";

/** The parts of a caller's request that arrive before the body. */
export type RequestHead = Pick<
  IncomingMessage,
  "headers" | "headersDistinct" | "httpVersion" | "method" | "rawHeaders" | "socket" | "url"
>;

/** A caller's request as it arrived. No step of the pipeline changes it, except for the times in `waits`. */
export interface IncomingRequest {
  /** The id of the request; the answer states it in `X-Request-Id`. */
  readonly id: string;
  readonly head: RequestHead;
  /** When the request arrived, by the clock of `performance.now()`. */
  readonly begunAt: number;
  /** Time between the request's arrival and the moment when the gateway began to answer it, in milliseconds. */
  readonly waitedMs: number;
  /** Aborts if the caller's connection ends before the gateway has sent the answer. */
  readonly callerGone: AbortSignal;
  /** The trace that the request belongs to. */
  readonly trace: Trace;
  /** Returns the caller's address, even behind a trusted proxy. */
  readonly address: () => string;
  /**
   * Reads the body to its end; undefined if the request has no body, as with GET and HEAD.
   * @param expected - null for a body that no endpoint expects
   * @param caller - the sender, if known; only a known caller may send files
   * @throws Refusal if the body is too large, or does not arrive completely
   */
  readonly readBody: (
    expected: ExpectedBody | null,
    caller?: Caller,
  ) => Promise<ReceivedBody | undefined>;
  /** Times for which the request waited for its caller and for insurers. */
  readonly waits: RequestWaits;
}

/** Waiting times of a request, in milliseconds. The code that waits writes the time. */
export interface RequestWaits {
  /** The wait for the caller, until the body had arrived; undefined without a wait. */
  receivedMs: number | undefined;
  /** The wait for insurers; undefined if no insurer was called. */
  insurerMs: number | undefined;
}
