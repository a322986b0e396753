/** Stops a call from outside; every `AbortSignal` is one. Stated here so that no DOM or Node types are needed. */
export interface CancellationSignal {
  readonly aborted: boolean;
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
  /** Which connection may carry it; `any` when left out. A transport without connections of its own ignores it. */
  readonly connection?: ConnectionChoice;
  /** How long everything may take, the body of the answer included, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: CancellationSignal;
  /** Called once when nothing more comes, with how it ended, also when nobody reads the answer's body. */
  readonly ended?: (end: ExchangeEnd) => void;
}

/**
 * Which connection a request may use:
 * - `any`: every open one. The server may just be closing it, and then nobody knows whether it got the request.
 * - `fresh`: one that is opened for the request, or whose last answer ended less than a second ago (and less than half
 *   of the server's `Keep-Alive: timeout=`, or of the time after which it was seen to close one) with nothing left to read.
 * - `new`: one that is opened for the request.
 */
export type ConnectionChoice = "any" | "fresh" | "new";

/** How a request and its answer ended. */
export interface ExchangeEnd {
  /** Null when the answer came whole. */
  readonly failure: TransportError | null;
  /** Whether the answer's body was held up at the end because it was not read. */
  readonly heldUp: boolean;
}

/** The answer's head, with its body still to come. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
}

/** A body that is read once, whole or as a stream. Reading throws TransportError with phase `body`. */
export interface ResponseBody {
  /** Reads all of it as UTF-8 text, and refuses more bytes than the maximum. */
  text(maximumBytes: number): Promise<string>;
  /**
   * Takes all of it, where all of it has come already: then nothing needs to be waited for. Null where more may come, it has
   * more bytes than the maximum, or it failed; it can still be read then. A transport can leave this out.
   */
  takeWhole?(maximumBytes: number): readonly Uint8Array[] | null;
  /** Reads it piece by piece, and refuses more bytes than the maximum. */
  stream(maximumBytes: number): AsyncIterable<Uint8Array>;
  /** Gives it up. */
  discard(): void;
}

/** An answer whose connection is known. */
export interface ConnectionResponse extends TransportResponse {
  /** Whether the connection was opened for this request, so that nothing of an earlier one can be in the answer. */
  readonly isNewConnection: boolean;
  /**
   * Closes the connection at once, for an answer that does not answer its request: the following answers on it may be
   * wrong too. Another request that uses the connection by then fails, and so does reading this answer's body.
   */
  closeConnection(): void;
}

/** A transport that knows its connections. */
export interface ConnectionTransport extends Transport {
  send(request: TransportRequest): Promise<ConnectionResponse>;
  /** How many requests have a connection or wait for one; 0 once the transport is closed. */
  underWay(): number;
}

/** Sends HTTP requests. Redirects are not followed and nothing is tried twice. */
export interface Transport {
  /** Resolves when the answer's head is there; throws TransportError. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Waits for what is under way, then closes every connection. A second time is the same as once. */
  close(): Promise<void>;
}

/** How far a request had come: until `tls` it is certain that no byte of it left. */
export type Phase = "resolve" | "connect" | "tls" | "write" | "wait" | "body";

/** Why a request failed. */
export type FailureCause = "failed" | "timeout" | "cancelled" | "too_large" | "unreadable";

const brand = Symbol.for("insurance-gateway.transport-error");

/** A request without an answer. It holds no address, header or body. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly phase: Phase;
  readonly reason: FailureCause;
  /** The lower layer's code, such as ECONNREFUSED, when there is one. */
  readonly detail: string | null;

  constructor(phase: Phase, reason: FailureCause, detail: string | null = null) {
    super(`The request ${reason} in phase ${phase}${detail === null ? "" : ` (${detail})`}`);
    this.phase = phase;
    this.reason = reason;
    this.detail = detail;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises the error, also one of another copy of this package. */
  static isInstance(value: unknown): value is TransportError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Whether it is certain that no byte of the request left. */
export function nothingSent(phase: Phase): boolean {
  return phase === "resolve" || phase === "connect" || phase === "tls";
}
