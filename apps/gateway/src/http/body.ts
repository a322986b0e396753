import type { IncomingMessage } from "node:http";
import type { Schema } from "@insurance-gateway/core/contract";
import {
  bodyFormatOf,
  type FormEntry,
  formFieldsOf,
  hasFiles,
  Refusal,
} from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import { formatBytes } from "./quantities.ts";
import { boundaryOf, createFormReader } from "./uploads/multipart.ts";
import type { RequestFiles, UploadedFile, UploadReceiver } from "./uploads/uploads.ts";

/** The body that the headers of a request announce, with the media type that the endpoint declares. */
export interface ExpectedBody {
  /** The declared media type. */
  readonly mediaType: string;
  readonly schema: Schema<unknown>;
  /** The request's own `Content-Type`, with its parameters. */
  readonly contentType: string;
  readonly limitBytes: number;
}

/** A request body that has completely arrived. */
export type ReceivedBody =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  /** The fields of a `multipart/form-data` body: texts in memory, and files on disk. */
  | { readonly type: "form"; readonly entries: readonly FormEntry[] }
  | { readonly type: "file"; readonly file: UploadedFile };

/** Reads the bodies of the requests of one listener. */
export type BodyReader = ReturnType<typeof createBodyReader>;

const NO_BYTES = new Uint8Array();
/** Bytes that a form may have besides the contents of its fields, such as boundaries and headers. */
const FORM_FRAMING_BYTES = 64 * 1_024;

/** Maximum number of pieces of a body, in addition to one piece for each 256 bytes. Each piece takes processor time. */
const PIECES_OF_ANY_BODY = 4_096;
const BYTES_PER_MORE_PIECE = 256;

/** Reads a request's body up to a limit, and passes each piece to a callback. */
type ReadPieces = (
  request: IncomingMessage,
  mostBytes: number,
  take: (piece: Uint8Array) => void | Promise<void>,
) => Promise<void>;

/** Reads a request's body: as a whole if the body has already arrived, otherwise piece by piece. */
interface PieceReader extends Pick<BodyReader, "giveUp"> {
  readonly eachPiece: ReadPieces;
  /** Returns a small body that has completely arrived; null for any other body, which must be read in pieces. */
  readonly takeWhole: (request: IncomingMessage, mostBytes: number) => Uint8Array | null;
}

/** Arguments of the functions that read a body with files. */
interface FileReadingParts {
  readonly eachPiece: (take: Parameters<ReadPieces>[2]) => Promise<void>;
  readonly files: Pick<RequestFiles, "beginUpload">;
  /** Maximum bytes of all text fields of a form together. */
  readonly textBytes: number;
}

/**
 * Creates the reader of bodies.
 * @param limitBytes - returns the configured maximum of a body in memory; an endpoint can declare another maximum
 */
export function createBodyReader(limitBytes: () => number, uploads: UploadReceiver) {
  const pieces = createPieceReader();
  const { eachPiece } = pieces;
  const received = new WeakMap<IncomingMessage, RequestFiles>();

  async function withFiles(
    request: IncomingMessage,
    expected: ExpectedBody,
    caller: Caller,
  ): Promise<ReceivedBody> {
    const isForm = bodyFormatOf(expected.mediaType) === "multipart";
    const mostBytes = expected.limitBytes + (isForm ? FORM_FRAMING_BYTES : 0);
    let files: RequestFiles | undefined;
    try {
      files = uploads.open(caller, announcedBytes(request, mostBytes));
      received.set(request, files);
      const way: FileReadingParts = {
        eachPiece: (take) => eachPiece(request, mostBytes, take),
        files,
        textBytes: limitBytes(),
      };
      const body = await (isForm ? readForm(expected, way) : readFile(expected, way));
      files.received();
      return body;
    } catch (error) {
      await files?.remove();
      throw error;
    }
  }

  return {
    /**
     * Reads a body to its end; returns a body in memory at once if it has completely arrived. Files are written to
     * disk while they arrive.
     * @param expected - null for a body that no endpoint expects
     * @param caller - the sender, if known; only a known caller may send files
     * @throws Refusal if the body is too large, or does not arrive completely
     */
    read(
      request: IncomingMessage,
      expected: ExpectedBody | null,
      caller: Caller | undefined,
    ): ReceivedBody | Promise<ReceivedBody> {
      if (expected === null) return readIntoMemory(request, limitBytes(), pieces);
      if (!hasFiles(bodyFormatOf(expected.mediaType)))
        return readIntoMemory(request, expected.limitBytes, pieces);
      if (caller === undefined)
        return Promise.reject(new TypeError("The request was not admitted"));
      return withFiles(request, expected, caller);
    },
    /** Removes the uploaded files of a request's body; undefined if the request has none. */
    remove: (request: IncomingMessage): Promise<void> | undefined =>
      received.get(request)?.remove(),
    /** Rejects the reading of a body that will not arrive completely, before or after the reading begins. */
    giveUp: (request: IncomingMessage, why: Refusal): void => pieces.giveUp(request, why),
  };
}

/** Creates the reader of bodies in pieces. After a failure, the reader reads no more of the body. */
function createPieceReader(): PieceReader {
  const givenUp = new WeakMap<IncomingMessage, Refusal>();
  const readings = new WeakMap<IncomingMessage, (why: Refusal) => void>();
  return {
    eachPiece: (request, mostBytes, take) =>
      new Promise((resolve, reject) => {
        const why = givenUp.get(request);
        if (why !== undefined) throw why;
        if (request.destroyed) throw bodyIncomplete();
        announcedBytes(request, mostBytes);
        let bytes = 0;
        let pieces = 0;
        let isOver = false;
        const fail = (error: unknown): void => {
          isOver = true;
          request.pause();
          // If the socket is not paused, Node reads more of the body until Node's own buffer is full.
          if (!request.complete) request.socket.pause();
          reject(error);
        };
        /** Pauses the request until a piece is processed. */
        const pauseFor = async (taking: Promise<void>): Promise<void> => {
          request.pause();
          await taking;
          if (!isOver) request.resume();
        };
        readings.set(request, fail);
        request.on("data", (piece: Uint8Array) => {
          if (isOver) return;
          bytes += piece.byteLength;
          pieces += 1;
          if (bytes > mostBytes) return fail(bodyTooLarge(mostBytes));
          if (pieces > PIECES_OF_ANY_BODY + bytes / BYTES_PER_MORE_PIECE)
            return fail(tooManyPieces());
          try {
            const taking = take(piece);
            if (taking !== undefined) pauseFor(taking).catch(fail);
          } catch (error) {
            fail(error);
          }
        });
        request.on("end", () => {
          isOver = true;
          // A minor garbage collection treats WeakMap values as live, so every request would move to the old
          // generation.
          readings.delete(request);
          resolve();
        });
        request.on("close", () => {
          if (!isOver) fail(bodyIncomplete());
        });
      }),
    takeWhole(request, mostBytes) {
      const { complete, destroyed, readableLength } = request;
      if (!complete || destroyed || readableLength > mostBytes || givenUp.has(request)) return null;
      // `read` returns bytes, because the request has no encoding set.
      const bytes: Uint8Array | null = request.read();
      return bytes ?? NO_BYTES;
    },
    giveUp(request, why) {
      givenUp.set(request, why);
      readings.get(request)?.(why);
    },
  };
}

/**
 * Reads a body to its end. The operations address uses this function; the callers' listener uses `createBodyReader`.
 * @throws Refusal if the body is too large, or does not arrive completely
 */
export async function readInMemory(
  request: IncomingMessage,
  mostBytes: number,
): Promise<Uint8Array> {
  const { bytes } = await readIntoMemory(request, mostBytes, createPieceReader());
  return bytes;
}

type BodyInMemory = Extract<ReceivedBody, { readonly type: "bytes" }>;

function readIntoMemory(
  request: IncomingMessage,
  mostBytes: number,
  pieces: Pick<PieceReader, "eachPiece" | "takeWhole">,
): BodyInMemory | Promise<BodyInMemory> {
  const bytes = pieces.takeWhole(request, mostBytes);
  return bytes === null
    ? joinPieces(request, mostBytes, pieces.eachPiece)
    : { type: "bytes", bytes };
}

async function joinPieces(
  request: IncomingMessage,
  mostBytes: number,
  eachPiece: ReadPieces,
): Promise<BodyInMemory> {
  // Most bodies arrive in one piece; a single piece is not copied.
  let body: Uint8Array = NO_BYTES;
  let bytes = 0;
  await eachPiece(request, mostBytes, (piece) => {
    const after = bytes + piece.byteLength;
    if (bytes === 0) body = piece;
    else {
      // The pieces are joined in one buffer: a list of a thousand pieces would need a thousand times a piece's memory.
      if (after > body.length) body = Buffer.concat([body], Math.max(after, 2 * body.length));
      body.set(piece, bytes);
    }
    bytes = after;
  });
  return { type: "bytes", bytes: body.subarray(0, bytes) };
}

async function readForm(
  { contentType, limitBytes: fileBytes, schema }: ExpectedBody,
  { eachPiece, files, textBytes }: FileReadingParts,
): Promise<ReceivedBody> {
  const rules = { fields: formFieldsOf(schema), fileBytes, textBytes };
  const reader = createFormReader(boundaryOf(contentType), rules, files);
  await eachPiece((piece) => reader.write(piece));
  return { type: "form", entries: await reader.end() };
}

async function readFile(
  { mediaType }: ExpectedBody,
  { eachPiece, files }: FileReadingParts,
): Promise<ReceivedBody> {
  const upload = await files.beginUpload();
  await eachPiece((piece) => upload.write(piece));
  return { type: "file", file: await upload.finish({ mediaType }) };
}

/**
 * Returns the announced size of a body, or the maximum if no size is announced.
 * @throws Refusal if the announced size exceeds the maximum
 */
function announcedBytes({ headers }: IncomingMessage, mostBytes: number): number {
  const bytes = Number(headers["content-length"] ?? mostBytes);
  if (bytes > mostBytes) throw bodyTooLarge(mostBytes);
  return bytes;
}

function bodyTooLarge(limitBytes: number): Refusal {
  return new Refusal("PAYLOAD_TOO_LARGE", {
    detail: `The body may have at most ${formatBytes(limitBytes)}.`,
  });
}

function tooManyPieces(): Refusal {
  return new Refusal("INVALID_REQUEST", {
    detail: `The body comes in too many small pieces: send chunks of at least ${BYTES_PER_MORE_PIECE} bytes.`,
  });
}

/** Returns the refusal of an incomplete body. Nobody receives this refusal, because the caller has disconnected. */
function bodyIncomplete(): Refusal {
  return new Refusal("INVALID_REQUEST", {
    detail: "The body did not arrive whole; send it again.",
  });
}
