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
import type { WhenEnded } from "../exchange/insurer-exchange.ts";
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
 * Passes a document on once its first bytes prove its type. A later failure breaks the caller's transfer: the content throws
 * a Refusal, or a CallerTooSlowError.
 * @param checked - called once, with whether the answer is not a declared document
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
  const head = await takeHead(bytes, signature.length || HTML_HEAD_BYTES);
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
    content: streamOf(endpoint, head, bytes, {
      size,
      end: isWhole ? null : PDF_END,
      whenEnded: decisive.whenEnded,
    }),
  };
}

function refusalOfBadDocument(endpoint: Endpoint, detail: string, isForeign = false): Refusal {
  return refusalOfBadAnswer(endpoint, { detail, received: 200, insurerId: null, isForeign });
}

/** The end of a PDF and the part of it, in bytes, where readers look for that end (ISO 32000-1, 7.5.5 and annex H.3). */
const PDF_END = "%%EOF";
const PDF_END_WITHIN_BYTES = 1_024;

async function takeHead(bytes: AsyncIterator<Uint8Array>, length: number): Promise<Buffer> {
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

/** The known facts of a document before its end. */
interface ExpectedDocument {
  /** As the adapter states it, in bytes; 0 where it does not. */
  readonly size: number;
  /** The required last bytes; null if the document is known to be complete. */
  readonly end: string | null;
  readonly whenEnded: WhenEnded;
}

/**
 * Passes a document on, and fails where it is not what was expected. Nothing may throw where its pieces are written, because
 * nothing could catch it there. `Readable.from` would hold each request in memory until all garbage is collected: a PDF of
 * 52 kB would take 206 µs of processor time instead of 139 µs.
 */
function streamOf(
  endpoint: Endpoint,
  head: Buffer,
  rest: AsyncIterator<Uint8Array>,
  { end, size, whenEnded }: ExpectedDocument,
): Readable {
  // Released once it is passed on: it can be a piece of 64 kB.
  let begin: Buffer | null = head;
  let bytes = 0;
  let last: Buffer = Buffer.alloc(0);

  function take(stream: Readable, chunk: Uint8Array): void {
    // Adapters can be JavaScript.
    if (!(chunk instanceof Uint8Array)) throw new TypeError("A document consists of bytes");
    bytes += chunk.byteLength;
    if (size > 0 && bytes > size) throw refusalOfSize(endpoint);
    const ending = chunk.subarray(-PDF_END_WITHIN_BYTES);
    if (end !== null) last = Buffer.concat([last, ending]).subarray(-PDF_END_WITHIN_BYTES);
    // For an empty one, Node would not ask again.
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
    stream.destroy(failureOfContent(endpoint, error, whenEnded));
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
    asked(() => pieces.next()).then(
      (next) =>
        attempt(stream, () => (next.done === true ? finish(stream) : take(stream, next.value))),
      (error: unknown) => fail(stream, error),
    );
  }

  /** Takes what the transport has received, without a promise for each chunk. */
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
    // Nothing is read ahead: the transport holds the next piece already.
    highWaterMark: 0,
    // Node calls it again once something was taken.
    read() {
      pull(this);
    },
    destroy(error, callback) {
      asked(() => rest.return?.()).catch(() => undefined);
      callback(error);
    },
  });
}

/** Whether these are the bytes as they come from core's transport. */
function isBodyStream(bytes: AsyncIterator<Uint8Array> | BodyStream): bytes is BodyStream {
  // JavaScript's own iterators have a method `take` too.
  return "whenReady" in bytes;
}

/** Asks an adapter, which can be JavaScript and return or throw at once instead of with a promise. */
function asked<T>(ask: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve) => resolve(ask()));
}

/** A client with a `content-length` that is wrong could not find the next answer on its connection. */
function refusalOfSize(endpoint: Endpoint): Refusal {
  return refusalOfBadDocument(endpoint, "The insurer's document has another size than stated.");
}

function failureOfContent(
  endpoint: Endpoint,
  error: unknown,
  whenEnded: WhenEnded,
): Refusal | CallerTooSlowError {
  if (error instanceof Refusal) return error;
  let isHeldUp = false;
  // A transport reports the end before the reader meets the failure.
  whenEnded(({ failure, heldUp }) => {
    isHeldUp = heldUp && failure === error;
  });
  if (isHeldUp) return new CallerTooSlowError();
  return TransportError.isInstance(error)
    ? refusalOfFailure(endpoint, error)
    : refusalOfOwnFault(endpoint, error);
}
