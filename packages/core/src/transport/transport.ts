/** Cancels a call. Every `AbortSignal` has this type, which needs no DOM or Node types. */
export interface CancellationSignal {
  readonly aborted: boolean;
  /** Why it was aborted. */
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** One HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Which connection the request may use. Default: `any`. A transport that does not manage connections ignores it. */
  readonly connection?: ConnectionChoice;
  /**
   * Whose request it is, if one transport sends the requests of several owners. A connection serves one owner only;
   * requests without an owner have connections of their own.
   */
  readonly owner?: string;
  /** The time limit in milliseconds, including the body of the answer. */
  readonly timeoutMs: number;
  readonly signal?: CancellationSignal;
  /** Called once at the end with how the exchange ended, also if nobody reads the answer's body. */
  readonly ended?: (end: ExchangeEnd) => void;
}

/**
 * Which connection of its owner a request may use:
 * - `any`: every open one of this choice. The server may be closing it: it may not have received the request then.
 * - `fresh`: one that is opened for the request, or whose last answer ended less than a second ago (and less than half
 *   of the server's `Keep-Alive: timeout=`, or of the time after which it was seen to close one) with nothing left to
 *   read. It never carried a request of `any`, whose answer could come late.
 * - `new`: one that is opened for the request, and closed after it.
 */
export type ConnectionChoice = "any" | "fresh" | "new";

/** How a request and its answer ended. */
export interface ExchangeEnd {
  /** Null if the answer is complete. */
  readonly failure: TransportError | null;
  /** Whether the time ran out while the connection was paused because the body was not read. */
  readonly heldUp: boolean;
}

/** The head of an answer; its body is still to be received. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
}

/** A body that can be read once. Reading throws TransportError with phase `body`. */
export interface ResponseBody {
  /** Reads all of it as UTF-8 text, and refuses more bytes than the maximum. */
  text(maximumBytes: number): Promise<string>;
  /**
   * Returns the complete body without waiting, if all of it has arrived. Returns null if more may arrive, if it has
   * more bytes than the maximum, or if it failed; it can be read then. Optional.
   */
  takeWhole?(maximumBytes: number): readonly Uint8Array[] | null;
  /** Reads it as a stream, and refuses more bytes than the maximum. */
  stream(maximumBytes: number): AsyncIterable<Uint8Array>;
  /** Discards it. */
  discard(): void;
}

/** A body as a stream, whose chunks can also be taken without a promise for each. */
export interface BodyStream extends AsyncIterableIterator<Uint8Array, undefined> {
  /**
   * Returns the next chunk, null at the end, or undefined if none has arrived yet.
   * @throws TransportError if the answer broke off or has too many bytes
   */
  readonly take: () => Uint8Array | null | undefined;
  /** Calls back once, perhaps at once, when `take` may return more. The callback must not throw. */
  readonly whenReady: (callback: () => void) => void;
  return(): Promise<IteratorResult<Uint8Array, undefined>>;
}

/** An answer with its connection. */
export interface ConnectionResponse extends TransportResponse {
  /** Whether the connection was opened for this request, so that the answer cannot contain anything of an earlier one. */
  readonly isNewConnection: boolean;
  /**
   * Closes the connection at once. Use it if the answer does not belong to its request: the following answers on the
   * connection may be wrong, too. Another request that uses the connection by then fails, and so does reading this
   * answer's body.
   */
  closeConnection(): void;
}

/** A transport that manages its connections. */
export interface ConnectionTransport extends Transport {
  send(request: TransportRequest): Promise<ConnectionResponse>;
  /** The number of requests that use or wait for a connection; 0 after the transport is closed. */
  underWay(): number;
}

/** A clock, and timers that go by it. */
export interface TransportTime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since a fixed instant, however the clock is changed. */
  readonly elapsed: () => number;
  /** Calls back once, after some milliseconds. Returns a function that prevents it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** The time of the runtime. */
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
  /** The time by which its client waits and limits its calls. Default: the time of the runtime. */
  readonly time?: TransportTime;
  /** Resolves when the head of the answer has arrived; throws TransportError. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Waits for running requests, then closes every connection. Calling it again has no effect. */
  close(): Promise<void>;
}

/** How far a request came. Up to `tls` it is certain that no byte of it was sent. */
export type Phase = "resolve" | "connect" | "tls" | "write" | "wait" | "body";

/** Why a request has no answer. */
export type FailureCause = "failed" | "timeout" | "cancelled" | "too_large" | "unreadable";

/** The `detail` of a timeout while the connection was paused because the application did not read the answer. */
export const ANSWER_UNREAD = "ANSWER_UNREAD";

const brand = Symbol.for("insurance-gateway.transport-error");

/** A request without an answer. The error contains no address, header or body. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly phase: Phase;
  readonly reason: FailureCause;
  /** The lower layer's code, such as ECONNREFUSED, when there is one. */
  readonly detail: string | null;

  /** @param cause - why the application cancelled the request */
  constructor(phase: Phase, reason: FailureCause, detail: string | null = null, cause?: unknown) {
    super(`The request ${reason} in phase ${phase}${detail === null ? "" : ` (${detail})`}`);
    this.phase = phase;
    this.reason = reason;
    this.detail = detail;
    // A getter, because logs print only its name: the application's reason may contain anything.
    if (cause !== undefined) Object.defineProperty(this, "cause", { get: () => cause });
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether a value is this error, also if another copy of this package created it. */
  static isInstance(value: unknown): value is TransportError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** The codes of a process or machine that has no file descriptor, port or memory left for a connection. */
const OWN_SHORTAGES: ReadonlySet<string | null> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
]);

/** Whether a request was not sent because this machine had nothing left for a connection: the server did not fail. */
export function isOwnShortage({ detail, phase }: TransportError): boolean {
  return nothingSent(phase) && OWN_SHORTAGES.has(detail);
}

/** OpenSSL's and Node's codes of a certificate that is not accepted, by this side or, in an alert, by the server. */
export const CERTIFICATE_FAULT: RegExp =
  /CERT|UNKNOWN_CA|SELF_SIGNED|SIGNATURE|ISSUER|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/;

/** The part of the configuration that keeps a connection from being made. */
export type SetupFault = "certificate" | "client_certificate" | "proxy" | "runtime";

/**
 * Why a connection cannot be made until somebody corrects the configuration; null for a failure that may pass. A 4xx of a proxy
 * refuses the connection itself.
 */
export function setupFaultOf({ detail, phase }: TransportError): SetupFault | null {
  if (detail === null || !nothingSent(phase)) return null;
  if (detail.startsWith(RUNTIME_FAULT)) return "runtime";
  if (phase === "tls" && CERTIFICATE_FAULT.test(detail))
    return detail.includes("_ALERT_") ? "client_certificate" : "certificate";
  return /^PROXY_(ANSWERED_4|INVALID)/.test(detail) ? "proxy" : null;
}

/** Whether it is certain that no byte of the request was sent. */
export function nothingSent(phase: Phase): boolean {
  return phase === "resolve" || phase === "connect" || phase === "tls";
}

/** How the detail begins if the runtime cannot load undici, or `fetch` has not what the settings need. */
export const RUNTIME_FAULT = "UNDICI_NOT_LOADED";

/** The detail of a request that a closed transport refuses. */
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
