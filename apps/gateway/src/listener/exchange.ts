import type { Caller } from "../authentication/caller.ts";
import type { RequestSettings } from "../pipeline.ts";
import type { FoundPage } from "../reference/pages.ts";
import type { FoundRoute } from "../routing/route.ts";
import type { Trace } from "../tracing/trace-context.ts";
import type { Negotiated } from "../validation/negotiate.ts";
import type { ReceivedBody } from "./body.ts";

/** What is known about one request while it is on its way; it fills up as the pipeline goes on. */
export interface Exchange {
  /** When the request arrived, by the clock of `performance.now()`. */
  readonly begunAt: number;
  /** How long it waited to be begun, in milliseconds. */
  readonly waitedMs: number;
  /** The settings that count for this request, whatever changes meanwhile. */
  readonly settings: RequestSettings;
  /** Aborts when the connection ends before the answer has left. */
  readonly callerGone: AbortSignal;
  /** When it was admitted, by the same clock: what is missing then is its body. */
  admittedAt?: number;
  /** How long the caller then took to send the body, in milliseconds. */
  receivedMs?: number;
  caller?: Caller;
  /** Names the caller in the log; null while the store cannot be reached. */
  pseudonym?: string | null;
  /** Whether it became a submission: then its outcome is the submission's already. */
  submitted?: boolean;
  found?: FoundRoute;
  /** The id of the caller's connection to the insurer of the route. */
  connection?: string;
  /** Counts it, once it was taken, as answered with a problem. */
  failed?: () => void;
  /** What its headers say of its body and of the answer. */
  negotiated?: Negotiated;
  /** The body that came. */
  body?: ReceivedBody;
  /** Ends when the request is served, whether or not its caller is still there. */
  serving?: Promise<unknown>;
  /** The page of the reference that answers, where one does. */
  page?: FoundPage;
  /** The trace that the request belongs to. */
  readonly trace: Trace;
  /** How long insurers were waited for, in milliseconds. */
  insurerMs?: number;
  /** How long its refusal waited to be answered, in milliseconds. */
  heldMs?: number;
  /** Tells the log that the gateway is done with the request. */
  done?: () => void;
  /** The problem it ended with, for the log. */
  problem?: { readonly code: string; readonly outcome: string; readonly reason?: string };
}

declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange;
  }
}
