import type { UserLogin } from "@insurance-gateway/core/auth";
import type { Endpoint, FailureRow, Fault } from "@insurance-gateway/core/contract";
import { type CheckedInput, fileTypeOf } from "@insurance-gateway/core/runtime";
import type { AcceptedCredentials } from "./accepted-credentials.ts";
import type { Mapped, Mapping, MappingForm } from "./mapping.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/** A request in the insurer's own dialect. */
export interface InsurerRequest {
  readonly method: string;
  /** Path and query, appended to the insurer's base address. */
  readonly path: string;
  /** The headers, with names in lower case. The gateway adds credentials, the request ID and the trace. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * True if the insurer acts on this request. A submission has exactly one acting request, other kinds have none.
   * Default: every request of a submission except GET. Set `false` for a request that only prepares the submission.
   */
  readonly acts?: boolean;
}

/** The status and the headers of an insurer's answer, and functions that read its body. The body can be read once. */
export interface InsurerResponse {
  readonly status: number;
  /** The headers, with names in lower case. The values of a repeated header are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type without parameters, in lower case: `application/json`; "" without one. */
  readonly mediaType: string;
  /**
   * Reads the body as text, in the charset of the answer's header. Default: UTF-8.
   * @param charsetIn - finds the charset in the first 1,024 bytes, decoded as Latin-1, if the header has none
   */
  text(charsetIn?: (head: string) => string | undefined): Promise<string>;
  /** Reads the body like `text`, but decodes the base64 documents in the body, with the size limit of a document. */
  textWithDocuments(charsetIn?: (head: string) => string | undefined): Promise<TextWithDocuments>;
  /** Reads the body as bytes. */
  bytes(): Promise<Uint8Array>;
  /** Streams the body, with the size limit of a document. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Sends one request to the insurer, within the deadline of the call and the configured limits. If no answer arrives,
 * the function throws the gateway's error, which an adapter must not catch.
 */
export type Send = (request: InsurerRequest) => Promise<InsurerResponse>;

/**
 * Maximum number of requests for one page of a search. Reconciliation limits the pages per second, so this number also
 * limits the requests per second that an insurer receives.
 */
export const REQUESTS_PER_PAGE = 3;

/** The error if an adapter sends too many requests for one page of a search, which is a fault of the adapter. */
export class PageRequestsError extends Error {
  constructor({ method, path, provider }: Endpoint) {
    super(
      `The adapter of ${provider} must send at most ${REQUESTS_PER_PAGE} requests for one page of ${method} ${path}; the page may have fewer items than requested`,
    );
    this.name = "PageRequestsError";
  }
}

/** Returns a `send` function that refuses more than REQUESTS_PER_PAGE requests for one page of a search. */
export function limitedSend(endpoint: Endpoint, send: Send): Send {
  if (endpoint.kind !== "search") return send;
  let sent = 0;
  return async (request) => {
    sent += 1;
    if (sent > REQUESTS_PER_PAGE) throw new PageRequestsError(endpoint);
    return send(request);
  };
}

/** The gateway's data and functions for one call of an adapter. */
export interface AdapterContext {
  /**
   * The gateway's ID of the submission, by which the insurer can recognise the submission. In a search by reference,
   * the ID of the submission that the gateway looks for. Null for all other calls.
   */
  readonly submissionId: string | null;
  /** The operator's settings for the provider, validated by the provider's `settings` schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * The user name and password for a dialect that writes them into the message; null unless the configuration has
   * credentials of the type `message`.
   */
  readonly login: UserLogin | null;
  now(): Date;
  /**
   * Waits before another request of the call, such as a query whether the insurer has finished.
   * @returns false, without a wait, if the request would have no time left; the adapter must then send no more requests
   * @throws the gateway's error if the caller disconnects
   */
  readonly wait: (milliseconds: number) => Promise<boolean>;
  /**
   * Reports a decoded answer. An adapter calls this function with each successful answer of the insurer, because the
   * gateway compares some answers with their schema. If an adapter does not call this function, the gateway compares
   * the result of the call.
   */
  readonly decoded?: ((body: DecodedBody) => void) | undefined;
}

/** The decoded body of an insurer's answer, and the expected form of the body. */
export interface DecodedBody {
  /** The value from the insurer's JSON or XML, before the mapping. */
  readonly content: unknown;
  readonly form: AnswerForm;
}

/** The expected form of an insurer's answer, as data. */
export type AnswerForm =
  /** The body has the declared form for a status. */
  | { readonly type: "declared"; readonly status: number; readonly mediaType: string }
  /** Rows of a mapping convert the body to the declared answer. */
  | {
      readonly type: "mapped";
      readonly status: number;
      readonly rows: Mapping;
      readonly mapping: MappingForm;
      /** Fields that the adapter reads although no row of the mapping has them. */
      readonly beside: readonly FieldBeside[];
      /** Documented fields that are not read, as JSON Pointers in which `*` stands for every item of a list. */
      readonly unread: readonly string[];
    };

/** A field that an adapter reads although no row of a mapping has the field, such as the total number of items. */
export interface FieldBeside {
  /** The JSON Pointer of the field. */
  readonly at: string;
  readonly required: boolean;
}

/** The result of a call to the insurer, as an adapter returns it. */
export type AdapterAnswer =
  /** A success, with the declared answer of a status. */
  | {
      readonly type: "value";
      readonly status: number;
      /**
       * A value of the media type's schema: a string for text, a `FilePart` with its content in memory for bytes. If
       * the declaration has no content for this answer: the content that the insurer sent nevertheless, or undefined.
       */
      readonly value: unknown;
      /** The declared media type of the value. Default: JSON. */
      readonly mediaType?: string;
      /** The insurer's JSON text, if the gateway can forward it unchanged. */
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The insurer rejected the call or failed. The `failures` rows decide the outcome. */
  | {
      readonly type: "refusal";
      readonly status: number;
      readonly mediaType: string;
      /** The answer's content as JSON. The JSON Pointers of `failures` refer to this content. */
      readonly content: unknown;
      /** The fields of the request that the answer reports as faulty, as JSON Pointers into the declared body. */
      readonly faults?: readonly Fault[];
    }
  /** A document. */
  | {
      readonly type: "document";
      readonly mediaType: string;
      readonly content: AsyncIterable<Uint8Array>;
      /** The size in bytes, if the insurer reports it before the content. */
      readonly size?: number;
      /** Headers that replace the insurer's headers, such as an `etag`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The insurer has not finished the document yet. */
  | { readonly type: "notReady" }
  /** The insurer's dialect cannot express a value of the request, so nothing was sent. */
  | { readonly type: "unsendable"; readonly faults: readonly Fault[] }
  /** The gateway cannot use the answer. */
  | { readonly type: "unreadable"; readonly status: number; readonly detail: string };

/**
 * Translates between the declared contract and one insurer's API. The gateway provides the address, the credentials,
 * the deadlines and the outcomes.
 */
export interface Adapter {
  /** The adapter's name in the configuration. */
  readonly name: string;
  /** The meanings of this dialect's error answers. The `failures` of endpoint and provider take precedence. */
  readonly failures: readonly FailureRow[];
  /**
   * The credentials that the insurer accepts, if the insurer's API document names them. With this list, the gateway
   * refuses to start with other credentials. Without this list, the gateway sends all configured credentials.
   */
  readonly credentials?: AcceptedCredentials;
  /** Reports whether the adapter supports an endpoint. Omit this function if the adapter supports all endpoints. */
  readonly speaks?: (endpoint: Endpoint) => boolean;
  /**
   * Executes a declared call. The adapter may send several requests, such as polling until a document is ready. For one
   * page of a search, `send` refuses more than three requests with a PageRequestsError.
   */
  call(
    endpoint: Endpoint,
    input: CheckedInput,
    send: Send,
    context: AdapterContext,
  ): Promise<AdapterAnswer>;
  /**
   * Reports whether the insurer can search by the gateway's ID of a submission. If the insurer can, and the context has
   * a `submissionId`, `call` returns a page with only the result of this submission. If the insurer finds nothing,
   * `call` returns a refusal or an empty page.
   */
  findsByReference?(search: Endpoint): boolean;
  /**
   * Logs in at the insurer, for credentials of the type `login`.
   * @returns the headers with a credential that expires, and its lifetime
   */
  readonly login?: (
    login: UserLogin,
    send: Send,
    context: Pick<AdapterContext, "now" | "settings">,
  ) => Promise<LoginAnswer>;
}

/** The result of a login. */
export interface LoginAnswer {
  /** The headers that authenticate the gateway; null if the insurer refused the user name or the password. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The lifetime of the headers in seconds; null if unknown. */
  readonly expiresInSeconds: number | null;
}

/**
 * Returns the document in an answer. If the insurer uses another name of the declared media type, the document has the
 * declared name.
 */
export function documentAnswerOf(endpoint: Endpoint, response: InsurerResponse): AdapterAnswer {
  const size = Number(response.headers["content-length"]);
  return {
    type: "document",
    mediaType: fileTypeOf(endpoint, response.mediaType)?.mediaType ?? response.mediaType,
    content: response.stream(),
    ...(Number.isNaN(size) ? {} : { size }),
  };
}

/** Returns the result for an answer that the gateway cannot use. */
export function unreadableAnswer(status: number, detail: string): AdapterAnswer {
  return { type: "unreadable", status, detail };
}

/** Returns the result for an answer that its mapping cannot convert. */
export function unmappableAnswer(
  status: number,
  mapped: Extract<Mapped, { readonly fits: false }>,
): AdapterAnswer {
  return unreadableAnswer(
    status,
    `The insurer's answer does not have the expected form at ${mapped.at || "/"}.`,
  );
}
