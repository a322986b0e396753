import type { AnswersByStatus } from "./answers.ts";
import type { BodyDeclaration } from "./body.ts";
import type { FailureRow } from "./failures.ts";
import type { EndpointKind, Method } from "./kinds.ts";
import type { Page, Paging } from "./page.ts";
import type { Schema } from "./schema.ts";

/** The types of an endpoint's input and answer. Omit the parts that the endpoint does not have. */
export interface EndpointTypes {
  /** The parameters in the path, by name. */
  params?: unknown;
  query?: unknown;
  /** The request headers, by their names in lower case. */
  headers?: unknown;
  /** The type of the body; `T | undefined` for an optional body. */
  body?: unknown;
  /** The type of the answer; `ByStatus<{ 201: Created; 204: undefined }>` if the type depends on the status. */
  response?: unknown;
}

/** Properties that only submissions have. */
export interface OutcomeDeclaration {
  /** The insurer's reaction to a submission that it receives a second time. Default: `none`. */
  readonly idempotency?: Idempotency;
  /**
   * How to find out whether a submission of unknown outcome was carried out. Only for an endpoint that `creates`
   * something: a list does not prove which call changed an existing item.
   */
  readonly reconcile?: ReconcileDeclaration;
  /**
   * The match fields: fields with the same value in the submission's body, in the insurer's answer and in an item of
   * the search that `reconcile` names. Without `reconcile`, these fields show an operator whom the submission
   * concerns.
   */
  readonly same?: readonly MatchField[];
  /** Milliseconds until the insurer's list shows a new submission. Before that, a missing item proves nothing. */
  readonly settleAfterMs?: number;
  /**
   * Where the answer has the insurer's identifier: a text of 1 to 200 characters, or a whole number. A JSON Pointer
   * alone (`/applicationId`) means that no two submissions of this endpoint have the same identifier, even if
   * different brokers sent them.
   */
  readonly insurerId?: InsurerIdDeclaration | string;
  /**
   * True if each submission gets a new identifier. If so, an answer with the identifier of another submission is
   * wrong. Default: true for a POST that declares `insurerId`, false for the other methods. With both `reconcile` and
   * parameters in the path, there is no default.
   */
  readonly creates?: boolean;
  /** The rule by which an equal request counts as the same submission. The default depends on the method. */
  readonly sameContent?: SameContent;
  /** The answers that decline or end an application. After such an answer, equal content is a new submission. */
  readonly closedWhen?: ClosedDeclaration;
  /** The place of the gateway's reference in a request to the insurer. Default: the header `Idempotency-Key`. */
  readonly keyAt?: KeyPlace;
}

/** The place of the insurer's identifier in an answer, and the scope in which it is unique. */
export interface InsurerIdDeclaration {
  /** The JSON Pointer of the identifier: `/applicationId`. */
  readonly at: string;
  /**
   * The scope in which the identifier is unique. Default: `provider`. An answer with the identifier of another
   * submission in this scope is wrong.
   */
  readonly unique?: IdentifierScope;
  /**
   * The name of the identified items (`application`), if several endpoints share one series of numbers. Default: this
   * endpoint, and the endpoints with the same `reconcile` search. Many insurers number applications and claims
   * separately.
   */
  readonly of?: string;
}

/** The scope in which an insurer's identifier is unique: all accounts at the provider, or one account. */
export type IdentifierScope = "provider" | "account";

/** The place of the gateway's reference: the name of a header or query parameter, or a JSON Pointer into the body. */
export type KeyPlace =
  | { readonly header: string }
  | { readonly query: string }
  | { readonly body: string };

/**
 * The rule by which a request without a key repeats an equal, earlier submission of the same client. `once`: while the
 * earlier submission is open, and for some time after its success (the default of POST). `open`: only while the earlier
 * submission is open (the default of PUT, PATCH and DELETE). `none`: never, because equal requests are normal, such as
 * payments or notes.
 */
export type SameContent = "once" | "open" | "none";

/** The field of an answer, and the field's values, that show that the insurer declined or ended an application. */
export interface ClosedDeclaration {
  /** The JSON Pointer of the field: `/status`. */
  readonly at: string;
  readonly is: readonly string[];
}

/** A declared operation of a provider, as data. Its route, client, validation and documentation follow from it. */
export interface Endpoint<
  Kind extends EndpointKind = EndpointKind,
  Types extends EndpointTypes = EndpointTypes,
> extends OutcomeDeclaration {
  /** Carries the types to the client; never set at run time. */
  readonly "~types"?: Types;
  readonly kind: Kind;
  /** The id of the endpoint's provider. */
  readonly provider: string;
  readonly method: Method;
  /** The path after the provider's segment, with parameters in braces: `/applications/{applicationId}`. */
  readonly path: string;
  readonly params?: Schema<unknown>;
  readonly query?: Schema<unknown>;
  /** The request headers by lower-case name. The gateway forwards no other headers. */
  readonly headers?: Schema<unknown>;
  /** The request body. A schema alone declares a required JSON body (`bodyOf`). */
  readonly body?: Schema<unknown> | BodyDeclaration;
  /** The answer of each success status (`answersOf`); a document has none. */
  readonly response: AnswersByStatus;
  /** The file types of a document. The gateway requests the first one from the insurer. */
  readonly files?: readonly [FileType, ...FileType[]];
  /** The file name without an extension, which replaces the insurer's file name. Default: `document`. */
  readonly fileName?: string;
  /** The status with which the insurer answers while the document is not ready, such as 202. */
  readonly notReady?: number;
  /** The paging of a search. Default: `start` and `limit`. */
  readonly paging?: Paging;
  /**
   * The search parameters whose sent values each item repeats: `{ clientAfm: "/holder/afm" }`. The key is a parameter
   * of the path or query, or a JSON Pointer into the body; the value is the place in an item. The gateway refuses a
   * list if an item has another value. Omit a parameter if the insurer masks the value or finds more than was
   * requested.
   */
  readonly echoes?: Readonly<Record<string, MatchField>>;
  /** The meanings of the insurer's error answers. The rows of an endpoint precede the rows of the provider. */
  readonly failures?: readonly FailureRow[];
  /**
   * True if the insurer's answer to a lookup depends on the broker, such as the products of an agency. If not, the
   * gateway may give all brokers the same answer.
   */
  readonly perAccount?: true;
  /** Seconds for which the gateway may cache the answer to a lookup: 86,400 is a day. Default: no caching. */
  readonly freshFor?: number;
}

/**
 * The insurer's reaction to a submission that it receives twice. `native`: it recognises the gateway's reference,
 * sent as `Idempotency-Key`, and acts once. `reconcile`: it may act twice, but a search finds its records. `none`:
 * neither. The gateway never repeats a submission. It resolves an unknown outcome with the `reconcile` search, which is
 * optional for `native` and not allowed for `none`. Without a search, a person resolves the outcome.
 */
export type Idempotency = "native" | "reconcile" | "none";

/** A type of file that a document endpoint answers with. */
export interface FileType {
  /** The media type in lower case, without parameters: `application/pdf`. */
  readonly mediaType: string;
  /** The file extension without the dot: `pdf`. */
  readonly extension: string;
  /** The bytes that every such file begins with, as Latin-1 text: `%PDF-`. */
  readonly signature?: string;
}

/** The search that shows whether the insurer acted on a submission. */
export interface ReconcileDeclaration {
  /** The name of a search endpoint of the same provider, which lists the newest items first. */
  readonly endpoint: string;
  /**
   * Maps each parameter of the search to the place of its value in the submission: a JSON Pointer into the body, or
   * `/path/tenantId` for a parameter of the submission's path. The key is the parameter's name in the search's path
   * or query, or a JSON Pointer into the search's body.
   */
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
  /** The JSON Pointer of the creation time in an item of the search. */
  readonly createdAt: string;
}

/**
 * A field with the same value in a submission's body and the insurer's answers: a JSON Pointer, if needed with a
 * normaliser.
 */
export type MatchField = string | NormalisedField;

/** A match field whose value the insurer may format differently. */
export interface NormalisedField {
  /** The JSON Pointer of the field. */
  readonly at: string;
  readonly normaliser: Normaliser;
}

/** A named rule that maps every format of a value to one normal form. */
export interface Normaliser {
  /** The name in reports: `plate`. */
  readonly name: string;
  /** Returns the normal form of a text, without side effects. A text in normal form is returned unchanged. */
  readonly normalise: (text: string) => string;
  /** Examples of one value in the insurer's known formats. The conformance check compares their normal forms. */
  readonly examples: readonly (readonly [sent: string, answered: string])[];
}

/** Read-only reference data; GET. */
export interface Lookup<Types extends EndpointTypes> extends Endpoint<"lookup", Types> {}
/** A private read of one item; GET, or POST. */
export interface Read<Types extends EndpointTypes> extends Endpoint<"read", Types> {}
/** A calculation that stores nothing; POST, or GET. */
export interface Quote<Types extends EndpointTypes> extends Endpoint<"quote", Types> {}
/** A call that creates or changes something at the insurer; POST, PUT, PATCH or DELETE. */
export interface Submission<Types extends EndpointTypes> extends Endpoint<"submission", Types> {}
/** A file download, streamed; GET, or POST. */
export interface Document<Types extends Omit<EndpointTypes, "response">>
  extends Endpoint<"document", Types> {}
/** The input of a search, and an item of its results. */
export interface SearchTypes {
  params?: unknown;
  query?: unknown;
  headers?: unknown;
  body?: unknown;
  item: unknown;
  /** The type of a page that is not `Page`. The endpoint's `paging` names the field with the items. */
  page?: unknown;
}
/** A paged list, newest first; GET, or POST. */
export interface Search<Types extends SearchTypes>
  extends Endpoint<
    "search",
    Omit<Types, "page"> & {
      response: Types extends { page: infer Other } ? Other : Page<Types["item"]>;
    }
  > {}
