import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import type { AdapterAnswer, AdapterContext, FieldBeside, InsurerResponse } from "./adapter.ts";
import type { Mapping, MappingForm } from "./mapping.ts";
import type { TextWithDocuments } from "./text-with-documents.ts";

/**
 * The values from which a request to the insurer is written. Each row of the request's mapping names one of these
 * values by a JSON Pointer, such as `/body/holder/afm`.
 */
export interface CallSource extends CheckedInput {
  /** The gateway's ID of a submission; null for other kinds. */
  readonly submissionId: string | null;
  /** The operator's settings for the provider. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** For a call with `pages`: the position and the size of the insurer's page. */
  readonly page?: { readonly position: number; readonly size: number };
  /** For a query of `poll`: the insurer's name for the unfinished work. */
  readonly ticket?: string;
}

/** The rules for reading an endpoint's answers. The JSON Pointers are places in the insurer's answer. */
export interface AnswerMapping {
  /** Converts the insurer's value to the declared answer. Omitted for a document or a paged list. */
  readonly value?: Mapping;
  /** The declared status for the insurer's status 200. */
  readonly status?: number;
  readonly document?: DocumentMapping;
  readonly pages?: PageMapping;
  /**
   * A pure function for conversions that mapping rows cannot express. For a paged list, the function converts each
   * item. Returns `undefined` for an unusable answer.
   */
  readonly finish?: (value: unknown, theirs: unknown) => unknown;
  /**
   * Documented fields that no row reads, as JSON Pointers in which `*` stands for every item of a list. The gateway
   * reports every other unread field as an addition of the insurer.
   */
  readonly unread?: readonly string[];
}

/** A list that the insurer returns in pages. The request's mapping writes `/page/position` and `/page/size`. */
export interface PageMapping {
  /** The meaning of the position: the number of a page (`page`) or of an item (`offset`). */
  readonly style: "page" | "offset";
  /** The number of the first page or item. */
  readonly from: 0 | 1;
  /** The insurer's maximum page size. It must be at least 50, so that three pages contain a page of the gateway. */
  readonly most: number;
  readonly items: string;
  readonly each: Mapping;
  /** The JSON Pointer of the total number of items. */
  readonly total?: string;
  /**
   * For a list that the gateway returns completely: the maximum number of queries, and the JSON Pointer of the list in
   * the declared answer.
   */
  readonly whole?: { readonly queries: number; readonly at: string };
}

/** A document in base64 (RFC 4648, section 4) within an answer. */
export interface DocumentMapping {
  readonly base64: string;
  readonly mediaType: string;
  /** The JSON Pointer of the document's state, and the values of a document that is not ready. */
  readonly notReady?: { readonly at: string; readonly is: readonly string[] };
  /** The JSON Pointer of the document's size in bytes, if the answer has it. */
  readonly size?: string;
}

/** The rules for waiting for an insurer that first accepts a request and finishes the work later. */
export interface Polling {
  /** Recognises an answer about unfinished work: by the success status, by a value in the answer, or by both. */
  readonly pending: {
    readonly status?: number;
    readonly at?: string;
    readonly is?: readonly (string | number | boolean)[];
  };
  /**
   * The place of the insurer's name for the work in the first answer: a JSON Pointer, or the lower-case name of a
   * header. From an address, such as `location`, the last segment of the path is used, decoded. The rows of the query
   * read the name at `/ticket`.
   */
  readonly ticket: string | { readonly header: string };
  /** Pause before each query in milliseconds, at least 250, unless the insurer's `Retry-After` is longer. */
  readonly everyMs: number;
}

/** The places at which an error answer names the faulty fields. */
export interface FaultMapping {
  readonly list: string;
  /** The JSON Pointer of the field's name in an item of the list. */
  readonly field: string;
  /** JSON Pointers into the declared body, by the insurer's names of fields. */
  readonly names: Readonly<Record<string, string>>;
}

/** The result of one request: the content of a successful answer, or the result with which the call ends. */
export type RequestResult =
  | DecodedReply
  /** `unusable` is the content of an answer that is not an error answer but cannot be used. */
  | { readonly ended: AdapterAnswer; readonly unusable?: DecodedReply };

/** An answer with its decoded body. */
export interface DecodedReply {
  readonly content: unknown;
  readonly response: InsurerResponse;
  /** Returns the decoded document for a text of the content, if the message has documents. */
  readonly documentOf?: TextWithDocuments["documentOf"] | undefined;
}

/** One call in a dialect, with the functions that send and read its requests. */
export interface DialectCall {
  readonly endpoint: Endpoint;
  readonly rows: AnswerMapping;
  readonly source: CallSource;
  readonly form: MappingForm;
  /** Sends one request and reads the parts that all answers of the dialect have. */
  readonly ask: (source: CallSource) => Promise<RequestResult>;
  readonly decoded: AdapterContext["decoded"];
  /** Fields that every answer of the dialect has although no row reads them. */
  readonly beside?: readonly FieldBeside[];
}
