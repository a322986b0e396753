import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { createConnections } from "./connections.ts";
import { createIncomingBody, type IncomingBody } from "./incoming-body.ts";
import type { Connection } from "./pooled-connection.ts";
import { createRoute } from "./route.ts";
import type { RouteSettings } from "./route-settings.ts";
import { createTogether, type Together } from "./together.ts";
import {
  ANSWER_UNREAD,
  CERTIFICATE_FAULT_CODES,
  CLOSED,
  type ConnectionResponse,
  type ConnectionTransport,
  type ExchangeEnd,
  type Phase,
  TransportError,
  type TransportRequest,
} from "./transport.ts";

/** Settings of connections. */
export interface ConnectionSettings extends RouteSettings {
  /** Maximum of connections to one origin. Default: 128. */
  readonly connections?: number;
  /** The only allowed origins, such as `https://api.insurer.example`. Default: any. */
  readonly origins?: readonly string[];
  /** Called if a server sends bytes without a request. The connection is closed. The callback must not throw. */
  readonly unaskedBytes?: () => void;
}

/** Creates a transport over undici, which manages its own connections. */
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
  /** Records that the request waits for a connection. @param withdraw - ends the wait */
  waits(withdraw: () => void): void;
  fail(error: TransportError): void;
  /** Reports whether the request failed or was cancelled. */
  hasFailed(): boolean;
}

/**
 * Creates the exchange of one request. The exchange settles the promise of the answer. Its phase advances with each
 * step that undici reports, and determines the meaning of a failure.
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
    // Only a timeout can be caused by a slow reader. Any other failure would have occurred even if the body had been
    // read.
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
        // The request was cancelled while the connection was being opened: nothing was written, and nothing will be.
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
        const flat = joinRepeatedHeaders(responseHeaders);
        body = createIncomingBody(current, lengthIn(flat), fail);
        // undici 8 keeps the raw headers as parts of the buffer that was read: 64 kB until the answer ends. The test of
        // the memory that a document needs fails without this line.
        current.rawHeaders = null;
        const head = { status, headers: flat, body, isNewConnection, closeConnection };
        // The answer is passed on before its connection returns to the pool, so that the reader of the answer can close
        // the connection before the next request uses it.
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
        fail(toTransportError(error, phase));
      },
    };
  }

  function start(connection: Connection): void {
    try {
      const options = { ...target, method, headers, body: bodyOf(request) };
      connection.client.dispatch(options, handlerFor(connection));
    } catch (error) {
      connection.giveBack("broken");
      fail(toTransportError(error, phase));
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

/** End of an exchange whose answer is complete. */
const COMPLETE: ExchangeEnd = { failure: null, heldUp: false };

/** Target of a request. */
interface Target {
  readonly origin: string;
  /** Path with the query. */
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

/** Returns the declared length of a body in bytes; null without a length. */
function lengthIn({ "content-length": length }: Readonly<Record<string, string>>): number | null {
  return length === undefined ? null : Number(length);
}

/** Joins the values of repeated headers. undici passes the names in lower case. */
function joinRepeatedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

function toTransportError(error: unknown, phase: Phase): TransportError {
  if (TransportError.isInstance(error)) return error;
  const detail = ConfigurationError.isInstance(error)
    ? "PROXY_INVALID"
    : (proxyRefusalIn(error) ?? codeOf(error));
  return new TransportError(phase === "connect" ? connectPhaseOf(detail) : phase, "failed", detail);
}

function connectPhaseOf(detail: string | null): Phase {
  if (detail === null) return "connect";
  if (/^(ENOTFOUND|EAI_)/.test(detail)) return "resolve";
  return /TLS|SSL|EPROTO/.test(detail) || CERTIFICATE_FAULT_CODES.test(detail) ? "tls" : "connect";
}

/** Returns the detail for a proxy that refuses a connection. undici reports the proxy's status only in the message. */
function proxyRefusalIn(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(message) ?? [];
  return status === undefined ? null : `PROXY_ANSWERED_${status}`;
}

/** Returns the code of an error. If several addresses of one name failed, returns the code of the first failure. */
function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : null;
}
