import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import type { AdapterAnswer, AdapterContext, FieldBeside, InsurerResponse } from "./adapter.ts";
import type { Mapping, MappingForm } from "./mapping.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/**
 * The source values of a request to the insurer. The rows of a request refer to them by JSON Pointer:
 * `/body/holder/afm`.
 */
export interface CallSource extends CheckedInput {
  /** Our own name for a submission; null for other kinds. */
  readonly submissionId: string | null;
  /** The operator's settings for the provider. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** For a call with pages: the insurer's position and size of the page. */
  readonly page?: { readonly position: number; readonly size: number };
  /** For a query of `poll`: the insurer's name for the work. */
  readonly ticket?: string;
}

/** How the answers of one endpoint are read, as data. JSON Pointers refer to the insurer's answer. */
export interface AnswerMapping {
  /** The mapping to the declared answer. Not for a document or a paged list. */
  readonly value?: Mapping;
  /** Our status for the insurer's status 200. */
  readonly status?: number;
  readonly document?: DocumentMapping;
  readonly pages?: PageMapping;
  /**
   * Conversions that rows cannot express. For a paged list, it is called for each item. Pure; returns `undefined` for
   * an unusable answer.
   */
  readonly finish?: (value: unknown, theirs: unknown) => unknown;
  /**
   * Documented fields that no row reads, as JSON Pointers in which an asterisk is every item of a list. The gateway
   * reports every other unread field as an addition.
   */
  readonly unread?: readonly string[];
}

/** A list that the insurer returns in its own pages. The request's rows write `/page/position` and `/page/size`. */
export interface PageMapping {
  /** `page`: the position is the number of a page; `offset`: of an item. */
  readonly style: "page" | "offset";
  /** The number of the first page or item. */
  readonly from: 0 | 1;
  /** The maximum page size, at least 50, so that three pages are enough for one of ours. */
  readonly most: number;
  readonly items: string;
  readonly each: Mapping;
  /** The JSON Pointer of the total number of items. */
  readonly total?: string;
  /**
   * For a list that we return complete: the maximum number of queries, and the JSON Pointer of the list in our answer.
   */
  readonly whole?: { readonly queries: number; readonly at: string };
}

/** A document in base64 (RFC 4648, section 4) within an answer. */
export interface DocumentMapping {
  readonly base64: string;
  readonly mediaType: string;
  /** The JSON Pointer of the document's state, and the values for a document that is not ready. */
  readonly notReady?: { readonly at: string; readonly is: readonly string[] };
  /** The JSON Pointer of the document's size in bytes, if the answer has it. */
  readonly size?: string;
}

/** How the gateway waits for an insurer that accepts a request first and finishes it later. */
export interface Polling {
  /** Recognises an answer of an insurer that has not finished: by its status (2xx), by a value in it, or by both. */
  readonly pending: {
    readonly status?: number;
    readonly at?: string;
    readonly is?: readonly (string | number | boolean)[];
  };
  /**
   * The place of the insurer's name for the work in the first answer: a JSON Pointer, or the lower-case name of a header.
   * An address, such as `location`, gives the last segment of its path, decoded. The rows of the query find the name at `/ticket`.
   */
  readonly ticket: string | { readonly header: string };
  /** The pause before each query, in milliseconds, unless the insurer's `Retry-After` is longer. At least 250. */
  readonly everyMs: number;
}

/** Where an error answer names the faulty fields. */
export interface FaultMapping {
  readonly list: string;
  /** The JSON Pointer of the field's name in an item of the list. */
  readonly field: string;
  /** Our JSON Pointers into the declared body by the insurer's names. */
  readonly names: Readonly<Record<string, string>>;
}

/** The result of one request: the content of a success, or an answer that ends the call. */
export type Reply =
  | DecodedReply
  /** With the content of an answer that is not an error but is unusable. */
  | { readonly ended: AdapterAnswer; readonly unusable?: DecodedReply };

/** An answer with its decoded body. */
export interface DecodedReply {
  readonly content: unknown;
  readonly response: InsurerResponse;
  /** For a message with documents: reads a text of the content as a document. */
  readonly documentOf?: TextWithDocuments["documentOf"] | undefined;
}

/** One call of a dialect. */
export interface DialectCall {
  readonly endpoint: Endpoint;
  readonly rows: AnswerMapping;
  readonly source: CallSource;
  readonly form: MappingForm;
  /** Sends one request and reads what all answers of the dialect have in common. */
  readonly ask: (source: CallSource) => Promise<Reply>;
  readonly decoded: AdapterContext["decoded"];
  /** Fields that every answer of the dialect has and that no row reads. */
  readonly beside?: readonly FieldBeside[];
}
