import type { Endpoint, FileType } from "../contract/endpoint.ts";
import {
  answerTypes,
  beginsAsHtml,
  fileNameOf,
  fileTypeOf,
  HTML_HEAD_BYTES,
} from "../contract/files.ts";
import {
  collectBytes,
  joinBytes,
  TransportError,
  type TransportResponse,
} from "../transport/transport.ts";
import { invalidAnswerError, mediaTypeOf, throwErrorOf } from "./answer.ts";
import { asCall } from "./call.ts";
import { connectionError } from "./failure.ts";
import type { ReportFailure } from "./hooks.ts";
import type { KindCode } from "./kind-code.ts";

/**
 * Document that is still being received. Read it once with `stream()`, `bytes()` or `saveTo` of
 * `@insurance-gateway/core/node`. The download uses a connection until it is read or discarded, at most until the time
 * limit of the call.
 */
export interface Download {
  /** Media type, such as `application/pdf`. */
  readonly mediaType: string;
  /** Safe name for the file. */
  readonly fileName: string;
  /** Size in bytes; null if the gateway does not report it. */
  readonly size: number | null;
  /** Returns the content as a stream of chunks. */
  stream(): AsyncIterable<Uint8Array>;
  /** Returns the complete content. */
  bytes(): Promise<Uint8Array>;
  /** Discards the document and releases its connection. */
  discard(): void;
}

/** Maximum size of a document, in bytes. The gateway never returns a longer document. */
const MAXIMUM_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Creates a download from an answer. */
function createDownload(
  endpoint: Endpoint,
  response: TransportResponse,
  report: ReportFailure,
): Download {
  const length = response.headers["content-length"];
  const mediaType = mediaTypeOf(response);
  const type = fileTypeOf(endpoint, mediaType);
  const refuse = (message: string): Error =>
    report(invalidAnswerError(endpoint, response, [], message));
  const stream = (): AsyncIterable<Uint8Array> =>
    checkFileSignature(readDocument(endpoint, response, report), type ?? {}, refuse);
  return {
    mediaType,
    fileName: fileNameOf(endpoint, type),
    size: length === undefined ? null : Number(length),
    stream,
    bytes: () => collectBytes(stream()),
    discard: () => response.body.discard(),
  };
}

async function* readDocument(
  endpoint: Endpoint,
  response: TransportResponse,
  report: ReportFailure,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body.stream(MAXIMUM_DOCUMENT_BYTES);
  } catch (error) {
    if (!TransportError.isInstance(error)) throw error;
    throw report(
      error.reason === "too_large"
        ? invalidAnswerError(endpoint, response, [], "The document is larger than 32 MB.")
        : connectionError(endpoint, error, response.headers["x-request-id"] ?? null),
    );
  }
}

/**
 * Yields the chunks of a document as soon as its first bytes match its file type.
 * @throws the error that `refuse` returns for an empty document, or for content of another type, such as a proxy's HTML
 *   page
 */
async function* checkFileSignature(
  stream: AsyncIterable<Uint8Array>,
  { mediaType, signature = "" }: Partial<FileType>,
  refuse: (message: string) => Error,
): AsyncGenerator<Uint8Array> {
  const least = signature.length || HTML_HEAD_BYTES;
  let head: Uint8Array = new Uint8Array();
  let isChecked = false;

  function checked(): Uint8Array {
    const begins = String.fromCharCode(...head.subarray(0, least));
    if (begins === "") throw refuse("The document is empty.");
    if (!begins.startsWith(signature) || beginsAsHtml(begins))
      throw refuse(`The document is not a file of type ${mediaType}.`);
    isChecked = true;
    return head;
  }

  for await (const chunk of stream) {
    if (isChecked) {
      yield chunk;
      continue;
    }
    head = head.byteLength === 0 ? chunk : joinBytes([head, chunk]);
    if (head.byteLength >= least) yield checked();
  }
  if (!isChecked) yield checked();
}

/** Throws if the answer is not the declared file, so that a proxy's HTML page is never saved as a document. */
async function throwUnlessDeclaredFile(
  endpoint: Endpoint,
  response: TransportResponse,
): Promise<void> {
  await throwErrorOf(endpoint, response);
  if (response.status === 200 && fileTypeOf(endpoint, mediaTypeOf(response))) return;
  response.body.discard();
  throw invalidAnswerError(
    endpoint,
    response,
    [],
    `The answer is not a file of type ${answerTypes(endpoint).join(" or ")}.`,
  );
}

/** Client code that every document endpoint carries. */
export const documentCode: KindCode = {
  call: (endpoint, input, run, report) =>
    asCall(
      run(input, async (response) => {
        await throwUnlessDeclaredFile(endpoint, response);
        return createDownload(endpoint, response, report);
      }),
    ),
};
