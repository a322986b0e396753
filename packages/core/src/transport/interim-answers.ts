import type { Socket } from "node:net";

/** The most bytes of interim answers before one answer; more are left to undici, which refuses them. */
const MAXIMUM_BYTES = 16 * 1024;

/**
 * Lets no interim answer (1xx but 101) through to undici, which breaks the connection at an unexpected `100 Continue`. A
 * client must be able to read one that it did not ask for (RFC 9110, section 15.2).
 *
 * undici takes a socket's bytes with `read()`, so this socket gets a `read()` of its own.
 * @returns to be called when a request is about to be written: only what comes after it can begin with an interim answer
 */
export function skipInterimAnswers(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isAnswerExpected = false;
  let skipped = 0;
  /** The beginning of an answer of which it is not known yet whether it is an interim one. */
  let beginning = Buffer.alloc(0);

  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || !isAnswerExpected) return chunk;
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

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const EXAMPLE = "HTTP/1.1 100";

/** Where the interim answer ends that these bytes begin with. */
function endOfInterim(bytes: Buffer): number | "incomplete" | "none" {
  const start = bytes.toString("latin1", 0, EXAMPLE.length);
  // Too few bytes are completed from the example: they may still become an interim answer.
  if (!INTERIM.test(start + EXAMPLE.slice(start.length))) return "none";
  const end = bytes.indexOf("\r\n\r\n");
  return end === -1 ? "incomplete" : end + 4;
}
