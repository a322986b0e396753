import {
  ANSWER_UNREAD,
  CLOSED,
  collectBytes,
  decodeText,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

/** Returns the faults of settings that `fetch` does not support. */
export function faultsOverFetch(settings: object): readonly string[] {
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name]) => `${name} is not available over fetch`);
}

/**
 * Creates a transport over the runtime's `fetch`. `fetch` does not report the progress of a request, so a started
 * request may have been sent. This transport cannot choose a connection, and it collects a streamed body before it
 * sends the body.
 */
export function createFetchTransport(): Transport {
  const running = new Set<Promise<void>>();
  let isClosed = false;
  return {
    send(request) {
      if (isClosed) return Promise.reject(new TransportError("connect", "failed", CLOSED));
      const end = Promise.withResolvers<void>();
      running.add(end.promise);
      return sendOverFetch(request, () => {
        running.delete(end.promise);
        end.resolve();
      });
    },
    async close() {
      isClosed = true;
      await Promise.all(running);
    },
  };
}

/**
 * Sends a request.
 * @param released - called when the answer has been read or discarded, or the request has failed
 */
async function sendOverFetch(
  { body, ended, headers, method, signal, timeoutMs, url }: TransportRequest,
  released: () => void,
): Promise<TransportResponse> {
  const abortion = new AbortController();
  const stopped = Promise.withResolvers<never>();
  // Prevents an unhandled rejection while no code waits for `stopped`.
  stopped.promise.catch(() => undefined);
  let phase: FetchPhase = "connect";
  let failure: TransportError | undefined;
  let isOver = false;
  /** True while a reader waits for the next bytes of the answer. */
  let isAwaited = true;

  function finish(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    ended?.({ failure: failure ?? null, heldUp: failure?.reason === "timeout" && !isAwaited });
    released();
  }

  /** Ends the exchange with an error, unless it has ended already. Returns the error that ended the exchange. */
  function fail(error: TransportError): TransportError {
    if (isOver) return failure ?? error;
    failure = error;
    abortion.abort();
    stopped.reject(error);
    finish();
    return error;
  }

  const cancel = (): void =>
    void fail(new TransportError(phase, "cancelled", null, signal?.reason));
  const timer = setTimeout(
    () => fail(new TransportError(phase, "timeout", isAwaited ? null : ANSWER_UNREAD)),
    timeoutMs,
  );
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();

  async function* chunksOf(
    content: ReadableStream<Uint8Array>,
    maximumBytes: number,
  ): AsyncGenerator<Uint8Array> {
    const reader = content.getReader();
    let total = 0;
    try {
      for (;;) {
        isAwaited = true;
        const { done, value } = await Promise.race([reader.read(), stopped.promise]);
        isAwaited = false;
        if (done) return finish();
        total += value.byteLength;
        if (total > maximumBytes) throw new TransportError("body", "too_large");
        yield value;
      }
    } catch (error) {
      throw fail(toTransportError(error, phase));
    } finally {
      // The reader may stop before the end of the body.
      discard();
    }
  }

  function discard(): void {
    fail(new TransportError("body", "cancelled"));
  }

  async function answer(): Promise<TransportResponse> {
    const content = await collectBody(body);
    if (failure !== undefined) throw failure;
    phase = "wait";
    // A runtime without an HTTP cache may refuse the option `cache`.
    const uncached: RequestInit = "cache" in Request.prototype ? { cache: "no-store" } : {};
    const response = await fetch(url, {
      ...uncached,
      method,
      headers: sentHeaders(headers),
      body: content,
      redirect: "manual",
      signal: abortion.signal,
    });
    phase = "body";
    isAwaited = false;
    const received: ReadableStream<Uint8Array> | null = response.body;
    if (received === null) finish();
    let isClaimed = false;
    const stream = (maximumBytes: number): AsyncIterable<Uint8Array> => {
      if (isClaimed) throw new TypeError("A body can be read only once");
      isClaimed = true;
      return received === null ? emptyBody() : chunksOf(received, maximumBytes);
    };
    return {
      status: response.status,
      headers: receivedHeaders(response.headers),
      body: {
        text: async (maximumBytes) => decodeText(stream(maximumBytes)),
        stream,
        discard() {
          isClaimed = true;
          discard();
        },
      },
    };
  }

  try {
    return await Promise.race([answer(), stopped.promise]);
  } catch (error) {
    throw fail(toTransportError(error, phase));
  }
}

type FetchPhase = "connect" | "wait" | "body";

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Returns a request body as a text or as bytes. Collects the chunks of a stream. */
async function collectBody(body: TransportRequest["body"]): Promise<string | Uint8Array | null> {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Uint8Array ? body : collectBytes(body);
}

/**
 * Returns the headers to send, without `content-length`. `fetch` sets this header itself, and refuses or ignores a
 * given value.
 */
function sentHeaders(given: TransportRequest["headers"]): Record<string, string> {
  const { "content-length": _, ...headers } = given;
  return headers;
}

function receivedHeaders(headers: Headers): Record<string, string> {
  const received: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) received[name] = value;
  // `fetch` has decoded the body, but the header `content-length` has the length before decoding.
  if ("content-encoding" in received) {
    delete received["content-encoding"];
    delete received["content-length"];
  }
  return received;
}

/**
 * Node's system calls that end before a connection exists. Other runtimes' `fetch` never proves that nothing was sent:
 * it may have sent the request on an open connection before it tried a new connection.
 */
const SYSTEM_CALLS_BEFORE_SENDING: readonly unknown[] = ["connect", "getaddrinfo"];

function toTransportError(thrown: unknown, phase: FetchPhase): TransportError {
  if (TransportError.isInstance(thrown)) return thrown;
  const cause = thrown instanceof Error ? systemErrorIn(thrown.cause) : null;
  const isProven = phase === "wait" && SYSTEM_CALLS_BEFORE_SENDING.includes(cause?.syscall);
  return new TransportError(isProven ? "connect" : phase, "failed", cause?.code ?? null);
}

/**
 * Returns the code of a failed system call. If several addresses of one name failed, returns the code of the first
 * failure.
 */
function systemErrorIn(
  cause: unknown,
): { readonly code: string; readonly syscall: unknown } | null {
  if (typeof cause !== "object" || cause === null) return null;
  const { code, errors, syscall }: Partial<Record<"code" | "errors" | "syscall", unknown>> = cause;
  if (Array.isArray(errors) && errors.length > 0) return systemErrorIn(errors[0]);
  return typeof code === "string" ? { code, syscall } : null;
}
