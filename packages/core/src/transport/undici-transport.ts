import { Readable } from "node:stream";
import { buildConnector, type Dispatcher } from "undici";
import { type Connection, type Connections, createConnections } from "./connections.ts";
import { createIncomingBody, type IncomingBody } from "./incoming-body.ts";
import { createLookup } from "./lookup.ts";
import {
  type ConnectionResponse,
  type ConnectionTransport,
  type FailureCause,
  type Phase,
  TransportError,
  type TransportRequest,
} from "./transport.ts";

/** The options of connections. */
export interface ConnectionSettings {
  /** The time limit for opening a connection, including TLS, in milliseconds. Default: 3,000. */
  readonly connectTimeoutMs?: number;
  /** The maximum number of connections to one origin. Default: 128. */
  readonly connections?: number;
  /** The only allowed origins, such as `https://api.insurer.example`. Default: any. */
  readonly origins?: readonly string[];
  readonly tls?: TlsSettings;
}

/** The certificates of TLS connections, in PEM. */
export interface TlsSettings {
  /** The trusted authorities for the server's certificate, instead of the default ones. */
  readonly authorities?: string | undefined;
  /** The client certificate with its private key, for a server that asks for one. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Creates a transport that uses undici, with its own connections. */
export function createTransport(settings: ConnectionSettings = {}): ConnectionTransport {
  const { authorities, certificate, key } = settings.tls ?? {};
  const connector = buildConnector({
    timeout: settings.connectTimeoutMs ?? 3_000,
    lookup: createLookup(),
    allowH2: false,
    // Regardless of the options and environment of the process.
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  });
  const connections = createConnections(connector, settings.connections ?? 128);
  let closing: Promise<void> | undefined;

  function obstacleTo({ origin }: Target): string | null {
    if (settings.origins?.includes(origin) === false) return "ORIGIN_NOT_ALLOWED";
    return closing === undefined ? null : "UND_ERR_CLOSED";
  }

  return {
    async send(request) {
      const target = targetOf(request);
      const obstacle = obstacleTo(target);
      if (obstacle === null) return exchange(connections, request, target);
      const failure = new TransportError("connect", "failed", obstacle);
      request.ended?.({ failure, heldUp: false });
      throw failure;
    },
    underWay: () => connections.unfinished(),
    async close() {
      closing ??= connections.close();
      await closing;
    },
  };
}

/** One request and its answer. The phase advances as undici reports each step, and decides what a failure means. */
function exchange(
  connections: Connections,
  request: TransportRequest,
  { origin, path }: Target,
): Promise<ConnectionResponse> {
  return new Promise((resolve, reject) => {
    let phase: Phase = "connect";
    let controller: Dispatcher.DispatchController | undefined;
    let body: IncomingBody | undefined;
    let over: TransportError | undefined;
    let withdraw = (): void => undefined;

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
      withdraw();
      request.ended?.({ failure: error, heldUp: body?.isHeldUp() === true });
      body?.fail(error);
      reject(error);
      controller?.abort(error);
    }

    function handlerFor(connection: Connection): Dispatcher.DispatchHandler {
      let isNewConnection = false;
      return {
        onRequestStart(started) {
          controller = started;
          // Cancelled while the connection was being opened: nothing was written, and nothing will be.
          if (over !== undefined) return started.abort(over);
          isNewConnection = connection.begin();
          phase = "write";
        },
        onRequestSent() {
          if (phase === "write") phase = "wait";
        },
        onResponseStart(current, status, headers) {
          if (status < 200) return;
          phase = "body";
          body = createIncomingBody(flowOf(current, fail));
          const closeConnection = (): void => void connection.close();
          resolve({ status, headers: flatten(headers), body, isNewConnection, closeConnection });
        },
        onResponseData(_, chunk) {
          body?.push(chunk);
        },
        onResponseEnd() {
          connection.giveBack("usable");
          release();
          request.ended?.({ failure: null, heldUp: false });
          body?.end();
        },
        onResponseError(_, error) {
          connection.giveBack("broken");
          fail(describe(error, phase));
        },
      };
    }

    if (request.signal?.aborted) return cancel();
    const { headers, method } = request;
    const options = { origin, path, method, headers, body: bodyOf(request) };
    withdraw = connections.lend(origin, request.connection ?? "any", (connection) => {
      try {
        connection.dispatch(options, handlerFor(connection));
      } catch (error) {
        connection.giveBack("broken");
        fail(describe(error, phase));
      }
    });
  });
}

/** The target of a request. */
interface Target {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

function targetOf({ url }: TransportRequest): Target {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

function bodyOf({ body }: TransportRequest): string | Uint8Array | Readable | null {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Uint8Array
    ? body
    : Readable.from(body, { objectMode: false });
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
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined)
      flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
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
