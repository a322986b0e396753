import type { Socket } from "node:net";

/** Maximum size of the interim answers before one final answer, in bytes. undici receives and refuses further bytes. */
const MAX_INTERIM_BYTES = 16 * 1024;

/**
 * Hides interim answers (1xx except 101) from undici, which closes the connection after an unexpected `100 Continue`. A
 * client must accept an interim answer that it did not request (RFC 9110, section 15.2).
 *
 * undici reads the bytes with `socket.read()`, so this function replaces the socket's `read()`.
 * @returns a function to call before each request is written, because interim answers can only begin after a request
 */
export function skipInterimAnswers(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isAnswerExpected = false;
  let skipped = 0;
  /** Received bytes that may be the beginning of an interim answer. */
  let beginning = Buffer.alloc(0);

  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || !isAnswerExpected) return chunk;
    if (beginning.length === 0 && isFinalAnswer(chunk)) {
      isAnswerExpected = false;
      return chunk;
    }
    beginning = Buffer.concat([beginning, chunk]);
    for (;;) {
      const end = endOfInterim(beginning);
      if (end === "incomplete" && skipped + beginning.length <= MAX_INTERIM_BYTES) return null;
      if (typeof end === "string" || skipped + end > MAX_INTERIM_BYTES) break;
      skipped += end;
      beginning = beginning.subarray(end);
    }
    isAnswerExpected = false;
    const rest = beginning;
    beginning = Buffer.alloc(0);
    return rest;
  };

  return () => {
    isAnswerExpected = true;
    skipped = 0;
  };
}

/** Index of the status in the first line of an answer. */
const STATUS_INDEX = "HTTP/1.1 ".length;
const DIGIT_1 = 0x31;

/** Reports whether the first digit of the status has arrived and is not 1. Most answers are final, and not copied. */
function isFinalAnswer(bytes: Buffer): boolean {
  return bytes.length > STATUS_INDEX && bytes[STATUS_INDEX] !== DIGIT_1;
}

/** Start of an interim answer. */
const INTERIM_STATUS_LINE = /^HTTP\/1\.[01] 1(?!01)\d\d/;
/** Start of an example of an interim answer. Its end replaces the missing bytes of a start that has arrived in part. */
const INTERIM_EXAMPLE = "HTTP/1.1 100";

/** Returns the index after the interim answer at the start of these bytes. */
function endOfInterim(bytes: Buffer): number | "incomplete" | "none" {
  const start = bytes.toString("latin1", 0, INTERIM_EXAMPLE.length);
  // If fewer bytes have arrived, the end of the example replaces the missing bytes, because the answer may still be an
  // interim answer.
  if (!INTERIM_STATUS_LINE.test(start + INTERIM_EXAMPLE.slice(start.length))) return "none";
  const end = bytes.indexOf("\r\n\r\n");
  return end === -1 ? "incomplete" : end + 4;
}
