import { page } from "../schema/paging.ts";
import type { AnswerDeclaration, AnswersByStatus, ByStatus } from "./answers.ts";
import type { BodyDeclaration } from "./body.ts";
import type { FailureRow } from "./failures.ts";
import { type EndpointKind, kindPolicies, type Method } from "./kinds.ts";
import type { Page, PageQuery, Paging } from "./page.ts";
import type { Schema } from "./schema.ts";

/** What an endpoint takes and gives, as types; a part that it does not have is left out. */
export interface EndpointTypes {
  /** The parameters in the path, by name. */
  params?: unknown;
  query?: unknown;
  /** The request headers, by their names in lower case. */
  headers?: unknown;
  /** The body; `T | undefined` for one that may be left out. */
  body?: unknown;
  /** The answer; `ByStatus<{ 201: Created; 204: undefined }>` where it differs by status. */
  response?: unknown;
}

/** What is known about a submission beyond what it takes and answers with; no other kind has any of it. */
export interface OutcomeDeclaration {
  /** What the insurer does with a submission that it gets a second time; `none` when left out. */
  readonly idempotency?: Idempotency;
  /** How to find out whether a submission was carried out, when its outcome is unknown. */
  readonly reconcile?: ReconcileDeclaration;
  /** How long after a submission its absence from the insurer's list proves nothing yet, in milliseconds. */
  readonly settleAfterMs?: number;
  /** Where a submission's answer has the insurer's own identifier, as a JSON Pointer: `/applicationId`. */
  readonly insurerId?: string;
  /**
   * Whether each submission gets an identifier of its own, so that an identifier which another submission already has
   * proves a wrong answer. When left out: true for a POST that declares `insurerId`, false for the other methods.
   */
  readonly creates?: boolean;
  /** When a request that equals an earlier one is the same submission; by the method when left out. */
  readonly sameContent?: SameContent;
  /**
   * The answers after which the same content is a new submission, although this one succeeded: what it applied for does
   * not stand any more.
   */
  readonly closedWhen?: ClosedDeclaration;
  /**
   * Whether the insurer says that sending it twice does what sending it once does (an idempotent PUT). After an unknown
   * outcome it is sent once more, unless a later submission to the same resource was sent meanwhile.
   */
  readonly repeatable?: boolean;
  /** Where our name for a submission travels to the insurer; the header `Idempotency-Key` when left out. */
  readonly keyAt?: KeyPlace;
}

/** Where an idempotency key travels: the name of a header or query parameter, or a JSON Pointer into the body. */
export type KeyPlace =
  | { readonly header: string }
  | { readonly query: string }
  | { readonly body: string };

/**
 * When a request without a key, equal to an earlier one of the same caller, is that earlier submission. `once`: while
 * that one is open, and for a time after it succeeded (the default of a POST). `open`: only while it is open (the default
 * of PUT, PATCH and DELETE). `none`: never, because equal requests are usual, such as payments or notes.
 */
export type SameContent = "once" | "open" | "none";

/** The values of an answer's field that say that the insurer has declined or ended what was submitted. */
export interface ClosedDeclaration {
  /** Where the answer has it, as a JSON Pointer: `/status`. */
  readonly at: string;
  readonly is: readonly string[];
}

/** One declared operation of a provider, as data. Everything else about it is derived from this. */
export interface Endpoint<
  Kind extends EndpointKind = EndpointKind,
  Types extends EndpointTypes = EndpointTypes,
> extends OutcomeDeclaration {
  /** Never there at run time: it carries the types to the client. */
  readonly "~types"?: Types;
  readonly kind: Kind;
  /** The id of the provider it belongs to. */
  readonly provider: string;
  readonly method: Method;
  /** The path after the provider's segment, parameters in braces: `/applications/{applicationId}`. */
  readonly path: string;
  readonly params?: Schema<unknown>;
  readonly query?: Schema<unknown>;
  /** The request headers, by their names in lower case; no others pass. */
  readonly headers?: Schema<unknown>;
  /** A schema alone is a required JSON body (`bodyOf`). */
  readonly body?: Schema<unknown> | BodyDeclaration;
  /** The answer of each success status (`answersOf`); a document has none. */
  readonly response: AnswersByStatus;
  /** The types of the file that a document endpoint answers with; the insurer is asked for the first. */
  readonly files?: readonly [FileType, ...FileType[]];
  /** The fixed, safe name given to the file, without an extension, whatever the insurer calls it; `document` when left out. */
  readonly fileName?: string;
  /** The status by which the insurer says that the document is not made yet: 202. */
  readonly notReady?: number;
  /** How a search is paged; by `start` and `limit` when left out. */
  readonly paging?: Paging;
  /** What the insurer's refusals mean; rows of the provider follow these. */
  readonly failures?: readonly FailureRow[];
  /**
   * Whether the insurer answers a lookup differently to each broker, such as with the products of an agency. Otherwise a
   * gateway may answer one broker with what the insurer answered another.
   */
  readonly perConnection?: true;
  /**
   * How long a gateway may answer a lookup from memory with what the insurer answered, in seconds: 86,400 is a day. When
   * left out, the insurer is asked each time.
   */
  readonly freshFor?: number;
}

/**
 * What is known about an insurer that gets a submission twice. `native`: it recognises our reference, which travels as
 * `Idempotency-Key`, and acts once; `reconcile`: it may act twice, but what it carried out can be found; `none`: neither.
 * The gateway never sends a submission twice, whatever it is. An unknown outcome is settled by the `reconcile` where one
 * is declared, which `native` may have and `none` has not; otherwise it is a person's.
 */
export type Idempotency = "native" | "reconcile" | "none";

/** A type of file that a document endpoint answers with. */
export interface FileType {
  /** In lower case, without parameters: `application/pdf`. */
  readonly mediaType: string;
  /** Without its dot: `pdf`. */
  readonly extension: string;
  /** The bytes that every such file begins with, as Latin-1 text: `%PDF-`. */
  readonly signature?: string;
}

/** The call that shows whether a submission was carried out. */
export interface ReconcileDeclaration {
  /** The name of a search endpoint of the same provider; it lists the newest first. */
  readonly endpoint: string;
  /**
   * For each of its parameters, where the submission has the value: a JSON Pointer into the body, or `/path/tenantId` for
   * a parameter of the submission's own path. A parameter is named as it is in the search's path or query, or by a JSON
   * Pointer where it travels in the search's body.
   */
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
  /** What the submission's body has in common with the insurer's answer and with an item of the search. */
  readonly same: readonly MatchField[];
  /** Where a found item says when it was created, as a JSON Pointer to an instant. */
  readonly createdAt: string;
}

/** A field that a submission's body and the insurer's answers have in common: its JSON Pointer, or that with a normaliser. */
export type MatchField = string | NormalisedField;

/** A match field that the insurer may write in another way than it was sent. */
export interface NormalisedField {
  /** The JSON Pointer of the field. */
  readonly at: string;
  readonly normaliser: Normaliser;
}

/** A named rule that maps every way of writing a value to one. */
export interface Normaliser {
  /** Names it in reports: `plate`. */
  readonly name: string;
  /** Maps a text to its normal form; what is in normal form stays as it is. Pure. */
  readonly normalise: (text: string) => string;
  /** Ways of writing the same value that the insurer is known to use; the conformance suite compares them. */
  readonly examples: readonly (readonly [sent: string, answered: string])[];
}

/** Read-only reference data; GET. */
export interface Lookup<Types extends EndpointTypes> extends Endpoint<"lookup", Types> {}
/** Any other private read; GET, or POST. */
export interface Read<Types extends EndpointTypes> extends Endpoint<"read", Types> {}
/** A calculation that stores nothing; POST, or GET. */
export interface Quote<Types extends EndpointTypes> extends Endpoint<"quote", Types> {}
/** Creates or changes something at the insurer; POST, PUT, PATCH or DELETE. */
export interface Submission<Types extends EndpointTypes> extends Endpoint<"submission", Types> {}
/** A file download, streamed; GET, or POST. */
export interface Document<Types extends Omit<EndpointTypes, "response">>
  extends Endpoint<"document", Types> {}
/** What a search takes, and one item of what it finds. */
export interface SearchTypes {
  params?: unknown;
  query?: unknown;
  headers?: unknown;
  body?: unknown;
  item: unknown;
  /** The whole page where it is another than `Page`; `paging` says where it has its items. */
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

type Part<Types, Name extends "params" | "query" | "headers"> = Name extends keyof Types
  ? { readonly [Key in Name]: Schema<Types[Name]> }
  : { readonly [Key in Name]?: never };

type BodyPart<Types> = Types extends { body: infer Body }
  ? {
      readonly body: Schema<Exclude<Body, undefined>> | BodyDeclaration<Exclude<Body, undefined>>;
    }
  : { readonly body?: never };

type Request<Types> = Part<Types, "params"> &
  Part<Types, "query"> &
  Part<Types, "headers"> &
  BodyPart<Types>;

interface Place {
  /** The id of the provider the endpoint belongs to. */
  readonly provider: string;
  /** The path after the provider's segment, parameters in braces: `/applications/{applicationId}`. */
  readonly path: string;
  /** What the insurer's refusals mean; rows of the provider follow these. */
  readonly failures?: readonly FailureRow[];
}

interface Answers<Types extends EndpointTypes> {
  /** The answer of each success status: its schema, or its long form. */
  readonly response: Types["response"] extends ByStatus<infer Answered>
    ? {
        readonly [Status in keyof Answered]:
          | Schema<Answered[Status]>
          | AnswerDeclaration<Answered[Status]>;
      }
    : Readonly<Record<number, Schema<Types["response"]> | AnswerDeclaration<Types["response"]>>>;
}

/** The methods of an endpoint that changes nothing at the insurer. */
interface Asking {
  /** A POST asks with a body; it changes nothing at the insurer either. */
  readonly method?: "GET" | "POST";
}

interface SubmissionExtras extends OutcomeDeclaration {
  /** POST when left out. */
  readonly method?: Exclude<Method, "GET">;
}

/** Declares a lookup: read-only reference data. */
export function lookup<Types extends EndpointTypes>(
  declaration: NoInfer<
    Place & Request<Types> & Answers<Types> & Pick<Endpoint, "freshFor" | "perConnection">
  >,
): Lookup<Types> {
  return declare("lookup", declaration);
}

/** Declares a read: any private read that is neither reference data nor a list. */
export function read<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Asking & Request<Types> & Answers<Types>>,
): Read<Types> {
  return declare("read", declaration);
}

/** Declares a quote: a calculation that stores nothing. */
export function quote<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Asking & Request<Types> & Answers<Types>>,
): Quote<Types> {
  return declare("quote", declaration);
}

/** Declares a submission: something that creates or changes at the insurer, and is never sent twice. */
export function submission<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Request<Types> & Answers<Types> & SubmissionExtras>,
): Submission<Types> {
  return declare("submission", declaration);
}

/** What a search answers with: pages of items by `start` and `limit`, or what its `paging` says. */
type Pages<Types extends SearchTypes> = Types extends { page: infer Other }
  ? { readonly page: Schema<Other>; readonly paging: Paging; readonly item?: never }
  : Types extends { query: PageQuery }
    ? { readonly item: Schema<Types["item"]>; readonly paging?: never; readonly page?: never }
    : never;

/** Declares a search: a paged list, newest first. */
export function search<Types extends SearchTypes>(
  declaration: NoInfer<Place & Asking & Request<Types> & Pages<Types>>,
): Search<Types> {
  // Of the two forms of `Pages`, exactly one is given.
  const { item, page: other, ...rest } = declaration as unknown as Declaration & SearchParts;
  return declare("search", { ...rest, response: { 200: other ?? page(item) } });
}

interface SearchParts {
  readonly item: Schema<unknown>;
  readonly page?: Schema<unknown>;
}

/** Declares a document: a file that is streamed. */
export function document<Types extends Omit<EndpointTypes, "response">>(
  declaration: NoInfer<
    Place & Asking & Request<Types> & Pick<Endpoint, "fileName" | "notReady"> & FilesPart
  >,
): Document<Types> {
  return declare("document", { ...declaration, response: {} });
}

interface FilesPart {
  /** The types that the file can have. */
  readonly files: readonly [FileType, ...FileType[]];
}

interface Declaration
  extends Place,
    OutcomeDeclaration,
    Pick<Endpoint, "files" | "fileName" | "notReady" | "perConnection"> {
  readonly method?: Method;
  readonly params?: Schema<unknown>;
  readonly query?: Schema<unknown>;
  readonly headers?: Schema<unknown>;
  readonly body?: Schema<unknown> | BodyDeclaration;
  readonly response: AnswersByStatus;
  readonly paging?: Paging;
}

function declare<Kind extends EndpointKind>(
  kind: Kind,
  declaration: Declaration,
): Endpoint<Kind, never> {
  return Object.freeze({ kind, method: kindPolicies[kind].methods[0], ...declaration });
}
