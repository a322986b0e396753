import {
  type InsurerRequest,
  type InsurerResponse,
  textWithDocuments,
} from "@insurance-gateway/adapter";
import { ENCODED_ANSWER } from "@insurance-gateway/core/runtime";
import {
  type CancellationSignal,
  type ConnectionChoice,
  type ConnectionResponse,
  type ExchangeEnd,
  TransportError,
  type TransportRequest,
} from "@insurance-gateway/core/transport";
import type { AnswersConfiguration } from "../../configuration/file.ts";
import type { ReservedMemory } from "./answer-budget.ts";
import {
  freeMemory,
  type ReserveMemory,
  readWholeAnswer,
  takeWholeAnswer,
  type WholeAnswer,
} from "./whole-answer.ts";

/**
 * Registers a listener that is called once: when the insurer has sent everything, or now if it already has. The
 * listener must not throw, because then the transport would not finish the answer.
 */
export type AddEndListener = (listener: (end: ExchangeEnd) => void) => void;

/** One request to an insurer, with its answer. */
export interface InsurerExchange {
  readonly response: InsurerResponse;
  /** True if the connection was opened for this request: then the answer cannot belong to an earlier request. */
  readonly isNewConnection: boolean;
  /** True if the answer is chunked or has a length; if not, a lost connection looks like the end (RFC 9112, 8). */
  readonly hasFraming: boolean;
  /** Reports whether the adapter has asked for the body as a stream. */
  isStreamed(): boolean;
  readonly whenEnded: AddEndListener;
  closeConnection(): void;
  /**
   * Returns the original bytes of a long text, which the gateway can send in place of the text: encoding a long text
   * again takes longer than decoding it. Null for other texts.
   */
  bytesOf(text: string): Buffer | null;
  /** Returns the number of bytes of a text in UTF-8; undefined if the answer does not show this number. */
  lengthOf(text: string): number | undefined;
  /** Releases the memory that is reserved for the answer. */
  release(): void;
  /** Drops the part of the body that was not read. */
  discard(): void;
}

/** The properties of a request that the gateway sets, besides the adapter's request. */
export interface ExchangeSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: ConnectionChoice;
  /** Owner of the connections that the request may share with earlier requests; absent for a login's request. */
  readonly owner?: string;
  readonly timeoutMs: number;
  readonly signal: CancellationSignal | null;
  readonly limits: AnswersConfiguration;
  /** Reserves memory for an answer that is read as a whole. */
  readonly reserve: ReserveMemory;
}

/** A request that is ready to be sent, with the function that reads its answer. */
export interface PreparedExchange {
  readonly request: TransportRequest;
  /** Creates the exchange from the head of the answer. */
  readonly answered: (response: ConnectionResponse) => InsurerExchange;
}

/** Creates the request to an insurer, and the function that reads its answer. */
export function prepareExchange(
  { body, method }: InsurerRequest,
  { connection, headers, limits, owner, reserve, signal, timeoutMs, url }: ExchangeSettings,
): PreparedExchange {
  const { ended, whenEnded } = createEndListeners();
  return {
    request: {
      method,
      url,
      // The gateway does not decode compressed answers, so it requests uncompressed answers.
      headers: { ...headers, "accept-encoding": "identity" },
      ...(body === undefined ? {} : { body }),
      connection,
      ...(owner === undefined ? {} : { owner }),
      timeoutMs,
      ended,
      ...(signal === null ? {} : { signal }),
    },
    answered: (response) => createExchange(response, whenEnded, limits, reserve),
  };
}

function createExchange(
  response: ConnectionResponse,
  whenEnded: AddEndListener,
  limits: AnswersConfiguration,
  reserve: ReserveMemory,
): InsurerExchange {
  let isStreamed = false;
  let room: ReservedMemory | null = null;
  let isReleased = false;
  const length = response.headers["content-length"];
  const declaredBytes = length === undefined ? null : Number(length);
  const answerUpTo = (maximumBytes: number): WholeAnswer => ({
    body: response.body,
    declaredBytes,
    maximumBytes,
  });
  const reserveRoom: ReserveMemory = async (bytes) => {
    room = await reserve(bytes);
    // The call may have ended during this reservation: then release the memory at once.
    if (isReleased) room.release();
    return room;
  };
  const isEncoded = isCompressed(response.headers["content-encoding"]);
  let memory: Buffer | null = null;
  /** The last text that was decoded from UTF-8, and its number of bytes. */
  let utf8Text: string | null = null;
  let utf8Bytes = 0;
  const contentType = response.headers["content-type"] ?? "";
  return {
    response: {
      status: response.status,
      headers: response.headers,
      mediaType: mediaTypeIn(contentType),
      async text(charsetIn) {
        const answer = answerUpTo(limits.jsonBytes);
        // A compressed error answer is still interpreted by its status, without its text.
        if (isEncoded && response.status >= 400) return "";
        memory = requireUncompressed(
          takeWholeAnswer(answer) ?? (await readWholeAnswer(answer, reserveRoom)),
          isEncoded,
        );
        const charset = charsetOf(contentType, memory, charsetIn);
        const text = decodeText(memory, charset);
        if (isUtf8(memory, charset)) {
          utf8Text = text;
          utf8Bytes = memory.length;
        }
        return text;
      },
      async textWithDocuments(charsetIn) {
        // The adapter copies the documents out of this text before they are passed on.
        const read = await readWholeAnswer(answerUpTo(documentTextBytes(limits)), reserveRoom);
        memory = requireUncompressed(read, isEncoded);
        const charset = charsetOf(contentType, memory, charsetIn);
        return textWithDocuments(memory, (encoded) => decodeText(encoded, charset));
      },
      async bytes() {
        return requireUncompressed(
          await readWholeAnswer(answerUpTo(limits.documentBytes), reserveRoom),
          isEncoded,
        );
      },
      stream: () => {
        if (isEncoded) throw compressedAnswerError();
        isStreamed = true;
        return response.body.stream(limits.documentBytes);
      },
    },
    isNewConnection: response.isNewConnection,
    hasFraming:
      response.headers["content-length"] !== undefined ||
      response.headers["transfer-encoding"] !== undefined,
    isStreamed: () => isStreamed,
    whenEnded,
    bytesOf: (text) => (text === utf8Text && areBytesPassedOn(utf8Bytes) ? memory : null),
    lengthOf: (text) => (text === utf8Text ? utf8Bytes : undefined),
    closeConnection: () => response.closeConnection(),
    release() {
      isReleased = true;
      if (memory !== null) freeMemory(memory);
      room?.release();
    },
    discard: () => response.body.discard(),
  };
}

/** Creates the record of an exchange's end; listeners may be added before or after the end. */
function createEndListeners(): {
  readonly ended: (end: ExchangeEnd) => void;
  readonly whenEnded: AddEndListener;
} {
  let known: ExchangeEnd | null = null;
  let listeners: ((end: ExchangeEnd) => void)[] = [];
  return {
    ended(end) {
      known = end;
      const waiting = listeners;
      listeners = [];
      for (const listener of waiting) listener(end);
    },
    whenEnded(listener) {
      if (known === null) listeners.push(listener);
      else listener(known);
    },
  };
}

/** Returns the maximum bytes of a text answer with a document in base64 (RFC 4648). */
function documentTextBytes({ documentBytes, jsonBytes }: AnswersConfiguration): number {
  return Math.ceil(documentBytes * 1.4) + jsonBytes;
}

/** Number of bytes at the beginning of a text in which the text may name its charset. */
const CHARSET_WITHIN_BYTES = 1_024;

/** Reports whether an answer is compressed, although the gateway requests `identity` (RFC 9110, section 8.4). */
function isCompressed(contentEncoding = "identity"): boolean {
  return !["", "identity"].includes(contentEncoding.trim().toLowerCase());
}

/** Returns the bytes of an answer; throws if they are compressed, except for an empty answer. */
function requireUncompressed(bytes: Buffer, isEncoded: boolean): Buffer {
  if (isEncoded && bytes.length > 0) throw compressedAnswerError();
  return bytes;
}

function compressedAnswerError(): TransportError {
  return new TransportError("body", "unreadable", ENCODED_ANSWER);
}

/** Returns a media type without parameters, in lower case. */
function mediaTypeIn(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Returns the charset that an answer's header, or the beginning of its text, names. */
function charsetOf(
  contentType: string,
  bytes: Buffer,
  charsetIn: Parameters<InsurerResponse["text"]>[0],
): string {
  const [, named] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  if (named !== undefined || charsetIn === undefined) return named ?? "utf-8";
  return charsetIn(bytes.toString("latin1", 0, CHARSET_WITHIN_BYTES)) ?? "utf-8";
}

/** Minimum bytes of a text whose original bytes are sent: shorter text is written with the head of the answer. */
const MIN_PASSED_ON_BYTES = 8_192;
/** Maximum bytes of a text whose original bytes are sent: a larger text would occupy reserved memory until read. */
const MAX_PASSED_ON_BYTES = 1_048_576;
const BYTE_ORDER_MARK = 0xef;

/** Reports whether the gateway sends the original bytes of a text with this number of bytes. */
function areBytesPassedOn(bytes: number): boolean {
  return bytes >= MIN_PASSED_ON_BYTES && bytes <= MAX_PASSED_ON_BYTES;
}

/**
 * Reports whether bytes are UTF-8 without a byte order mark, which means that encoding the text again would give the
 * same bytes.
 */
function isUtf8(bytes: Buffer, charset: string): boolean {
  return charset.toLowerCase() === "utf-8" && bytes[0] !== BYTE_ORDER_MARK;
}

function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // The bytes do not fit the charset, or the charset is unknown to `TextDecoder`.
    throw new TransportError("body", "unreadable");
  }
}
