import type { Socket } from "node:net";

/** The most bytes of interim answers before one answer; more are left to undici, which refuses them. */
const MAXIMUM_BYTES = 16 * 1024;

/**
 * Hides interim answers (1xx except 101) from undici, which closes the connection after an unexpected `100 Continue`. A
 * client must accept one that it did not ask for (RFC 9110, section 15.2).
 *
 * undici reads the bytes with `socket.read()`, so this function replaces the socket's `read()`.
 * @returns a function to call before a request is written: interim answers can only begin after that
 */
export function skipInterimAnswers(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isAnswerExpected = false;
  let skipped = 0;
  /** The beginning of an answer that may be an interim one. */
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
      if (end === "incomplete" && skipped + beginning.length <= MAXIMUM_BYTES) return null;
      if (typeof end === "string" || skipped + end > MAXIMUM_BYTES) break;
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

const STATUS_AT = "HTTP/1.1 ".length;
const DIGIT_1 = 0x31;

/** Whether the first digit of the status has arrived and is not 1. Almost every answer is final, so it is not copied. */
function isFinalAnswer(bytes: Buffer): boolean {
  return bytes.length > STATUS_AT && bytes[STATUS_AT] !== DIGIT_1;
}

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const EXAMPLE = "HTTP/1.1 100";

/** Returns the end of the interim answer at the beginning of these bytes. */
function endOfInterim(bytes: Buffer): number | "incomplete" | "none" {
  const start = bytes.toString("latin1", 0, EXAMPLE.length);
  // Complete too few bytes from the example: they may still become an interim answer.
  if (!INTERIM.test(start + EXAMPLE.slice(start.length))) return "none";
  const end = bytes.indexOf("\r\n\r\n");
  return end === -1 ? "incomplete" : end + 4;
}
