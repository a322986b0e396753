import { type BodyStream, decodeText, type ResponseBody, TransportError } from "./transport.ts";

/** Connection on which a body arrives. */
export interface PausableConnection {
  pause(): void;
  resume(): void;
}

/** Body with the functions that fill it. */
export interface IncomingBody extends ResponseBody {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: TransportError): void;
  /** Reports whether the connection is paused until the reader catches up. */
  isHeldUp(): boolean;
  stream(maximumBytes: number): BodyStream;
}

/** Number of unread bytes at which the connection is paused, unless the reader waits for bytes. */
const HIGH_WATER_BYTES = 64 * 1024;
/**
 * Number of unread bytes at which the connection of a stream is paused, because the reader of a stream may be slow for
 * a long time. A lower limit would be useless, because each chunk is part of a larger buffer, which stays in memory.
 */
const STREAM_HIGH_WATER_BYTES = 16 * 1024;

/**
 * Creates a body that buffers the received bytes, and pauses the connection if the reader is slower.
 * @param length - total number of bytes; null if unknown
 * @param abort - ends the exchange if the rest of the body is not needed
 */
export function createIncomingBody(
  flow: PausableConnection,
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

  function discard(reason = new TransportError("body", "cancelled")): void {
    claimed = true;
    chunks = [];
    if (!finished) abort(reason);
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

  /**
   * Returns the body as a stream. A generator is not used: a suspended generator would hold its last chunk in memory.
   */
  function streamOf(maximumBytes: number): BodyStream {
    if (claimed) throw new TypeError("A body can be read only once");
    claimed = true;
    let total = 0;

    function take(): Uint8Array | null | undefined {
      const chunk = next();
      total += chunk?.byteLength ?? 0;
      if (total <= maximumBytes) return chunk;
      const tooLarge = new TransportError("body", "too_large");
      discard(tooLarge);
      throw tooLarge;
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
      // undici passes on an empty chunk when a paused connection is resumed. A pause for this chunk would never end.
      if (chunk.byteLength === 0) return;
      chunks.push(chunk);
      buffered += chunk.byteLength;
      received += chunk.byteLength;
      const isUnread = waiting.length === 0 && buffered >= highWaterBytes;
      // After the last byte, a pause would make undici report the end of the connection as a failure.
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
