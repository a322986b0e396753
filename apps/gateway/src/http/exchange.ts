import type { IncomingMessage } from "node:http";
import type { Caller } from "../callers/caller.ts";
import type { ExpectedBody, ReceivedBody } from "./body.ts";
import type { Trace } from "./trace-context.ts";

/** The parts of a request besides its body. */
export type RequestHead = Pick<
  IncomingMessage,
  "headers" | "headersDistinct" | "httpVersion" | "method" | "rawHeaders" | "socket" | "url"
>;

/** A request as it arrived. No step of the pipeline changes it; only `waits` grows while it is answered. */
export interface Exchange {
  /** The id of the request, which its caller receives, too. */
  readonly id: string;
  readonly head: RequestHead;
  /** When the request arrived, by the clock of `performance.now()`. */
  readonly begunAt: number;
  /** How long the request waited before the gateway began it, in milliseconds. */
  readonly waitedMs: number;
  /** Aborts if the connection ends before the answer was sent. */
  readonly callerGone: AbortSignal;
  /** The trace that the request belongs to. */
  readonly trace: Trace;
  /** Returns the caller's address, even behind a trusted proxy. */
  readonly address: () => string;
  /**
   * Reads the body to its end; undefined if there is none. GET and HEAD have none.
   * @param expected - null for a body that no endpoint expects
   * @param caller - the sender, if known; only a known caller may send files
   * @throws Refusal if the body is too large, or does not arrive completely
   */
  readonly readBody: (
    expected: ExpectedBody | null,
    caller?: Caller,
  ) => Promise<ReceivedBody | undefined>;
  /** How long the request has waited for others. */
  readonly waits: Waits;
}

/** How long a request waited for others, in milliseconds. The part that waits writes the time. */
export interface Waits {
  /** The wait for the caller, until the body had arrived; undefined without a wait. */
  receivedMs: number | undefined;
  /** The wait for insurers; undefined if no insurer was called. */
  insurerMs: number | undefined;
}
