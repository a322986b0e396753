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
import type { ReservedRoom } from "./answer-budget.ts";
import {
  freeMemory,
  type ReserveRoom,
  readWhole,
  takeWhole,
  type WholeAnswer,
} from "./whole-answer.ts";

/**
 * Calls a listener once, when the insurer sends no more; at once if that has happened. The listener must not throw:
 * the transport would not finish the answer.
 */
export type WhenEnded = (listener: (end: ExchangeEnd) => void) => void;

/** One request to an insurer and its answer, as its attempt sees them. */
export interface InsurerExchange {
  readonly response: InsurerResponse;
  /** True if the connection was opened for this request, so that the answer contains nothing of an earlier request. */
  readonly isNewConnection: boolean;
  /** True if the answer marks its own end. Otherwise, a lost connection looks like the end (RFC 9112, section 8). */
  readonly hasFraming: boolean;
  /** Reports whether the adapter passes the body on as a stream. */
  isStreamed(): boolean;
  readonly whenEnded: WhenEnded;
  closeConnection(): void;
  /**
   * Returns the bytes from which a text was decoded, if keeping the bytes is worthwhile: writing a long text as UTF-8
   * takes longer than decoding it. Otherwise null.
   */
  bytesOf(text: string): Buffer | null;
  /** Returns the number of bytes of a text in UTF-8, if the answer shows it; otherwise undefined. */
  lengthOf(text: string): number | undefined;
  /** Releases the memory that the answer holds. */
  release(): void;
  /** Discards the unread part of the body. */
  discard(): void;
}

/** The settings of an exchange besides the adapter's request. */
export interface ExchangeWay {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: ConnectionChoice;
  /** Owner of the connections that the request may share with earlier requests; absent for a login. */
  readonly owner?: string;
  readonly timeoutMs: number;
  readonly signal: CancellationSignal | null;
  readonly limits: AnswersConfiguration;
  /** Reserves memory for an answer that is read as a whole. */
  readonly reserve: ReserveRoom;
}

/** A request that is ready to be sent. */
export interface PreparedExchange {
  readonly request: TransportRequest;
  /** Creates the exchange from the answer. */
  readonly answered: (response: ConnectionResponse) => InsurerExchange;
}

/** Prepares one request. */
export function prepareExchange(
  { body, method }: InsurerRequest,
  { connection, headers, limits, owner, reserve, signal, timeoutMs, url }: ExchangeWay,
): PreparedExchange {
  const { ended, whenEnded } = watchEnd();
  return {
    request: {
      method,
      url,
      // The gateway does not decode compressed answers.
      headers: { ...headers, "accept-encoding": "identity" },
      ...(body === undefined ? {} : { body }),
      connection,
      ...(owner === undefined ? {} : { owner }),
      timeoutMs,
      ended,
      ...(signal === null ? {} : { signal }),
    },
    answered: (response) => exchangeOf(response, whenEnded, limits, reserve),
  };
}

function exchangeOf(
  response: ConnectionResponse,
  whenEnded: WhenEnded,
  limits: AnswersConfiguration,
  reserve: ReserveRoom,
): InsurerExchange {
  let isStreamed = false;
  let room: ReservedRoom | null = null;
  let isReleased = false;
  const length = response.headers["content-length"];
  const declaredBytes = length === undefined ? null : Number(length);
  const answerUpTo = (maximumBytes: number): WholeAnswer => ({
    body: response.body,
    declaredBytes,
    maximumBytes,
  });
  const reserveRoom: ReserveRoom = async (bytes) => {
    room = await reserve(bytes);
    // The adapter may have ended without waiting for this read.
    if (isReleased) room.release();
    return room;
  };
  const isEncoded = isEncodedBy(response.headers["content-encoding"]);
  let memory: Buffer | null = null;
  /** The text that was decoded from UTF-8, and the number of its bytes. */
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
        // The status of an error answer counts without its content.
        if (isEncoded && response.status >= 400) return "";
        memory = decodable(takeWhole(answer) ?? (await readWhole(answer, reserveRoom)), isEncoded);
        const charset = charsetOf(contentType, memory, charsetIn);
        const text = decode(memory, charset);
        if (isUtf8(memory, charset)) {
          utf8Text = text;
          utf8Bytes = memory.length;
        }
        return text;
      },
      async textWithDocuments(charsetIn) {
        // The documents are copied before they are passed on.
        const read = await readWhole(answerUpTo(documentTextBytes(limits)), reserveRoom);
        memory = decodable(read, isEncoded);
        const charset = charsetOf(contentType, memory, charsetIn);
        return textWithDocuments(memory, (encoded) => decode(encoded, charset));
      },
      async bytes() {
        return decodable(await readWhole(answerUpTo(limits.documentBytes), reserveRoom), isEncoded);
      },
      stream: () => {
        if (isEncoded) throw notDecodable();
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
    bytesOf: (text) => (text === utf8Text && isPassedOn(utf8Bytes) ? memory : null),
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

/** Records the end of an exchange, for listeners that are added before or after the end. */
export function watchEnd(): {
  readonly ended: (end: ExchangeEnd) => void;
  readonly whenEnded: WhenEnded;
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

/** Returns the maximum bytes of a text that contains a document in base64 (RFC 4648). */
function documentTextBytes({ documentBytes, jsonBytes }: AnswersConfiguration): number {
  return Math.ceil(documentBytes * 1.4) + jsonBytes;
}

/** The first bytes of a text, in which the text may name its charset. */
const CHARSET_WITHIN_BYTES = 1_024;

/** Reports whether an answer is encoded, although the gateway requests `identity` (RFC 9110, section 8.4). */
function isEncodedBy(contentEncoding = "identity"): boolean {
  return !["", "identity"].includes(contentEncoding.trim().toLowerCase());
}

/** Returns the bytes of an answer; an empty answer may name any encoding. */
function decodable(bytes: Buffer, isEncoded: boolean): Buffer {
  if (isEncoded && bytes.length > 0) throw notDecodable();
  return bytes;
}

function notDecodable(): TransportError {
  return new TransportError("body", "unreadable", ENCODED_ANSWER);
}

/** Returns a media type without parameters, in lower case. */
function mediaTypeIn(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Returns the charset that an answer's header names, or the answer's beginning. */
function charsetOf(
  contentType: string,
  bytes: Buffer,
  charsetIn: Parameters<InsurerResponse["text"]>[0],
): string {
  const [, named] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  if (named !== undefined || charsetIn === undefined) return named ?? "utf-8";
  return charsetIn(bytes.toString("latin1", 0, CHARSET_WITHIN_BYTES)) ?? "utf-8";
}

/** Minimum size: a shorter text is written in one piece with the head of the answer. */
const PASSED_ON_FROM_BYTES = 8_192;
/** Maximum size: a larger answer holds memory until its caller has read it. */
const PASSED_ON_TO_BYTES = 1_048_576;
const BYTE_ORDER_MARK = 0xef;

/** Reports whether the bytes of a text are sent in place of the text. */
function isPassedOn(bytes: number): boolean {
  return bytes >= PASSED_ON_FROM_BYTES && bytes <= PASSED_ON_TO_BYTES;
}

/** Reports whether bytes are the exact UTF-8 of their text, which has no byte order mark. */
function isUtf8(bytes: Buffer, charset: string): boolean {
  return charset.toLowerCase() === "utf-8" && bytes[0] !== BYTE_ORDER_MARK;
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // The bytes do not fit the charset, or the charset is unknown.
    throw new TransportError("body", "unreadable");
  }
}
