import { page } from "../schema/paging.ts";
import { type EndpointKind, kindPolicies, type Method } from "./kinds.ts";
import type { Page, PageQuery } from "./page.ts";
import type { Schema } from "./schema.ts";

/** What an endpoint takes and gives, as types; a part that it does not have is left out. */
export interface EndpointTypes {
  /** The parameters in the path, by name. */
  params?: unknown;
  query?: unknown;
  body?: unknown;
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
}

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
  readonly body?: Schema<unknown>;
  /** The schema of each success status; a document has none. */
  readonly response: Readonly<Record<number, Schema<unknown>>>;
  /** The file a document endpoint answers with. */
  readonly file?: DocumentFile;
}

/**
 * What is known about an insurer that gets a submission twice. `native`: it recognises our reference, which travels as
 * `Idempotency-Key`, and acts once; `reconcile`: it may act twice, but what it carried out can be found; `none`: neither.
 * The gateway never sends a submission twice, whatever it is. An unknown outcome is settled by the `reconcile` where one
 * is declared, which `native` may have and `none` has not; otherwise it is a person's.
 */
export type Idempotency = "native" | "reconcile" | "none";

/** The file that a document endpoint answers with. */
export interface DocumentFile {
  readonly mediaType: "application/pdf";
  /** The fixed, safe name given to the file, whatever the insurer calls it. */
  readonly name: string;
}

/** The call that shows whether a submission was carried out. */
export interface ReconcileDeclaration {
  /** The name of a search endpoint of the same provider; it lists the newest first. */
  readonly endpoint: string;
  /** For each of its parameters, where the submission's body holds the value, as a JSON Pointer. */
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
/** Any other private read; GET. */
export interface Read<Types extends EndpointTypes> extends Endpoint<"read", Types> {}
/** A calculation that stores nothing; POST. */
export interface Quote<Types extends EndpointTypes> extends Endpoint<"quote", Types> {}
/** Creates or changes something at the insurer; POST, PUT, PATCH or DELETE. */
export interface Submission<Types extends EndpointTypes> extends Endpoint<"submission", Types> {}
/** A file download, streamed; GET. */
export interface Document<Types extends Omit<EndpointTypes, "response">>
  extends Endpoint<"document", Types> {}
/** What a search takes, and one item of what it finds. */
export interface SearchTypes {
  params?: unknown;
  query: PageQuery;
  item: unknown;
}
/** A paged list, newest first; GET. */
export interface Search<Types extends SearchTypes>
  extends Endpoint<"search", Omit<Types, "item"> & { response: Page<Types["item"]> }> {}

type Part<Types, Name extends "params" | "query" | "body"> = Name extends keyof Types
  ? { readonly [Key in Name]: Schema<Types[Name]> }
  : { readonly [Key in Name]?: never };

type Request<Types> = Part<Types, "params"> & Part<Types, "query"> & Part<Types, "body">;

interface Place {
  /** The id of the provider the endpoint belongs to. */
  readonly provider: string;
  /** The path after the provider's segment, parameters in braces: `/applications/{applicationId}`. */
  readonly path: string;
}

interface Answers<Types extends EndpointTypes> {
  /** The schema of each success status. */
  readonly response: Readonly<Record<number, Schema<Types["response"]>>>;
}

interface SubmissionExtras extends OutcomeDeclaration {
  /** POST when left out. */
  readonly method?: Exclude<Method, "GET">;
}

/** Declares a lookup: read-only reference data. */
export function lookup<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Request<Types> & Answers<Types>>,
): Lookup<Types> {
  return declare("lookup", declaration);
}

/** Declares a read: any private read that is neither reference data nor a list. */
export function read<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Request<Types> & Answers<Types>>,
): Read<Types> {
  return declare("read", declaration);
}

/** Declares a quote: a calculation that stores nothing. */
export function quote<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Request<Types> & Answers<Types>>,
): Quote<Types> {
  return declare("quote", declaration);
}

/** Declares a submission: something that creates or changes at the insurer, and is never sent twice. */
export function submission<Types extends EndpointTypes>(
  declaration: NoInfer<Place & Request<Types> & Answers<Types> & SubmissionExtras>,
): Submission<Types> {
  return declare("submission", declaration);
}

/** Declares a search: a paged list, newest first. */
export function search<Types extends SearchTypes>(
  declaration: NoInfer<Place & Request<Types> & { readonly item: Schema<Types["item"]> }>,
): Search<Types> {
  const { item, ...rest } = declaration;
  return declare("search", { ...rest, response: { 200: page(item) } });
}

/** Declares a document: a file that is streamed. */
export function document<Types extends Omit<EndpointTypes, "response">>(
  declaration: NoInfer<Place & Request<Types> & { readonly file: DocumentFile }>,
): Document<Types> {
  return declare("document", { ...declaration, response: {} });
}

interface Declaration extends Place, OutcomeDeclaration {
  readonly method?: Method;
  readonly params?: Schema<unknown>;
  readonly query?: Schema<unknown>;
  readonly body?: Schema<unknown>;
  readonly response: Readonly<Record<number, Schema<unknown>>>;
  readonly file?: DocumentFile;
}

function declare<Kind extends EndpointKind>(
  kind: Kind,
  declaration: Declaration,
): Endpoint<Kind, never> {
  return Object.freeze({ kind, method: kindPolicies[kind].methods[0], ...declaration });
}
