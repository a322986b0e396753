import { Readable } from "node:stream";
import { Refusal } from "@insurance-gateway/core/runtime";
import {
  type CancellationSignal,
  type ResponseBody,
  TransportError,
} from "@insurance-gateway/core/transport";
import type { AnswerMemory, ReservedMemory } from "./answer-budget.ts";

/** Reserves memory for an answer; throws if there is no memory. */
export type ReserveMemory = (bytes: number) => Promise<ReservedMemory>;

/** Number of bytes that are read without a reservation of memory; most answers are smaller. */
const UNRESERVED_BYTES = 1_048_576;

/** An answer to read as a whole, with its limits. */
export interface WholeAnswer {
  readonly body: ResponseBody;
  /** The length that the answer's header states, in bytes; null without one. */
  readonly declaredBytes: number | null;
  readonly maximumBytes: number;
}

/**
 * Returns the bytes of an answer that has completely arrived, as most small ones do with their head; otherwise null.
 * @throws TransportError if the answer is too large
 */
export function takeWholeAnswer({ body, declaredBytes, maximumBytes }: WholeAnswer): Buffer | null {
  if (declaredBytes !== null && declaredBytes > maximumBytes)
    throw new TransportError("body", "too_large");
  if ((declaredBytes ?? 0) > UNRESERVED_BYTES) return null;
  const whole = body.takeWhole?.(maximumBytes) ?? null;
  return whole && joinPieces(whole);
}

/**
 * Reads an answer to its end, after a wait for memory if the answer is large. During the wait, the answer's connection
 * is paused.
 * @throws TransportError if the answer is too large or ends too early; the errors of `reserve`
 */
export async function readWholeAnswer(
  answer: WholeAnswer,
  reserve: ReserveMemory,
): Promise<Buffer> {
  const whole = takeWholeAnswer(answer);
  if (whole !== null) return whole;
  const { body, declaredBytes, maximumBytes } = answer;
  const chunks: Uint8Array[] = [];
  let memory: Buffer | null = null;
  let room: ReservedMemory | null = null;
  let length = 0;
  for await (const chunk of body.stream(maximumBytes)) {
    if (
      memory === null &&
      Math.max(declaredBytes ?? 0, length + chunk.byteLength) > UNRESERVED_BYTES
    ) {
      // An answer without a stated length reserves the maximum.
      const bytes = declaredBytes ?? maximumBytes;
      room = await reserve(bytes);
      // The system provides this memory only when bytes are written to it. Joining a list of chunks would need twice as
      // much.
      memory = Buffer.allocUnsafeSlow(bytes);
      for (const [at, earlier] of piecesWithPosition(chunks)) memory.set(earlier, at);
      chunks.length = 0;
    }
    if (memory === null) chunks.push(chunk);
    else memory.set(chunk, length);
    length += chunk.byteLength;
  }
  room?.reduce(length);
  return memory?.subarray(0, length) ?? joinPieces(chunks);
}

/** Joins pieces of an answer. A single piece is not copied, because each piece has separate memory. */
function joinPieces(chunks: readonly Uint8Array[]): Buffer {
  const [only, second] = chunks;
  return only instanceof Buffer && second === undefined ? only : Buffer.concat(chunks);
}

/** Frees the memory of a large answer at once: before the garbage collector runs, more answers could arrive. */
export function freeMemory({ buffer, byteLength }: Buffer): void {
  // A small answer may share its memory with other buffers.
  if (byteLength > UNRESERVED_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function* piecesWithPosition(
  chunks: readonly Uint8Array[],
): Generator<readonly [number, Uint8Array]> {
  let at = 0;
  for (const chunk of chunks) {
    yield [at, chunk];
    at += chunk.byteLength;
  }
}

/**
 * Maximum wait for memory, in milliseconds. It is short, because a waiting call occupies a connection to the insurer.
 */
const MAX_MEMORY_WAIT_MS = 5_000;

/** The call for whose answer memory is reserved. */
export interface MemoryRequest {
  readonly room: AnswerMemory;
  /** True for a submission: without its answer, its outcome would be unknown. */
  readonly actsAtInsurer: boolean;
  readonly signal: CancellationSignal | null;
  /** Returns the remaining time of the call, in milliseconds. */
  readonly leftMs: () => number;
  /** Called when the call waits for memory. */
  readonly waits: () => void;
}

/** Creates the function that reserves memory for a call. A wait leaves half of the remaining time for the answer. */
export function reserveFor({
  actsAtInsurer,
  leftMs,
  room,
  signal,
  waits,
}: MemoryRequest): ReserveMemory {
  return async (bytes) => {
    if (actsAtInsurer) return room.take(bytes);
    const mostMs = Math.min(MAX_MEMORY_WAIT_MS, Math.max(0, leftMs() / 2));
    const reserved = await room.reserve(bytes, { mostMs, signal, waits });
    if (reserved !== null) return reserved;
    throw signal?.aborted === true ? new TransportError("body", "cancelled") : tooManyAnswers();
  };
}

/** The reason in the refusal of a call for whose answer there is no memory. */
export const NO_MEMORY_REASON = "answer_bytes";

function tooManyAnswers(): Refusal {
  return new Refusal("OVERLOADED", {
    detail:
      "The gateway has no memory for another large answer; the call changes nothing at the insurer, so try again.",
    outcome: "unknown",
    reason: NO_MEMORY_REASON,
    headers: { "retry-after": "1" },
  });
}

/** The error of a document whose time limit ended because its caller did not read: the insurer has not failed. */
export class CallerTooSlowError extends Error {
  override readonly name = "CallerTooSlowError";

  constructor() {
    super("The caller reads the document too slowly");
  }
}

/** The memory of a document, and the time for which it may be occupied. */
export interface DocumentMemory {
  /** The remaining time of the call, in milliseconds. */
  readonly leftMs: number;
  readonly release: () => void;
}

/**
 * Passes on a document from memory, and releases the memory when the document was read or given up. If the call's time
 * ends first, the document fails with a CallerTooSlowError, because only the caller can delay a document that is in
 * memory. Each chunk is a copy: the memory can be freed while the last chunks are still being written.
 */
export function releaseAfterSending(
  content: Readable,
  { leftMs, release }: DocumentMemory,
): Readable {
  const copied = Readable.from(copiesOf(content));
  const deadline = setTimeout(() => {
    // The event `close` may come only after a pending read.
    release();
    copied.destroy(new CallerTooSlowError());
  }, leftMs);
  copied.on("close", () => {
    clearTimeout(deadline);
    release();
  });
  // Prevents an unhandled error: the time limit may end before the document has a reader.
  copied.on("error", () => undefined);
  return copied;
}

async function* copiesOf(content: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield Buffer.from(chunk);
}
