import { Readable } from "node:stream";
import { Refusal } from "@insurance-gateway/core/runtime";
import {
  type CancellationSignal,
  type ResponseBody,
  TransportError,
} from "@insurance-gateway/core/transport";
import type { AnswerRoom, ReservedRoom } from "./answer-budget.ts";

/** Reserves room for an answer; throws when there is none. */
export type ReserveRoom = (bytes: number) => Promise<ReservedRoom>;

/** How much of an answer is read before room is reserved for it: most answers are smaller. */
const UNCOUNTED_BYTES = 1_048_576;

/** An answer that is read whole, and how it is read. */
export interface WholeAnswer {
  readonly body: ResponseBody;
  /** The declared length of the answer, in bytes; null without one. */
  readonly declaredBytes: number | null;
  readonly maximumBytes: number;
}

/**
 * Takes an answer that has come whole, as most small ones have with their head; null for any other.
 * @throws TransportError for an answer that is too large
 */
export function takeWhole({ body, declaredBytes, maximumBytes }: WholeAnswer): Buffer | null {
  if (declaredBytes !== null && declaredBytes > maximumBytes)
    throw new TransportError("body", "too_large");
  if ((declaredBytes ?? 0) > UNCOUNTED_BYTES) return null;
  const whole = body.takeWhole?.(maximumBytes) ?? null;
  return whole && joined(whole);
}

/**
 * Reads an answer into memory, once there is room for it. While a large one waits for room, its connection is paused.
 * @throws TransportError for an answer that is too large or ends too early; what `reserve` throws
 */
export async function readWhole(answer: WholeAnswer, reserve: ReserveRoom): Promise<Buffer> {
  const whole = takeWhole(answer);
  if (whole !== null) return whole;
  const { body, declaredBytes, maximumBytes } = answer;
  const chunks: Uint8Array[] = [];
  let memory: Buffer | null = null;
  let room: ReservedRoom | null = null;
  let length = 0;
  for await (const chunk of body.stream(maximumBytes)) {
    if (
      memory === null &&
      Math.max(declaredBytes ?? 0, length + chunk.byteLength) > UNCOUNTED_BYTES
    ) {
      // An answer without a declared length gets room for the longest.
      const bytes = declaredBytes ?? maximumBytes;
      room = await reserve(bytes);
      // The memory is only used as far as it is written; a list of chunks would be needed twice when it is joined.
      memory = Buffer.allocUnsafeSlow(bytes);
      for (const [at, earlier] of startsOf(chunks)) memory.set(earlier, at);
      chunks.length = 0;
    }
    if (memory === null) chunks.push(chunk);
    else memory.set(chunk, length);
    length += chunk.byteLength;
  }
  room?.reduce(length);
  return memory?.subarray(0, length) ?? joined(chunks);
}

/** Without a copy where there is nothing to join: the transport gives each piece in memory of its own. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only, second] = chunks;
  return only instanceof Buffer && second === undefined ? only : Buffer.concat(chunks);
}

/** Frees the memory of a large answer at once: more of them could come before the garbage collector finds it. */
export function freeMemory({ buffer, byteLength }: Buffer): void {
  // The memory of a small one may be shared with others.
  if (byteLength > UNCOUNTED_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function* startsOf(chunks: readonly Uint8Array[]): Generator<readonly [number, Uint8Array]> {
  let at = 0;
  for (const chunk of chunks) {
    yield [at, chunk];
    at += chunk.byteLength;
  }
}

/** No answer waits longer for room: its call holds a connection to the insurer meanwhile. */
const LONGEST_WAIT_MS = 5_000;

/** The parts with which a call reserves room. */
export interface RoomOfCall {
  readonly room: AnswerRoom;
  /** Whether the insurer acts on the call: its outcome would be unknown without its answer. */
  readonly actsAtInsurer: boolean;
  readonly signal: CancellationSignal | null;
  /** The time that is left for the call, in milliseconds. */
  readonly leftMs: () => number;
  /** Called when the call waits for room. */
  readonly waits: () => void;
}

/** How a call reserves room for its answers. A wait leaves half of the time for the answer itself. */
export function reserveFor({
  actsAtInsurer,
  leftMs,
  room,
  signal,
  waits,
}: RoomOfCall): ReserveRoom {
  return async (bytes) => {
    if (actsAtInsurer) return room.take(bytes);
    const mostMs = Math.min(LONGEST_WAIT_MS, Math.max(0, leftMs() / 2));
    const reserved = await room.reserve(bytes, { mostMs, signal, waits });
    if (reserved !== null) return reserved;
    throw signal?.aborted === true ? new TransportError("body", "cancelled") : tooManyAnswers();
  };
}

/** The word for the operator's tools. */
export const NO_ROOM = "answer_bytes";

function tooManyAnswers(): Refusal {
  return new Refusal("OVERLOADED", {
    detail:
      "The gateway holds as many large answers of insurers as it may; the call changes nothing at the insurer, so try again.",
    outcome: "unknown",
    reason: NO_ROOM,
    headers: { "retry-after": "1" },
  });
}

/**
 * The time of a call ended while its caller did not read the document. The insurer did not fail, so that neither the log
 * nor the metrics have a problem.
 */
export class CallerTooSlowError extends Error {
  override readonly name = "CallerTooSlowError";

  constructor() {
    super("The caller reads the document too slowly");
  }
}

/** The room of a document in memory, with its longest time. */
export interface Held {
  /** The time that is left for the call, in milliseconds. */
  readonly leftMs: number;
  readonly release: () => void;
}

/**
 * A document, with the room that it holds until it is passed on or given up, or until its call's time ends: then it fails
 * with a CallerTooSlowError, because nothing else can hold up what is in memory. Each of its chunks is a copy: the memory of the answer is freed while the last ones are still being
 * written.
 */
export function holding(content: Readable, { leftMs, release }: Held): Readable {
  const copied = Readable.from(copiesOf(content));
  const deadline = setTimeout(() => {
    // Not when the stream has closed: what it waits for may come late.
    release();
    copied.destroy(new CallerTooSlowError());
  }, leftMs);
  copied.on("close", () => {
    clearTimeout(deadline);
    release();
  });
  // Its time may end before anybody reads it.
  copied.on("error", () => undefined);
  return copied;
}

async function* copiesOf(content: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield Buffer.from(chunk);
}
