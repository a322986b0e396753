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
 * Has a listener called once, when nothing more comes from the insurer; at once if that was before. It must not throw: the
 * transport would not finish the answer.
 */
export type WhenEnded = (listener: (end: ExchangeEnd) => void) => void;

/** One request to an insurer and its answer, as the attempt that made it knows them. */
export interface InsurerExchange {
  readonly response: InsurerResponse;
  /** Whether the connection was opened for it, so that nothing of an earlier request can be in its answer. */
  readonly isNewConnection: boolean;
  /** Whether the answer says itself where it ends. Without, a lost connection looks like the end (RFC 9112, section 8). */
  readonly hasFraming: boolean;
  /** Whether the adapter passes its body on as it comes. */
  isStreamed(): boolean;
  readonly whenEnded: WhenEnded;
  closeConnection(): void;
  /**
   * Returns the bytes from which a text was decoded, if keeping them is worth it: writing a long text as UTF-8 takes longer
   * than decoding it. Null otherwise.
   */
  bytesOf(text: string): Buffer | null;
  /** How many bytes a text has in UTF-8, where the answer shows it; undefined otherwise. */
  lengthOf(text: string): number | undefined;
  /** Gives back the room that its answer holds in memory. */
  release(): void;
  /** Gives up what is left of the body. */
  discard(): void;
}

/** The parts of an exchange besides the request. */
export interface ExchangeWay {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: ConnectionChoice;
  /** The account that the request is sent for; absent for a lookup whose answer is shared. */
  readonly owner?: string;
  readonly timeoutMs: number;
  readonly signal: CancellationSignal | null;
  readonly limits: AnswersConfiguration;
  /** Reserves room for an answer that is read whole. */
  readonly reserve: ReserveRoom;
}

/** A request that is ready to be sent. */
export interface PreparedExchange {
  readonly request: TransportRequest;
  /** Makes the exchange of its answer. */
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
    // An adapter need not have waited for what it reads.
    if (isReleased) room.release();
    return room;
  };
  const isEncoded = isEncodedBy(response.headers["content-encoding"]);
  let memory: Buffer | null = null;
  /** The text that the memory is the UTF-8 of, and how many bytes that are. */
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
        // The status of a refusal counts without its content.
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
        // Its documents are copied before they are passed on.
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

/** Remembers how an exchange ended, which its transport reports once, for listeners from before its end and after it. */
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

/** A document in base64 (RFC 4648), with the lines and the message around it. */
function documentTextBytes({ documentBytes, jsonBytes }: AnswersConfiguration): number {
  return Math.ceil(documentBytes * 1.4) + jsonBytes;
}

/** Where a text that names its own charset does so, in bytes. */
const CHARSET_WITHIN_BYTES = 1_024;

/** Whether an answer is encoded, although the gateway asks for `identity` (RFC 9110, section 8.4). */
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

/** A media type without parameters, in lower case. */
function mediaTypeIn(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** The charset that an answer's header names, or its own beginning. */
function charsetOf(
  contentType: string,
  bytes: Buffer,
  charsetIn: Parameters<InsurerResponse["text"]>[0],
): string {
  const [, named] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  if (named !== undefined || charsetIn === undefined) return named ?? "utf-8";
  return charsetIn(bytes.toString("latin1", 0, CHARSET_WITHIN_BYTES)) ?? "utf-8";
}

/** A shorter text is written with the head of the answer in one piece. */
const PASSED_ON_FROM_BYTES = 8_192;
/** A large answer holds room until it is read. */
const PASSED_ON_TO_BYTES = 1_048_576;
const BYTE_ORDER_MARK = 0xef;

/** Whether the bytes of a text are passed on in its place. */
function isPassedOn(bytes: number): boolean {
  return bytes >= PASSED_ON_FROM_BYTES && bytes <= PASSED_ON_TO_BYTES;
}

/** Whether bytes are the UTF-8 of the text that they were decoded to: a byte order mark is not in the text. */
function isUtf8(bytes: Buffer, charset: string): boolean {
  return charset.toLowerCase() === "utf-8" && bytes[0] !== BYTE_ORDER_MARK;
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // Not in this charset, or the charset is unknown.
    throw new TransportError("body", "unreadable");
  }
}
