import type { IncomingMessage } from "node:http";
import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Caller } from "../authentication/caller.ts";
import type { RequestSettings } from "../pipeline.ts";
import type { LimitHeaders } from "../resilience/caller-limits.ts";
import type { FoundRoute } from "../routing/route.ts";
import type { Trace } from "../tracing/trace-context.ts";
import type { ExpectedBody, ReceivedBody } from "./body.ts";

/** What of a request is read beside its body. */
export type RequestHead = Pick<
  IncomingMessage,
  "headers" | "headersDistinct" | "httpVersion" | "method" | "rawHeaders" | "socket" | "url"
>;

/** A request as it arrived. No step of the pipeline changes it. */
export interface Exchange {
  /** Names the request, also to its caller. */
  readonly id: string;
  readonly head: RequestHead;
  /** When the request arrived, by the clock of `performance.now()`. */
  readonly begunAt: number;
  /** How long it waited to be begun, in milliseconds. */
  readonly waitedMs: number;
  /** The settings that count for this request, whatever changes meanwhile. */
  readonly settings: RequestSettings;
  /** Aborts when the connection ends before the answer has left. */
  readonly callerGone: CancellationSignal;
  /** The trace that the request belongs to. */
  readonly trace: Trace;
  /** Returns the address that it comes from, also behind a trusted proxy. */
  readonly address: () => string;
  /**
   * Reads its body to the end; at once where all of it has come, and undefined where it has none. GET and HEAD have none.
   * @param expected - null for a body that no endpoint expects
   * @param caller - who sends it, where that is known; only a known caller may send files
   * @throws Refusal when it is too large, or does not come whole
   */
  readonly readBody: (
    expected: ExpectedBody | null,
    caller?: Caller,
  ) => ReceivedBody | Promise<ReceivedBody> | undefined;
  /** How far it has come. */
  readonly progress: RequestProgress;
}

/**
 * How far a request has come. Each step adds what it found, and passes it to the next step as an argument. Only refusals, the log,
 * the metrics and `Server-Timing` read it here, because they report every request, wherever it ended.
 */
export interface RequestProgress {
  /** How long the caller took to send the body, in milliseconds. */
  receivedMs: number | undefined;
  caller: Caller | undefined;
  /** Names the caller in the log; null while the store cannot be reached. */
  pseudonym: string | null;
  /** What is left of the caller's limits, for the answer. */
  limits: LimitHeaders | undefined;
  /** Whether it became a submission: then its outcome is that of the submission. */
  isSubmitted: boolean;
  found: FoundRoute | undefined;
  /** The id of the caller's connection to the insurer of the route. */
  connection: string | undefined;
  /** Counts an admitted request as answered with a problem. */
  countFailure: (() => void) | undefined;
  /** The template of the reference's page that answers. */
  pageTemplate: string | undefined;
  /** How long insurers were waited for, in milliseconds. */
  insurerMs: number | undefined;
  /** Whether the gateway, not the caller, ended the connection before the answer was sent. */
  isBrokenOff: boolean;
  /** How long its refusal was delayed, in milliseconds. */
  heldMs: number | undefined;
  /** The problem that it was answered with. */
  problem: RequestProblem | undefined;
}

/** The problem of a request, as the log names it. */
export interface RequestProblem {
  readonly code: string;
  readonly outcome: string;
  readonly reason?: string;
}

/** Returns the progress of a request that has just arrived. */
export function createProgress(): RequestProgress {
  return {
    receivedMs: undefined,
    caller: undefined,
    pseudonym: null,
    limits: undefined,
    isSubmitted: false,
    found: undefined,
    connection: undefined,
    countFailure: undefined,
    pageTemplate: undefined,
    insurerMs: undefined,
    isBrokenOff: false,
    heldMs: undefined,
    problem: undefined,
  };
}
