/** Signal that cancels a call. Every `AbortSignal` has this type, which needs no DOM or Node types. */
export interface CancellationSignal {
  readonly aborted: boolean;
  /** Reason of the abort. */
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** One HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** Absolute address with `http:` or `https:`. */
  readonly url: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Connection that the request may use. Default: `any`. Ignored by a transport that does not manage connections. */
  readonly connection?: ConnectionChoice;
  /**
   * Owner of the request, if one transport sends the requests of several owners. A connection serves only one owner;
   * requests without an owner use separate connections.
   */
  readonly owner?: string;
  /** Time limit in milliseconds, including the body of the answer. */
  readonly timeoutMs: number;
  readonly signal?: CancellationSignal;
  /** Called once at the end of the exchange, even if the answer's body is not read. */
  readonly ended?: (end: ExchangeEnd) => void;
}

/**
 * Connection that a request may use, among the connections of its owner:
 * - `any`: an open connection of earlier `any` requests. If the server is closing it, the request may be lost.
 * - `fresh`: a connection that is opened for the request, or whose last answer ended less than a second ago (and less
 *   than half of the server's `Keep-Alive: timeout=`, or of the time after which the server closed a connection) with
 *   nothing left to read. It never carried an `any` request, whose answer could arrive late.
 * - `new`: a connection that is opened for the request and closed after it.
 */
export type ConnectionChoice = "any" | "fresh" | "new";

/** End of a request and its answer. */
export interface ExchangeEnd {
  /** Failure of the exchange; null if the answer is complete. */
  readonly failure: TransportError | null;
  /** True if the time ran out while the connection was paused because the body was not read. */
  readonly heldUp: boolean;
}

/** Head of an answer, whose body is still to be received. */
export interface TransportResponse {
  readonly status: number;
  /** Headers with names in lower case; the values of a repeated header are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
}

/** Body that can be read only once. Reading throws TransportError with phase `body`. */
export interface ResponseBody {
  /** Reads the whole body as UTF-8 text. Refuses more bytes than the maximum. */
  text(maximumBytes: number): Promise<string>;
  /**
   * Returns the complete body without waiting, if all of it has arrived. Returns null if more bytes may arrive, or if
   * the body exceeds the maximum or failed; the body can still be read then. Optional.
   */
  takeWhole?(maximumBytes: number): readonly Uint8Array[] | null;
  /** Reads the body as a stream. Refuses more bytes than the maximum. */
  stream(maximumBytes: number): AsyncIterable<Uint8Array>;
  /** Discards the body. */
  discard(): void;
}

/** Body as a stream, whose chunks can also be read without a promise for each chunk. */
export interface BodyStream extends AsyncIterableIterator<Uint8Array, undefined> {
  /**
   * Returns the next chunk, null at the end, or undefined if none has arrived yet.
   * @throws TransportError if the answer broke off or has too many bytes
   */
  readonly take: () => Uint8Array | null | undefined;
  /** Calls back once when `take` may return more, possibly at once. The callback must not throw. */
  readonly whenReady: (callback: () => void) => void;
  return(): Promise<IteratorResult<Uint8Array, undefined>>;
}

/** Answer with its connection. */
export interface ConnectionResponse extends TransportResponse {
  /** True if the connection was opened for this request, so that the answer contains nothing of an earlier request. */
  readonly isNewConnection: boolean;
  /**
   * Closes the connection at once. Use this function if the answer does not belong to its request, because the next
   * answers on the connection may be wrong too. Another request that already uses the connection fails, and so does
   * reading this answer's body.
   */
  closeConnection(): void;
}

/** Transport that manages its connections. */
export interface ConnectionTransport extends Transport {
  send(request: TransportRequest): Promise<ConnectionResponse>;
  /** Returns the number of requests that use or wait for a connection; 0 after the transport is closed. */
  underWay(): number;
}

/** Clock with timers. */
export interface TransportTime {
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the milliseconds since a fixed instant, even if the clock is changed. */
  readonly elapsed: () => number;
  /** Calls back once, after a number of milliseconds. Returns a function that cancels the callback. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** Time of the runtime. */
export const realTime: TransportTime = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Sends HTTP requests. It neither follows redirects nor retries. */
export interface Transport {
  /** Clock by which the client waits and limits its calls. Default: the time of the runtime. */
  readonly time?: TransportTime;
  /** Resolves when the head of the answer has arrived; throws TransportError. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Waits for running requests, then closes every connection. Calling it again has no effect. */
  close(): Promise<void>;
}

/** Phase that a request reached. Up to `tls` it is certain that no byte of the request was sent. */
export type Phase = "resolve" | "connect" | "tls" | "write" | "wait" | "body";

/** Reason why a request has no answer. */
export type FailureCause = "failed" | "timeout" | "cancelled" | "too_large" | "unreadable";

/** `detail` of a timeout while the connection was paused because the calling program did not read the answer. */
export const ANSWER_UNREAD = "ANSWER_UNREAD";

const brand = Symbol.for("insurance-gateway.transport-error");

/** Error of a request without an answer. It contains no address, header or body. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly phase: Phase;
  readonly reason: FailureCause;
  /** Code of the lower layer, such as ECONNREFUSED; null without a code. */
  readonly detail: string | null;

  /** @param cause - the calling program's reason for cancelling the request */
  constructor(phase: Phase, reason: FailureCause, detail: string | null = null, cause?: unknown) {
    super(`The request ${reason} in phase ${phase}${detail === null ? "" : ` (${detail})`}`);
    this.phase = phase;
    this.reason = reason;
    this.detail = detail;
    // A getter, because logs do not print the value of a getter: the calling program's reason may contain anything.
    if (cause !== undefined) Object.defineProperty(this, "cause", { get: () => cause });
    Object.defineProperty(this, brand, { value: true });
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static isInstance(value: unknown): value is TransportError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Codes of a process or machine that has no file descriptor, port or memory left for a connection. */
const SHORTAGE_CODES: ReadonlySet<string | null> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
]);

/** Reports whether a request was not sent because this machine had no resources left. The server did not fail then. */
export function isOwnShortage({ detail, phase }: TransportError): boolean {
  return nothingSent(phase) && SHORTAGE_CODES.has(detail);
}

/** Codes of OpenSSL and Node for a certificate that is not accepted: by this side, or by the server in an alert. */
export const CERTIFICATE_FAULT_CODES: RegExp =
  /CERT|UNKNOWN_CA|SELF_SIGNED|SIGNATURE|ISSUER|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/;

/** Part of the configuration that prevents a connection. */
export type SetupFault = "certificate" | "client_certificate" | "proxy" | "runtime";

/**
 * Returns the part of the configuration that must be corrected before a connection is possible; null for a failure that
 * may pass. A 4xx of a proxy refuses the connection itself.
 */
export function setupFaultOf({ detail, phase }: TransportError): SetupFault | null {
  if (detail === null || !nothingSent(phase)) return null;
  if (detail.startsWith(RUNTIME_FAULT)) return "runtime";
  if (phase === "tls" && CERTIFICATE_FAULT_CODES.test(detail))
    return detail.includes("_ALERT_") ? "client_certificate" : "certificate";
  return /^PROXY_(ANSWERED_4|INVALID)/.test(detail) ? "proxy" : null;
}

/** Reports whether it is certain that no byte of the request was sent. */
export function nothingSent(phase: Phase): boolean {
  return phase === "resolve" || phase === "connect" || phase === "tls";
}

/** Start of an error's `detail` if the runtime cannot load undici, or if `fetch` does not support the settings. */
export const RUNTIME_FAULT = "UNDICI_NOT_LOADED";

/** `detail` of the error if a closed transport refuses a request. */
export const CLOSED = "CLOSED";

/**
 * Reads a body as UTF-8 text.
 * @throws TransportError: `unreadable` if it is not UTF-8
 */
export async function decodeText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (TransportError.isInstance(error)) throw error;
    throw new TransportError("body", "unreadable");
  }
}

/** Reads a stream to its end. */
export async function collectBytes(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return joinBytes(chunks);
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const chunk of chunks) {
    joined.set(chunk, end);
    end += chunk.byteLength;
  }
  return joined;
}
