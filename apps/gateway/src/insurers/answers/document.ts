import { Readable } from "node:stream";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import { type Endpoint, pdf } from "@insurance-gateway/core/contract";
import {
  answerTypes,
  beginsAsHtml,
  fileNameOf,
  fileTypeOf,
  HTML_HEAD_BYTES,
  isHtml,
  Refusal,
  refusalOfBadAnswer,
  refusalOfFailure,
  refusalOfOwnFault,
} from "@insurance-gateway/core/runtime";
import { type BodyStream, TransportError } from "@insurance-gateway/core/transport";
import type { AnswersConfiguration } from "../../configuration/file.ts";
import type { AddEndListener } from "../exchange/insurer-exchange.ts";
import { CallerTooSlowError } from "../exchange/whole-answer.ts";
import { requireAccepted, type SuccessHeaders } from "./answer-headers.ts";
import type { AnswerFacts, UpstreamAnswer } from "./upstream-answer.ts";

type DocumentAnswer = Extract<AdapterAnswer, { readonly type: "document" }>;

/** The settings for reading one insurer's documents. */
interface ReadDocumentParts {
  readonly limits: Pick<AnswersConfiguration, "documentBytes">;
  readonly successHeaders: SuccessHeaders;
}

/**
 * Passes a document on as soon as its first bytes show that it has the declared type. A later failure breaks off
 * the transfer to the caller: the content throws a Refusal or a CallerTooSlowError.
 * @param checked - called once with the result; true if the answer is not a declared document
 */
export async function readDocument(
  endpoint: Endpoint,
  { content, headers = {}, mediaType, size = 0 }: DocumentAnswer,
  { decisive, input }: AnswerFacts,
  { limits: { documentBytes: maximumBytes }, successHeaders }: ReadDocumentParts,
  checked: (isBroken: boolean) => void,
): Promise<UpstreamAnswer> {
  const { accept = null } = input;
  const bytes = content[Symbol.asyncIterator]();
  if (!(size <= maximumBytes)) {
    checked(true);
    await bytes.return?.();
    throw refusalOfBadDocument(
      endpoint,
      `The insurer's document has more than ${maximumBytes} bytes.`,
    );
  }
  const type = fileTypeOf(endpoint, mediaType);
  const { signature = "" } = type ?? {};
  const head = await readFirstBytes(bytes, signature.length || HTML_HEAD_BYTES);
  const begins = head.toString("latin1");
  const isBroken = type === undefined || !begins.startsWith(signature) || beginsAsHtml(begins);
  checked(isBroken);
  if (isBroken) {
    await bytes.return?.();
    const types = answerTypes(endpoint).join(" or ");
    throw refusalOfBadDocument(
      endpoint,
      `The insurer's answer is not a file of type ${types}.`,
      isHtml(mediaType) || beginsAsHtml(begins),
    );
  }
  if (accept !== null && !accept.includes(type.mediaType)) await bytes.return?.();
  requireAccepted(accept, type.mediaType);
  const isPdf = type.mediaType === pdf.mediaType;
  const isWhole = decisive.hasFraming || !decisive.isStreamed() || !isPdf;
  return {
    status: 200,
    headers: {
      ...successHeaders(endpoint, headers.etag ?? decisive.response.headers.etag),
      "content-type": type.mediaType,
      "content-disposition": `attachment; filename="${fileNameOf(endpoint, type)}"`,
      ...(size > 0 ? { "content-length": String(size) } : {}),
    },
    content: streamDocument(endpoint, head, bytes, {
      size,
      end: isWhole ? null : PDF_END,
      whenEnded: decisive.whenEnded,
    }),
  };
}

function refusalOfBadDocument(endpoint: Endpoint, detail: string, isForeign = false): Refusal {
  return refusalOfBadAnswer(endpoint, { detail, received: 200, insurerId: null, isForeign });
}

/** The end mark of a PDF (ISO 32000-1, 7.5.5). */
const PDF_END = "%%EOF";
/** Number of bytes at the end of a PDF in which readers look for the end mark (ISO 32000-1, annex H.3). */
const PDF_END_WITHIN_BYTES = 1_024;

async function readFirstBytes(bytes: AsyncIterator<Uint8Array>, length: number): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.byteLength < length) {
    const next = await bytes.next();
    if (next.done === true) break;
    const { buffer, byteLength, byteOffset } = next.value;
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    head = head.byteLength === 0 ? chunk : Buffer.concat([head, chunk]);
  }
  return head;
}

/** Properties that a complete document must have. */
interface ExpectedDocument {
  /** The size that the insurer states, in bytes; 0 without a stated size. */
  readonly size: number;
  /** The required end mark; null if the end of the transfer alone proves that the document is complete. */
  readonly end: string | null;
  readonly whenEnded: AddEndListener;
}

/**
 * Passes a document on, and fails if it lacks the expected properties. Code that writes the pieces must not throw,
 * because nothing could catch the error. `Readable.from` would hold each request in memory until the next full garbage
 * collection: a PDF of 52 kB would take 206 µs of processor time instead of 139 µs.
 */
function streamDocument(
  endpoint: Endpoint,
  head: Buffer,
  rest: AsyncIterator<Uint8Array>,
  { end, size, whenEnded }: ExpectedDocument,
): Readable {
  // Set to null after the bytes are passed on, because the head of a document can occupy 64 kB of memory.
  let begin: Buffer | null = head;
  let bytes = 0;
  let last: Buffer = Buffer.alloc(0);

  function take(stream: Readable, chunk: Uint8Array): void {
    // An adapter may be written in JavaScript, without a check of its types.
    if (!(chunk instanceof Uint8Array)) throw new TypeError("A document must consist of bytes");
    bytes += chunk.byteLength;
    if (size > 0 && bytes > size) throw refusalOfSize(endpoint);
    const ending = chunk.subarray(-PDF_END_WITHIN_BYTES);
    if (end !== null) last = Buffer.concat([last, ending]).subarray(-PDF_END_WITHIN_BYTES);
    // After an empty piece, Node would not call `read` again.
    if (chunk.byteLength === 0) pull(stream);
    else stream.push(chunk);
  }

  function finish(stream: Readable): void {
    if (size > 0 && bytes < size) throw refusalOfSize(endpoint);
    if (end !== null && !last.includes(end))
      throw new TransportError("body", "failed", "DOCUMENT_CUT_OFF");
    stream.push(null);
  }

  function fail(stream: Readable, error: unknown): void {
    stream.destroy(transferErrorOf(endpoint, error, whenEnded));
  }

  function attempt(stream: Readable, step: () => void): void {
    try {
      step();
    } catch (error) {
      fail(stream, error);
    }
  }

  function pull(stream: Readable): void {
    if (begin !== null) {
      const chunk = begin;
      begin = null;
      attempt(stream, () => take(stream, chunk));
    } else if (isBodyStream(rest)) pullFrom(rest, stream);
    else pullFromAdapter(rest, stream);
  }

  function pullFromAdapter(pieces: AsyncIterator<Uint8Array>, stream: Readable): void {
    callAdapterFunction(() => pieces.next()).then(
      (next) =>
        attempt(stream, () => (next.done === true ? finish(stream) : take(stream, next.value))),
      (error: unknown) => fail(stream, error),
    );
  }

  /** Reads the pieces that the transport has already received, without creating a promise for each piece. */
  function pullFrom(body: BodyStream, stream: Readable): void {
    if (stream.destroyed) return;
    attempt(stream, () => {
      const chunk = body.take();
      if (chunk === undefined) body.whenReady(() => pullFrom(body, stream));
      else if (chunk === null) finish(stream);
      else take(stream, chunk);
    });
  }

  return new Readable({
    // The stream reads nothing ahead, because the transport already holds the next piece.
    highWaterMark: 0,
    // Node calls this method again after each piece that a reader has taken.
    read() {
      pull(this);
    },
    destroy(error, callback) {
      callAdapterFunction(() => rest.return?.()).catch(() => undefined);
      callback(error);
    },
  });
}

/** Reports whether the bytes come from core's transport. */
function isBodyStream(bytes: AsyncIterator<Uint8Array> | BodyStream): bytes is BodyStream {
  // A test for `take` would not work: JavaScript's own iterators also have this method.
  return "whenReady" in bytes;
}

/** Calls a function of an adapter. An adapter in JavaScript may return a value or throw, without a promise. */
function callAdapterFunction<T>(ask: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve) => resolve(ask()));
}

/** Returns the refusal of a document with a wrong size: a client could not find the end of such an answer. */
function refusalOfSize(endpoint: Endpoint): Refusal {
  return refusalOfBadDocument(endpoint, "The insurer's document does not have its stated size.");
}

function transferErrorOf(
  endpoint: Endpoint,
  error: unknown,
  whenEnded: AddEndListener,
): Refusal | CallerTooSlowError {
  if (error instanceof Refusal) return error;
  let isHeldUp = false;
  // The transport reports the end of the transfer before the reader receives its failure.
  whenEnded(({ failure, heldUp }) => {
    isHeldUp = heldUp && failure === error;
  });
  if (isHeldUp) return new CallerTooSlowError();
  return TransportError.isInstance(error)
    ? refusalOfFailure(endpoint, error)
    : refusalOfOwnFault(endpoint, error);
}
