import { type ResponseBody, TransportError } from "./transport.ts";

/** The connection a body comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(error: Error): void;
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

/** Creates a body that buffers the received bytes, and pauses the connection if the reader is slower. */
export function createIncomingBody(flow: Flow): IncomingBody {
  const chunks: Uint8Array[] = [];
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

  async function* read(maximumBytes: number): AsyncGenerator<Uint8Array> {
    if (claimed) throw new TypeError("A body can be read only once");
    claimed = true;
    let total = 0;
    try {
      for (;;) {
        const chunk = take();
        if (chunk !== undefined) {
          total += chunk.byteLength;
          if (total > maximumBytes) throw new TransportError("body", "too_large");
          yield chunk;
        } else if (failure !== undefined) throw failure;
        else if (finished) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      discard();
    }
  }

  function discard(): void {
    claimed = true;
    chunks.length = 0;
    if (!finished) flow.abort(new TransportError("body", "cancelled"));
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
    text: (maximumBytes) => decode(read(maximumBytes)),
    takeWhole(maximumBytes) {
      if (!finished || failure !== undefined || claimed || paused || buffered > maximumBytes)
        return null;
      claimed = true;
      buffered = 0;
      return chunks.splice(0);
    },
    stream: read,
    discard,
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
