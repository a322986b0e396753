import { type ResponseBody, TransportError } from "./transport.ts";

/** The connection a body comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** A body with the functions that fill it. */
export interface IncomingBody extends ResponseBody {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: TransportError): void;
  /** Whether the connection is paused until the reader catches up. */
  isHeldUp(): boolean;
}

/** The connection is paused while more than this many bytes are unread. */
const HIGH_WATER_BYTES = 64 * 1024;

/**
 * Creates a body that buffers the received bytes, and pauses the connection if the reader is slower.
 * @param abort - ends the exchange because nobody reads the rest of the body
 */
export function createIncomingBody(
  flow: Flow,
  abort: (error: TransportError) => void,
): IncomingBody {
  let chunks: Uint8Array[] = [];
  let buffered = 0;
  let paused = false;
  let finished = false;
  let claimed = false;
  let failure: TransportError | undefined;
  let wake: (() => void) | undefined;

  function take(): Uint8Array | undefined {
    const chunk = chunks.shift();
    if (chunk === undefined) return undefined;
    buffered -= chunk.byteLength;
    if (paused && buffered === 0) {
      paused = false;
      flow.resume();
    }
    return chunk;
  }

  function claim(): void {
    if (claimed) throw new TypeError("A body can be read only once");
    claimed = true;
  }

  /** Returns the next chunk, undefined at the end, or a promise that resolves when there may be more. */
  function next(): Uint8Array | undefined | Promise<void> {
    const chunk = take();
    if (chunk !== undefined) return chunk;
    if (failure !== undefined) throw failure;
    if (finished) return undefined;
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  function discard(): void {
    claimed = true;
    chunks = [];
    if (!finished) abort(new TransportError("body", "cancelled"));
  }

  function settle(): void {
    finished = true;
    wake?.();
  }

  return {
    push(chunk) {
      chunks.push(chunk);
      buffered += chunk.byteLength;
      if (!paused && buffered > HIGH_WATER_BYTES) {
        paused = true;
        flow.pause();
      }
      wake?.();
    },
    end: settle,
    isHeldUp: () => paused,
    fail(error) {
      failure ??= error;
      settle();
    },
    text: (maximumBytes) => decode(read({ claim, next, discard }, maximumBytes)),
    takeWhole(maximumBytes) {
      if (!finished || failure !== undefined || claimed || paused || buffered > maximumBytes)
        return null;
      claimed = true;
      const whole = chunks;
      chunks = [];
      buffered = 0;
      return whole;
    },
    stream: (maximumBytes) => read({ claim, next, discard }, maximumBytes),
    discard,
  };
}

/** What a reader does with a body. */
interface Unread {
  claim(): void;
  next(): Uint8Array | undefined | Promise<void>;
  discard(): void;
}

/**
 * Not inside of createIncomingBody: V8 makes a map for each generator function that is called, in its old generation, and
 * each would hold its whole request in memory until the next full collection of garbage.
 */
async function* read(body: Unread, maximumBytes: number): AsyncGenerator<Uint8Array> {
  body.claim();
  let total = 0;
  try {
    for (;;) {
      const chunk = body.next();
      if (chunk === undefined) return;
      if (chunk instanceof Promise) {
        await chunk;
        continue;
      }
      total += chunk.byteLength;
      if (total > maximumBytes) throw new TransportError("body", "too_large");
      yield chunk;
    }
  } finally {
    body.discard();
  }
}

async function decode(stream: AsyncIterable<Uint8Array>): Promise<string> {
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
