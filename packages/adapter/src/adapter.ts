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
  /** Names in lower case. The gateway adds credentials, the request id and the trace. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Whether the insurer acts on this request: exactly one of a submission, none of other kinds. By default, every
   * request of a submission except a GET acts; set `false` for a request that only prepares the submission.
   */
  readonly acts?: boolean;
}

/** The head of an insurer's answer. Its body can be read once. */
export interface InsurerResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type without parameters, in lower case: `application/json`; "" without one. */
  readonly mediaType: string;
  /**
   * Reads the body as text, in the charset of the answer's header. Default: UTF-8.
   * @param charsetIn - finds the charset in the first 1,024 bytes, decoded as Latin-1, if the header has none
   */
  text(charsetIn?: (head: string) => string | undefined): Promise<string>;
  /** As `text`, for a message that contains documents in base64. It decodes them, and allows the size of a document. */
  textWithDocuments(charsetIn?: (head: string) => string | undefined): Promise<TextWithDocuments>;
  /** Reads the body as bytes. */
  bytes(): Promise<Uint8Array>;
  /** The body as a stream, with the size limit of a document. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Sends one request to the insurer, within the deadline of the call and the limits of the configuration. It throws the
 * gateway's error for a request without an answer; an adapter must not catch it.
 */
export type Send = (request: InsurerRequest) => Promise<InsurerResponse>;

/**
 * The maximum number of requests for one page of a search. Reconciliation limits pages per second, so this also limits
 * the requests that an insurer receives.
 */
export const REQUESTS_PER_PAGE = 3;

/** An adapter sent too many requests for one page of a search. This is a fault of the adapter. */
export class PageRequestsError extends Error {
  constructor({ method, path, provider }: Endpoint) {
    super(
      `The adapter of ${provider} sends more than ${REQUESTS_PER_PAGE} requests for one page of ${method} ${path}; a page may have fewer items than requested`,
    );
    this.name = "PageRequestsError";
  }
}

/** Limits how often `send` can be called for one page of a search to REQUESTS_PER_PAGE. */
export function limitedSend(endpoint: Endpoint, send: Send): Send {
  if (endpoint.kind !== "search") return send;
  let sent = 0;
  return async (request) => {
    sent += 1;
    if (sent > REQUESTS_PER_PAGE) throw new PageRequestsError(endpoint);
    return send(request);
  };
}

/** The context of a call for an adapter. */
export interface AdapterContext {
  /**
   * Our own name for a submission, by which the insurer can recognise it; null for other kinds. For a search by
   * reference, the name of the wanted submission.
   */
  readonly submissionId: string | null;
  /** The operator's settings for the provider, validated by its `settings` schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * The user name and password for a dialect that writes them into the message; null unless the configuration has
   * credentials of the type `message`.
   */
  readonly login: UserLogin | null;
  now(): Date;
  /**
   * Waits before another request of the call, such as one that asks whether the insurer has finished.
   * @returns false, at once, if no time would be left for the request: the adapter then sends no more
   * @throws the gateway's error if the caller goes meanwhile
   */
  readonly wait: (milliseconds: number) => Promise<boolean>;
  /**
   * Call it with each successful answer of the insurer as soon as it is decoded. The gateway compares some answers with
   * their expected schema. If an adapter does not call it, the gateway compares the adapter's result instead.
   */
  readonly decoded?: ((body: DecodedBody) => void) | undefined;
}

/** The body of an insurer's answer, and its expected form. */
export interface DecodedBody {
  /** The insurer's value, decoded from JSON or XML but not mapped. */
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
      /** Fields that the adapter reads in addition to the rows. */
      readonly beside: readonly FieldBeside[];
      /** Documented fields that nothing reads, as JSON Pointers in which `*` is every item of a list. */
      readonly unread: readonly string[];
    };

/** A field that an adapter reads in addition to its rows, such as the total number of items. */
export interface FieldBeside {
  /** A JSON Pointer. */
  readonly at: string;
  readonly required: boolean;
}

/** The result of an adapter's call. */
export type AdapterAnswer =
  /** The declared answer of a status. */
  | {
      readonly type: "value";
      readonly status: number;
      /**
       * A value of the media type's schema: a string for text, a `FilePart` with its content in memory for bytes. For an
       * answer that is declared without content: what the insurer sent all the same, or undefined.
       */
      readonly value: unknown;
      /** The declared media type of the value. Default: JSON. */
      readonly mediaType?: string;
      /** The insurer's JSON text, if the gateway forwards it unchanged. */
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The insurer refused or failed. The rows of `failures` say what that proves. */
  | {
      readonly type: "refusal";
      readonly status: number;
      readonly mediaType: string;
      /** The content of the answer as JSON, in which the JSON Pointers of `failures` are resolved. */
      readonly content: unknown;
      /** The fields of the request that the answer names, as JSON Pointers into the declared body. */
      readonly faults?: readonly Fault[];
    }
  /** A file. */
  | {
      readonly type: "document";
      readonly mediaType: string;
      readonly content: AsyncIterable<Uint8Array>;
      /** In bytes, if the insurer reports it in advance. */
      readonly size?: number;
      /** Headers that replace the insurer's, such as an `etag`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The document is not ready yet. */
  | { readonly type: "notReady" }
  /** The insurer's dialect cannot express a value of the request, so nothing was sent. */
  | { readonly type: "unsendable"; readonly faults: readonly Fault[] }
  /** The answer is unreadable. */
  | { readonly type: "unreadable"; readonly status: number; readonly detail: string };

/**
 * Translates between the declared contract and one insurer's own API. The gateway provides address, credentials,
 * deadlines and outcomes.
 */
export interface Adapter {
  /** The name in the configuration. */
  readonly name: string;
  /** The meanings of this dialect's error answers. The rows of the endpoint and of the provider precede these. */
  readonly failures: readonly FailureRow[];
  /**
   * The credentials that the insurer accepts, if its document says so. The gateway then refuses to start with others.
   * Without this list, it sends whatever is configured.
   */
  readonly credentials?: AcceptedCredentials;
  /** Reports whether it speaks an endpoint. Omit it if it speaks all endpoints of the provider. */
  readonly speaks?: (endpoint: Endpoint) => boolean;
  /**
   * Executes a declared call. It may send several requests, such as polling until a document is ready. For one page of
   * a search, `send` refuses more than three requests with a PageRequestsError.
   */
  call(
    endpoint: Endpoint,
    input: CheckedInput,
    send: Send,
    context: AdapterContext,
  ): Promise<AdapterAnswer>;
  /**
   * Whether the insurer can search by reference, which is our own name for a submission. If so, and if the context has
   * a `submissionId`, `call` returns a page with only what that submission created. If the insurer finds nothing, it
   * returns a refusal or an empty page.
   */
  findsByReference?(search: Endpoint): boolean;
  /**
   * Logs in at the insurer for credentials of the type `login`, which expire.
   * @returns the headers with the credential, and how long it is valid
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
  /** How long they are valid, in seconds; null if unknown. */
  readonly expiresInSeconds: number | null;
}

/**
 * Converts an answer to a document. If the insurer uses another name for the declared media type, the document has the
 * declared one.
 */
export function fileIn(endpoint: Endpoint, response: InsurerResponse): AdapterAnswer {
  const size = Number(response.headers["content-length"]);
  return {
    type: "document",
    mediaType: fileTypeOf(endpoint, response.mediaType)?.mediaType ?? response.mediaType,
    content: response.stream(),
    ...(Number.isNaN(size) ? {} : { size }),
  };
}

/** The result for an answer that does not match its rows. */
export function unreadable(status: number, detail: string): AdapterAnswer {
  return { type: "unreadable", status, detail };
}

/** The result for an answer that its mapping cannot convert. */
export function misfit(
  status: number,
  mapped: Extract<Mapped, { readonly fits: false }>,
): AdapterAnswer {
  return unreadable(
    status,
    `The insurer's answer does not have the expected form at ${mapped.at || "/"}.`,
  );
}
