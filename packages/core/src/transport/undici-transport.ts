import { Agent, type Dispatcher } from "undici";
import { createIncomingBody, type IncomingBody } from "./incoming-body.ts";
import { createLookup } from "./lookup.ts";
import {
  type FailureCause,
  type Phase,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

/** How connections are kept. */
export interface ConnectionSettings {
  /** How long making a connection may take, TLS included, in milliseconds; 3,000 when left out. */
  readonly connectTimeoutMs?: number;
  /** The most connections to one origin; 128 when left out. */
  readonly connections?: number;
  /** The only origins that are contacted, such as `https://api.insurer.example`; any when left out. */
  readonly origins?: readonly string[];
  readonly tls?: TlsSettings;
}

/** How the two ends of a TLS connection know each other; everything in PEM. */
export interface TlsSettings {
  /** Who may certify the server, instead of the usual authorities. */
  readonly authorities?: string | undefined;
  /** What is shown to a server that asks for it, with its private key. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Makes a transport over undici, with connections of its own. */
export function createTransport(settings: ConnectionSettings = {}): Transport {
  const { authorities, certificate, key } = settings.tls ?? {};
  const agent = new Agent({
    connect: {
      timeout: settings.connectTimeoutMs ?? 3_000,
      lookup: createLookup(),
      // Whatever the process's own options and environment say.
      minVersion: "TLSv1.2",
      rejectUnauthorized: true,
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
    },
    connections: settings.connections ?? 128,
    pipelining: 1,
    // Over HTTP/2 undici sends a request again by itself when the server refuses its stream.
    allowH2: false,
    // One deadline covers a request from beginning to end; undici's own would only cut it in pieces.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let closing: Promise<void> | undefined;
  return {
    async send(request) {
      const { origin } = new URL(request.url);
      if (settings.origins?.includes(origin) === false) {
        const failure = new TransportError("connect", "failed", "ORIGIN_NOT_ALLOWED");
        request.ended?.({ failure, heldUp: false });
        throw failure;
      }
      return exchange(agent, request);
    },
    async close() {
      // undici refuses to be closed a second time.
      closing ??= agent.close();
      await closing;
    },
  };
}

/** One request and its answer. The phase advances as undici reports each step, and decides what a failure means. */
function exchange(agent: Agent, request: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let phase: Phase = "connect";
    let controller: Dispatcher.DispatchController | undefined;
    let body: IncomingBody | undefined;
    let over: TransportError | undefined;

    const stop = (reason: FailureCause): void => fail(new TransportError(phase, reason));
    const cancel = (): void => stop("cancelled");
    const timer = setTimeout(() => stop("timeout"), request.timeoutMs);
    request.signal?.addEventListener("abort", cancel);

    function release(): void {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", cancel);
    }

    function fail(error: TransportError): void {
      if (over !== undefined) return;
      over = error;
      release();
      request.ended?.({ failure: error, heldUp: body?.isHeldUp() === true });
      body?.fail(error);
      reject(error);
      controller?.abort(error);
    }

    if (request.signal?.aborted) return cancel();
    try {
      agent.dispatch(dispatchOptions(request), {
        onRequestStart(started) {
          controller = started;
          // Given up while the connection was being made: nothing has been written yet, and nothing will be.
          if (over !== undefined) return started.abort(over);
          phase = "write";
        },
        onRequestSent() {
          if (phase === "write") phase = "wait";
        },
        onResponseStart(current, status, headers) {
          if (status < 200) return;
          phase = "body";
          body = createIncomingBody(flowOf(current, fail));
          resolve({ status, headers: flatten(headers), body });
        },
        onResponseData(_, chunk) {
          body?.push(chunk);
        },
        onResponseEnd() {
          release();
          request.ended?.({ failure: null, heldUp: false });
          body?.end();
        },
        onResponseError(_, error) {
          fail(describe(error, phase));
        },
      });
    } catch (error) {
      fail(describe(error, phase));
    }
  });
}

function dispatchOptions(request: TransportRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(request.url);
  return {
    origin,
    path: pathname + search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
  };
}

function flowOf(
  controller: Dispatcher.DispatchController,
  fail: (error: TransportError) => void,
): Parameters<typeof createIncomingBody>[0] {
  return {
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    abort: (error) =>
      fail(TransportError.isInstance(error) ? error : new TransportError("body", "failed")),
  };
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined)
      flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  return flat;
}

function describe(error: unknown, phase: Phase): TransportError {
  if (TransportError.isInstance(error)) return error;
  const detail = codeOf(error);
  return new TransportError(phase === "connect" ? beforeSending(detail) : phase, "failed", detail);
}

function beforeSending(detail: string | null): Phase {
  if (detail === null) return "connect";
  if (/^(ENOTFOUND|EAI_)/.test(detail)) return "resolve";
  return /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(detail) ? "tls" : "connect";
}

/** The code of the error, or of the first error it gathers: several addresses of one name fail together. */
function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : null;
}
