import { type BodyStream, type ResponseBody, TransportError } from "./transport.ts";

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

/** The connection is paused from so many unread bytes on; while a stream is not read, from the first one on. */
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
  let streamed = false;
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

  /** Returns the next chunk, null at the end, or undefined if none has arrived yet. */
  function next(): Uint8Array | null | undefined {
    const chunk = take();
    if (chunk !== undefined) return chunk;
    if (failure !== undefined) throw failure;
    return finished ? null : undefined;
  }

  function whenReady(callback: () => void): void {
    wake = callback;
    if (finished || chunks.length > 0) wakeReader();
  }

  function discard(): void {
    claimed = true;
    chunks = [];
    if (!finished) abort(new TransportError("body", "cancelled"));
  }

  function wakeReader(): void {
    const reader = wake;
    wake = undefined;
    reader?.();
  }

  function settle(): void {
    finished = true;
    wakeReader();
  }

  const unread: Unread = { claim, next, whenReady, discard };
  return {
    push(chunk) {
      // undici passes an empty one on when a paused connection is resumed: pausing it again would never end.
      if (chunk.byteLength === 0) return;
      chunks.push(chunk);
      buffered += chunk.byteLength;
      const isUnread = streamed && wake === undefined;
      if (!paused && (isUnread || buffered >= HIGH_WATER_BYTES)) {
        paused = true;
        flow.pause();
      }
      wakeReader();
    },
    end: settle,
    isHeldUp: () => paused,
    fail(error) {
      failure ??= error;
      settle();
    },
    text: (maximumBytes) => decode(streamOf(unread, maximumBytes)),
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
      streamed = true;
      return streamOf(unread, maximumBytes);
    },
    discard,
  };
}

/** What a reader does with a body. */
interface Unread {
  claim(): void;
  next(): Uint8Array | null | undefined;
  whenReady(this: void, callback: () => void): void;
  discard(): void;
}

/** No generator: one that is suspended would hold the chunk that it gave last. */
function streamOf(body: Unread, maximumBytes: number): BodyStream {
  let total = 0;
  let isClaimed = false;
  let isOver = false;

  function end(): null {
    isOver = true;
    body.discard();
    return null;
  }

  function take(): Uint8Array | null | undefined {
    if (isOver) return null;
    if (!isClaimed) body.claim();
    isClaimed = true;
    try {
      const chunk = body.next();
      total += chunk?.byteLength ?? 0;
      if (total > maximumBytes) throw new TransportError("body", "too_large");
      return chunk === null ? end() : chunk;
    } catch (error) {
      end();
      throw error;
    }
  }

  return {
    take,
    whenReady: body.whenReady,
    async next() {
      let chunk = take();
      while (chunk === undefined) {
        await new Promise<void>(body.whenReady);
        chunk = take();
      }
      return chunk === null ? { done: true, value: undefined } : { done: false, value: chunk };
    },
    async return() {
      if (!isOver) end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
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
