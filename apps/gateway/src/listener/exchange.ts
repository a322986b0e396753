import type { IncomingMessage } from "node:http";
import type { CancellationSignal } from "@insurance-gateway/core/transport";
import type { Caller } from "../authentication/caller.ts";
import type { RequestSettings } from "../pipeline.ts";
import type { FoundPage } from "../reference/pages.ts";
import type { LimitHeaders } from "../resilience/caller-limits.ts";
import type { FoundRoute } from "../routing/route.ts";
import type { Trace } from "../tracing/trace-context.ts";
import type { ExpectedBody, ReceivedBody } from "./body.ts";

/** What of a request is read beside its body. */
export type RequestHead = Pick<
  IncomingMessage,
  "headers" | "headersDistinct" | "httpVersion" | "method" | "rawHeaders" | "socket" | "url"
>;

/** One request on its way, and what the log and a refusal say of it. */
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
   * @throws Refusal when it is too large, or does not come whole
   */
  readonly readBody: (
    expected: ExpectedBody | null,
  ) => ReceivedBody | Promise<ReceivedBody> | undefined;
  /** How long the caller took to send the body, in milliseconds. */
  receivedMs?: number;
  caller?: Caller;
  /** Names the caller in the log; null while the store cannot be reached. */
  pseudonym?: string | null;
  /** What is left of its limits, for its answer. */
  limits?: LimitHeaders;
  /** Whether it became a submission: then its outcome is the submission's already. */
  submitted?: boolean;
  found?: FoundRoute;
  /** The id of the caller's connection to the insurer of the route. */
  connection?: string;
  /** Counts it, once it was taken, as answered with a problem. */
  failed?: () => void;
  /** The page of the reference that answers, where one does. */
  page?: FoundPage;
  /** How long insurers were waited for, in milliseconds. */
  insurerMs?: number;
  /** Whether the gateway, not the caller, ended the connection before the answer was sent. */
  isBrokenOff?: boolean;
  /** How long its refusal waited to be answered, in milliseconds. */
  heldMs?: number;
  /** The problem it ended with, for the log. */
  problem?: { readonly code: string; readonly outcome: string; readonly reason?: string };
}
