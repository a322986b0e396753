import type { IncomingMessage } from "node:http";
import type { Caller } from "../callers/caller.ts";
import type { ExpectedBody, ReceivedBody } from "./body.ts";
import type { Trace } from "./trace-context.ts";

/** The parts of a request that are read beside its body. */
export type RequestHead = Pick<
  IncomingMessage,
  "headers" | "headersDistinct" | "httpVersion" | "method" | "rawHeaders" | "socket" | "url"
>;

/** A request as it arrived. No step of the pipeline changes it; only `waits` grows while it is answered. */
export interface Exchange {
  /** Names the request, also to its caller. */
  readonly id: string;
  readonly head: RequestHead;
  /** When the request arrived, by the clock of `performance.now()`. */
  readonly begunAt: number;
  /** How long it waited to be begun, in milliseconds. */
  readonly waitedMs: number;
  /** Aborts when the connection ends before the answer has left. */
  readonly callerGone: AbortSignal;
  /** The trace that the request belongs to. */
  readonly trace: Trace;
  /** Returns the address that it comes from, also behind a trusted proxy. */
  readonly address: () => string;
  /**
   * Reads its body to the end; undefined if it has none. GET and HEAD have none.
   * @param expected - null for a body that no endpoint expects
   * @param caller - who sends it, where that is known; only a known caller may send files
   * @throws Refusal when it is too large, or does not come whole
   */
  readonly readBody: (
    expected: ExpectedBody | null,
    caller?: Caller,
  ) => Promise<ReceivedBody | undefined>;
  /** How long others have kept it waiting. */
  readonly waits: Waits;
}

/** How long others have kept a request waiting, in milliseconds. The part that waits for them writes it. */
export interface Waits {
  /** The caller, until its body had come; undefined if nothing was waited for. */
  receivedMs: number | undefined;
  /** Insurers; undefined if none was called. */
  insurerMs: number | undefined;
}
