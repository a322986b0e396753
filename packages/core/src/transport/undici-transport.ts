import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { type Connection, createConnections } from "./connections.ts";
import { createIncomingBody, type IncomingBody } from "./incoming-body.ts";
import { createRoute } from "./route.ts";
import type { RouteSettings } from "./route-settings.ts";
import { createTogether, type Together } from "./together.ts";
import {
  ANSWER_UNREAD,
  CERTIFICATE_FAULT,
  CLOSED,
  type ConnectionResponse,
  type ConnectionTransport,
  type ExchangeEnd,
  type Phase,
  TransportError,
  type TransportRequest,
} from "./transport.ts";

/** The options of connections. */
export interface ConnectionSettings extends RouteSettings {
  /** The maximum number of connections to one origin. Default: 128. */
  readonly connections?: number;
  /** The only allowed origins, such as `https://api.insurer.example`. Default: any. */
  readonly origins?: readonly string[];
  /**
   * Called when a server sent bytes that no request asked for, such as an answer a second time. The connection is closed.
   * It must not throw.
   */
  readonly unaskedBytes?: () => void;
}

/** Creates a transport that uses undici, with its own connections. */
export function createTransport(settings: ConnectionSettings = {}): ConnectionTransport {
  const connections = createConnections({
    route: createRoute(settings),
    maximum: settings.connections ?? 128,
    unaskedBytes: settings.unaskedBytes ?? (() => undefined),
  });
  const together = createTogether();
  let closing: Promise<void> | undefined;

  function obstacleTo(origin: string): string | null {
    if (settings.origins?.includes(origin) === false) return "ORIGIN_NOT_ALLOWED";
    return closing === undefined ? null : CLOSED;
  }

  return {
    send(request) {
      const target = targetOf(request.url);
      const { origin } = target;
      const answer = Promise.withResolvers<ConnectionResponse>();
      const exchange = createExchange(request, target, together, answer);
      const obstacle = obstacleTo(origin);
      if (obstacle !== null) exchange.fail(new TransportError("connect", "failed", obstacle));
      if (exchange.hasFailed()) return answer.promise;
      const wanted = { choice: request.connection ?? "any", owner: request.owner };
      const lent = connections.take(origin, wanted);
      if (lent === null) exchange.waits(connections.wait(origin, wanted, exchange.start));
      else exchange.start(lent);
      return answer.promise;
    },
    underWay: () => connections.unfinished(),
    async close() {
      closing ??= connections.close();
      await closing;
    },
  };
}

/** One request and its answer. */
interface Exchange {
  /** Sends the request on a connection. */
  readonly start: (connection: Connection) => void;
  /** The request waits for a connection. @param withdraw - ends the wait */
  waits(withdraw: () => void): void;
  fail(error: TransportError): void;
  /** Whether it failed or was cancelled. */
  hasFailed(): boolean;
}

/**
 * Creates the exchange of one request, which settles the answer. The phase advances as undici reports each step, and decides
 * what a failure means.
 */
function createExchange(
  request: TransportRequest,
  target: Target,
  together: Together,
  answer: Pick<PromiseWithResolvers<ConnectionResponse>, "resolve" | "reject">,
): Exchange {
  const { ended, headers, method, signal } = request;
  let phase: Phase = "connect";
  let controller: Dispatcher.DispatchController | undefined;
  let body: IncomingBody | undefined;
  let failure: TransportError | undefined;
  let withdraw = (): void => undefined;

  const isHeldUp = (): boolean => body?.isHeldUp() === true;
  const cancel = (): void => fail(new TransportError(phase, "cancelled", null, signal?.reason));
  const timer = setTimeout(
    () => fail(new TransportError(phase, "timeout", isHeldUp() ? ANSWER_UNREAD : null)),
    request.timeoutMs,
  );
  signal?.addEventListener("abort", cancel);

  function release(): void {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }

  function fail(error: TransportError): void {
    if (failure !== undefined) return;
    failure = error;
    release();
    withdraw();
    // Only time runs out because of a slow reader; everything else would have failed too if the body had been read.
    const heldUp = error.reason === "timeout" && isHeldUp();
    ended?.({ failure: error, heldUp });
    body?.fail(error);
    answer.reject(error);
    controller?.abort(error);
  }

  function handlerFor(connection: Connection): Dispatcher.DispatchHandler {
    let isNewConnection = false;
    return {
      onRequestStart(started) {
        controller = started;
        // Cancelled while the connection was being opened: nothing was written, and nothing will be.
        if (failure !== undefined) return started.abort(failure);
        isNewConnection = connection.begin();
        phase = "write";
      },
      onRequestSent() {
        if (phase === "write") phase = "wait";
      },
      onResponseStart(current, status, responseHeaders) {
        if (status < 200) return;
        phase = "body";
        const closeConnection = (): void => void connection.close();
        const flat = flatten(responseHeaders);
        body = createIncomingBody(current, lengthIn(flat), fail);
        // undici 8 keeps the raw headers as parts of the buffer that was read: 64 kB for as long as the answer lasts. The test of the
        // memory that a document needs fails without this.
        current.rawHeaders = null;
        const head = { status, headers: flat, body, isNewConnection, closeConnection };
        // Before its connection is given back, so that who reads the answer can close the connection before it is used again.
        together(() => answer.resolve(head));
      },
      onResponseData(_, chunk) {
        body?.push(chunk);
      },
      onResponseEnd() {
        connection.giveBack("usable");
        release();
        ended?.(COMPLETE);
        body?.end();
      },
      onResponseError(_, error) {
        connection.giveBack("broken");
        fail(describe(error, phase));
      },
    };
  }

  function start(connection: Connection): void {
    try {
      const options = { ...target, method, headers, body: bodyOf(request) };
      connection.client.dispatch(options, handlerFor(connection));
    } catch (error) {
      connection.giveBack("broken");
      fail(describe(error, phase));
    }
  }

  if (signal?.aborted) cancel();
  return {
    start,
    fail,
    hasFailed: () => failure !== undefined,
    waits(stopWaiting) {
      withdraw = stopWaiting;
    },
  };
}

const COMPLETE: ExchangeEnd = { failure: null, heldUp: false };

/** The target of a request. */
interface Target {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

function targetOf(url: string): Target {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

function bodyOf({ body }: TransportRequest): string | Uint8Array | Readable | null {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Uint8Array
    ? body
    : Readable.from(body, { objectMode: false });
}

/** The declared length of a body, in bytes; null if there is none. */
function lengthIn({ "content-length": length }: Readonly<Record<string, string>>): number | null {
  return length === undefined ? null : Number(length);
}

/** undici gives the names in lower case. */
function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

function describe(error: unknown, phase: Phase): TransportError {
  if (TransportError.isInstance(error)) return error;
  const detail = ConfigurationError.isInstance(error)
    ? "PROXY_INVALID"
    : (proxyRefusalIn(error) ?? codeOf(error));
  return new TransportError(phase === "connect" ? beforeSending(detail) : phase, "failed", detail);
}

function beforeSending(detail: string | null): Phase {
  if (detail === null) return "connect";
  if (/^(ENOTFOUND|EAI_)/.test(detail)) return "resolve";
  return /TLS|SSL|EPROTO/.test(detail) || CERTIFICATE_FAULT.test(detail) ? "tls" : "connect";
}

/** undici reports the status with which a proxy refuses a connection only in words. */
function proxyRefusalIn(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(message) ?? [];
  return status === undefined ? null : `PROXY_ANSWERED_${status}`;
}

/** The code of the error, or of the first error it gathers: several addresses of one name fail together. */
function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : null;
}
