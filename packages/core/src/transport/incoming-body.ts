import { type BodyStream, decodeText, type ResponseBody, TransportError } from "./transport.ts";

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
  stream(maximumBytes: number): BodyStream;
}

/** The connection is paused when this many bytes are unread, unless the reader waits for them. */
const HIGH_WATER_BYTES = 64 * 1024;
/** The same of a stream, whose reader may be slow for long. Small chunks are not worth a pause: each is part of a larger buffer. */
const STREAM_HIGH_WATER_BYTES = 16 * 1024;

/**
 * Creates a body that buffers the received bytes, and pauses the connection if the reader is slower.
 * @param length - how many bytes there are in all; null if that is not known
 * @param abort - ends the exchange because nobody reads the rest of the body
 */
export function createIncomingBody(
  flow: Flow,
  length: number | null,
  abort: (error: TransportError) => void,
): IncomingBody {
  let chunks: Uint8Array[] = [];
  let buffered = 0;
  let paused = false;
  let finished = false;
  let claimed = false;
  let highWaterBytes = HIGH_WATER_BYTES;
  let received = 0;
  let failure: TransportError | undefined;
  let waiting: (() => void)[] = [];

  /** Returns the next chunk, null at the end, or undefined if none has arrived yet. */
  function next(): Uint8Array | null | undefined {
    const chunk = chunks.shift();
    if (chunk === undefined) {
      if (failure !== undefined) throw failure;
      return finished ? null : undefined;
    }
    buffered -= chunk.byteLength;
    if (paused && buffered === 0) {
      paused = false;
      flow.resume();
    }
    return chunk;
  }

  function whenReady(callback: () => void): void {
    waiting.push(callback);
    if (finished || chunks.length > 0) wakeReaders();
  }

  function discard(): void {
    claimed = true;
    chunks = [];
    if (!finished) abort(new TransportError("body", "cancelled"));
  }

  function wakeReaders(): void {
    const readers = waiting;
    waiting = [];
    for (const wake of readers) wake();
  }

  function settle(): void {
    finished = true;
    wakeReaders();
  }

  /** No generator: one that is suspended would hold the chunk that it gave last. */
  function streamOf(maximumBytes: number): BodyStream {
    if (claimed) throw new TypeError("A body can be read only once");
    claimed = true;
    let total = 0;

    function take(): Uint8Array | null | undefined {
      const chunk = next();
      total += chunk?.byteLength ?? 0;
      if (total <= maximumBytes) return chunk;
      discard();
      throw new TransportError("body", "too_large");
    }

    return {
      take,
      whenReady,
      async next() {
        for (;;) {
          const chunk = take();
          if (chunk) return { done: false, value: chunk };
          if (chunk === null) return { done: true, value: undefined };
          await new Promise<void>(whenReady);
        }
      },
      async return() {
        discard();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  return {
    push(chunk) {
      // undici passes an empty one on when a paused connection is resumed: pausing it again would never end.
      if (chunk.byteLength === 0) return;
      chunks.push(chunk);
      buffered += chunk.byteLength;
      received += chunk.byteLength;
      const isUnread = waiting.length === 0 && buffered >= highWaterBytes;
      // After the last byte undici needs nothing more to end the exchange. Paused, it would take the insurer's close for a failure.
      if (!paused && isUnread && received !== length) {
        paused = true;
        flow.pause();
      }
      wakeReaders();
    },
    end: settle,
    isHeldUp: () => paused,
    fail(error) {
      failure ??= error;
      settle();
    },
    text: async (maximumBytes) => decodeText(streamOf(maximumBytes)),
    takeWhole(maximumBytes) {
      if (!finished || failure !== undefined || claimed || paused || buffered > maximumBytes)
        return null;
      claimed = true;
      const whole = chunks;
      chunks = [];
      buffered = 0;
      return whole;
    },
    stream(maximumBytes) {
      highWaterBytes = STREAM_HIGH_WATER_BYTES;
      return streamOf(maximumBytes);
    },
    discard,
  };
}
