import type { UserLogin } from "../auth/credentials.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { FailureRow } from "../contract/failures.ts";
import type { Fault } from "../contract/faults.ts";
import { fileTypeOf } from "../contract/files.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import type { AcceptedCredentials } from "./accepted-credentials.ts";
import type { Mapping, MappingForm } from "./mapping.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/** A request in the insurer's own dialect. */
export interface InsurerRequest {
  readonly method: string;
  /** Path and query, appended to the insurer's base address. */
  readonly path: string;
  /** Names in lower case. The gateway adds credentials, the request id and the trace. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Whether the insurer acts on this request: exactly one of a submission, none of any other kind. When left out, every
   * request of a submission but a GET is taken to act, so that one that only prepares it says `false`.
   */
  readonly acts?: boolean;
}

/** The head of an insurer's answer, with its body to be read once. */
export interface InsurerResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type without parameters, in lower case: `application/json`; "" without one. */
  readonly mediaType: string;
  /**
   * Reads the body as text, in the charset that the answer's header names, UTF-8 without one.
   * @param charsetIn - finds the charset in the first 1,024 bytes, read as Latin-1, where the header names none
   */
  text(charsetIn?: (head: string) => string | undefined): Promise<string>;
  /** The same for a message with documents in base64, which may be as large as a document: they are decoded. */
  textWithDocuments(charsetIn?: (head: string) => string | undefined): Promise<TextWithDocuments>;
  /** Reads the body as bytes. */
  bytes(): Promise<Uint8Array>;
  /** The body as it comes, with the size limit of a document. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Sends one request to the insurer, within the deadline of the call and the limits of the configuration. It throws what
 * the gateway makes of a request without an answer; an adapter lets that pass.
 */
export type Send = (request: InsurerRequest) => Promise<InsurerResponse>;

/**
 * The most requests that an adapter may send for one page of a search. Reconciliation counts pages against its limit of
 * queries a second, so that this bounds what an insurer gets.
 */
export const REQUESTS_PER_PAGE = 3;

/** An adapter that sends more requests for one page of a search than it may: a fault of the adapter's. */
export class PageRequestsError extends Error {
  constructor({ method, path, provider }: Endpoint) {
    super(
      `The adapter of ${provider} sends more than ${REQUESTS_PER_PAGE} requests for one page of ${method} ${path}; a page may have fewer items than requested`,
    );
    this.name = "PageRequestsError";
  }
}

/** Limits how often `send` can be called for one call of an endpoint: for a page of a search, REQUESTS_PER_PAGE times. */
export function limitedSend(endpoint: Endpoint, send: Send): Send {
  if (endpoint.kind !== "search") return send;
  let sent = 0;
  return async (request) => {
    sent += 1;
    if (sent > REQUESTS_PER_PAGE) throw new PageRequestsError(endpoint);
    return send(request);
  };
}

/** What an adapter knows beside the call. */
export interface AdapterContext {
  /**
   * Our own name for a submission, by which the insurer can recognise it; null for other kinds. Of a search by reference,
   * the name of the submission that is looked for.
   */
  readonly submissionId: string | null;
  /** What the operator configured for the provider, checked by its `settings`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * The insurer's user name and password, for a dialect that writes them into the message; null unless the configuration
   * has credentials of the type `message`.
   */
  readonly login: UserLogin | null;
  now(): Date;
  /**
   * Called with what each successful answer of the insurer says, as soon as it is decoded. The gateway compares some of
   * them with the form that they should have; of an adapter that does not call it, the gateway compares its own value.
   */
  readonly decoded?: ((body: DecodedBody) => void) | undefined;
}

/** The body of one answer of the insurer, and the form that it should have. */
export interface DecodedBody {
  /** What the insurer sent, decoded from JSON or XML and not translated. */
  readonly content: unknown;
  readonly form: AnswerForm;
}

/** The form of an insurer's answer, as data. */
export type AnswerForm =
  /** The body is the declared answer of a status. */
  | { readonly type: "declared"; readonly status: number; readonly mediaType: string }
  /** The declared answer is translated from the body by rows. */
  | {
      readonly type: "mapped";
      readonly status: number;
      readonly rows: Mapping;
      readonly mapping: MappingForm;
      /** What the adapter reads beside the rows. */
      readonly beside: readonly FieldBeside[];
      /** What the insurer documents and nothing reads, as JSON Pointers in which `*` is every item of a list. */
      readonly unread: readonly string[];
    };

/** A field that an adapter reads beside its rows, such as the number of all items. */
export interface FieldBeside {
  /** A JSON Pointer. */
  readonly at: string;
  readonly required: boolean;
}

/** What an adapter made of an insurer's answers. */
export type AdapterAnswer =
  /** The declared answer of a status. */
  | {
      readonly type: "value";
      readonly status: number;
      /** What the schema of its media type describes: of text a string, of bytes a `FilePart` with its content in memory. */
      readonly value: unknown;
      /** The declared media type of the value; JSON when left out. */
      readonly mediaType?: string;
      /** The value as the insurer wrote it, where that is passed on as it is. */
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The insurer did not do what was asked; the rows of `failures` say what that proves. */
  | {
      readonly type: "refusal";
      readonly status: number;
      readonly mediaType: string;
      /** What the answer says, as JSON: the places that the rows of `failures` name are looked up here. */
      readonly content: unknown;
      /** Which fields of the request it names, as JSON Pointers of the declared body. */
      readonly faults?: readonly Fault[];
    }
  /** A file. */
  | {
      readonly type: "document";
      readonly mediaType: string;
      readonly content: AsyncIterable<Uint8Array>;
      /** In bytes, where the insurer says it before the end. */
      readonly size?: number;
      /** What stands in the place of the insurer's own headers, such as an `etag`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The document is not made yet. */
  | { readonly type: "notReady" }
  /** The insurer's dialect has no form for a value of the request, so that nothing was sent. */
  | { readonly type: "unsendable"; readonly faults: readonly Fault[] }
  /** Neither: an answer that cannot be read. */
  | { readonly type: "unreadable"; readonly status: number; readonly detail: string };

/**
 * How the gateway speaks to one insurer's own API. Address, credentials, deadlines and outcomes are the gateway's
 * business.
 */
export interface Adapter {
  /** The name the configuration gives it. */
  readonly name: string;
  /** What the refusals of this dialect mean, after the rows of the endpoint and of the provider. */
  readonly failures: readonly FailureRow[];
  /**
   * Which credentials the insurer takes, where its document says it. The gateway then starts with no other ones; left
   * out, it sends whatever is configured.
   */
  readonly credentials?: AcceptedCredentials;
  /**
   * Carries a declared call out: it may take several requests, such as asking until a document is made; for one page of a
   * search `send` refuses more than three, with a PageRequestsError.
   */
  call(
    endpoint: Endpoint,
    input: CheckedInput,
    send: Send,
    context: AdapterContext,
  ): Promise<AdapterAnswer>;
  /**
   * Whether a search can be made by reference: by our own name for a submission, which travelled with it. With a
   * `submissionId` in its context, `call` then answers with a page that has only what that submission created; a refusal,
   * or an empty page, where the insurer finds nothing. Left out where the insurer has no such query.
   */
  findsByReference?(search: Endpoint): boolean;
  /**
   * Asks the insurer for a credential that expires, by a call of its own; for credentials of the type `login`.
   * @returns the headers that carry it, and for how long it counts
   */
  login?(
    login: UserLogin,
    send: Send,
    context: Omit<AdapterContext, "login" | "submissionId">,
  ): Promise<LoginAnswer>;
}

/** The result of a login. */
export interface LoginAnswer {
  /** The headers that prove to the insurer who the gateway is; null when it refused the user name or the password. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** How long they count, in seconds; null when the insurer does not say. */
  readonly expiresInSeconds: number | null;
}

/** The document that an answer is, with its declared media type where the insurer's is another name of it. */
export function fileIn(endpoint: Endpoint, response: InsurerResponse): AdapterAnswer {
  const size = Number(response.headers["content-length"]);
  return {
    type: "document",
    mediaType: fileTypeOf(endpoint, response.mediaType)?.mediaType ?? response.mediaType,
    content: response.stream(),
    ...(Number.isNaN(size) ? {} : { size }),
  };
}

/** What a JSON text says. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether writing the value again says the same: false where a number became a text. */
  readonly isAsWritten: boolean;
}

/**
 * Reads JSON. A whole number that JavaScript's numbers cannot keep, such as a 64-bit identifier, becomes a text of its
 * digits, never another number: 9007199254740993 would be …992.
 * @returns null for a text that is not JSON
 */
export function parseJson(text: string): ParsedJson | null {
  let isAsWritten = true;
  const keepDigits = (
    _: string,
    value: unknown,
    { source }: { readonly source?: string },
  ): unknown => {
    if (typeof value !== "number" || source === undefined || isKept(source, value)) return value;
    isAsWritten = false;
    return source;
  };
  try {
    // The source of a value costs time, and shorter numbers are always kept.
    const value: unknown = hasLongNumber(text)
      ? parseWithSource(text, keepDigits)
      : JSON.parse(text);
    return { value, isAsWritten };
  } catch {
    return null;
  }
}

/** A double may change a whole number with this many digits (IEEE 754). */
const LONG_DIGITS = 16;

/**
 * Whether a text has so many digits in a row. Such a row has a digit at one of every sixteen places, so that only these are
 * looked at: of a list of 29 kB in 4 µs, where a regular expression takes 34.
 */
function hasLongNumber(text: string): boolean {
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first + 1 >= LONG_DIGITS) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** TypeScript's library does not know the third argument of a reviver yet (ECMA-262, 25.5.1.1). */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Whether a whole number is stored exactly; a fraction is stored as the nearest possible number. */
function isKept(source: string, value: number): boolean {
  return !/^-?\d+$/.test(source) || Number.isSafeInteger(value);
}
