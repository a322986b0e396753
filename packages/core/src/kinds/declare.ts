import { documentCode } from "../client/download.ts";
import { type KindCode, kindCode } from "../client/kind-code.ts";
import { searchCode } from "../client/search.ts";
import { submissionCode } from "../client/submission-code.ts";
import type { AnswerDeclaration, AnswersByStatus, ByStatus } from "../contract/answers.ts";
import type { BodyDeclaration } from "../contract/body.ts";
import type {
  Document,
  Endpoint,
  EndpointTypes,
  FileType,
  Lookup,
  OutcomeDeclaration,
  Quote,
  Read,
  Search,
  SearchTypes,
  Submission,
} from "../contract/endpoint.ts";
import type { FailureRow } from "../contract/failures.ts";
import { type EndpointKind, kindPolicies, type Method } from "../contract/kinds.ts";
import type { PageQuery, Paging } from "../contract/page.ts";
import type { Schema } from "../contract/schema.ts";
import { page } from "../schema/paging.ts";

/** Schema of one part of the input; required if the endpoint's types have this part. */
type InputSchemaPart<Types, Name extends "params" | "query" | "headers"> = Name extends keyof Types
  ? { readonly [Key in Name]: Schema<Types[Name]> }
  : { readonly [Key in Name]?: never };

type BodySchemaPart<Types> = Types extends { body: infer Body }
  ? {
      readonly body: Schema<Exclude<Body, undefined>> | BodyDeclaration<Exclude<Body, undefined>>;
    }
  : { readonly body?: never };

/** Schemas of an endpoint's path parameters, query, headers and body. */
type InputSchemas<Types> = InputSchemaPart<Types, "params"> &
  InputSchemaPart<Types, "query"> &
  InputSchemaPart<Types, "headers"> &
  BodySchemaPart<Types>;

interface EndpointBasics {
  /** Id of the endpoint's provider. */
  readonly provider: string;
  /** Path after the provider's segment, with parameters in braces: `/applications/{applicationId}`. */
  readonly path: string;
  /** Meanings of the insurer's error answers. These rows have priority over the provider's rows. */
  readonly failures?: readonly FailureRow[];
}

interface AnswerSchemas<Types extends EndpointTypes> {
  /** Answer of each success status: a schema, or a complete answer declaration. */
  readonly response: Types["response"] extends ByStatus<infer Answered>
    ? {
        readonly [Status in keyof Answered]:
          | Schema<Answered[Status]>
          | AnswerDeclaration<Answered[Status]>;
      }
    : Readonly<Record<number, Schema<Types["response"]> | AnswerDeclaration<Types["response"]>>>;
}

/** Methods of an endpoint that changes nothing at the insurer. */
interface QueryMethod {
  /** HTTP method. A POST sends its query in the body and changes nothing at the insurer either. */
  readonly method?: "GET" | "POST";
}

interface SubmissionExtras extends OutcomeDeclaration {
  /** HTTP method. Default: POST. */
  readonly method?: Exclude<Method, "GET">;
}

/** Declares a lookup: read-only reference data. */
export function lookup<Types extends EndpointTypes>(
  declaration: NoInfer<
    EndpointBasics &
      InputSchemas<Types> &
      AnswerSchemas<Types> &
      Pick<Endpoint, "freshFor" | "perAccount">
  >,
): Lookup<Types> {
  return declare("lookup", declaration);
}

/** Declares a read: a private read of one item. */
export function read<Types extends EndpointTypes>(
  declaration: NoInfer<EndpointBasics & QueryMethod & InputSchemas<Types> & AnswerSchemas<Types>>,
): Read<Types> {
  return declare("read", declaration);
}

/** Declares a quote: a calculation that stores nothing. */
export function quote<Types extends EndpointTypes>(
  declaration: NoInfer<EndpointBasics & QueryMethod & InputSchemas<Types> & AnswerSchemas<Types>>,
): Quote<Types> {
  return declare("quote", declaration);
}

/** Declares a submission: it creates or changes something at the insurer, and is sent only once. */
export function submission<Types extends EndpointTypes>(
  declaration: NoInfer<
    EndpointBasics & InputSchemas<Types> & AnswerSchemas<Types> & SubmissionExtras
  >,
): Submission<Types> {
  return declare("submission", declaration, { submissions: submissionCode });
}

/** Answer type of a search: pages with `start` and `limit`, or pages that the endpoint's `paging` describes. */
type PageSchemas<Types extends SearchTypes> = Types extends { page: infer Other }
  ? { readonly page: Schema<Other>; readonly paging: Paging; readonly item?: never }
  : Types extends { query: PageQuery }
    ? { readonly item: Schema<Types["item"]>; readonly paging?: never; readonly page?: never }
    : never;

/** Declares a search: a paged list, newest first. */
export function search<Types extends SearchTypes>(
  declaration: NoInfer<
    EndpointBasics &
      QueryMethod &
      InputSchemas<Types> &
      PageSchemas<Types> &
      Pick<Endpoint, "echoes">
  >,
): Search<Types> {
  // A declaration has exactly one of the two forms of `Pages`.
  const { item, page: other, ...rest } = declaration as unknown as Declaration & SearchParts;
  return declare("search", { ...rest, response: { 200: other ?? page(item) } }, searchCode);
}

interface SearchParts {
  readonly item: Schema<unknown>;
  readonly page?: Schema<unknown>;
}

/** Declares a document: a file that is streamed. */
export function document<Types extends Omit<EndpointTypes, "response">>(
  declaration: NoInfer<
    EndpointBasics &
      QueryMethod &
      InputSchemas<Types> &
      Pick<Endpoint, "fileName" | "notReady"> &
      DocumentFiles
  >,
): Document<Types> {
  return declare("document", { ...declaration, response: {} }, documentCode);
}

interface DocumentFiles {
  /** File types that the document can have. */
  readonly files: readonly [FileType, ...FileType[]];
}

interface Declaration
  extends EndpointBasics,
    OutcomeDeclaration,
    Pick<Endpoint, "echoes" | "files" | "fileName" | "notReady" | "perAccount"> {
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
  code?: KindCode,
): Endpoint<Kind, never> {
  const [method] = kindPolicies[kind].methods;
  const carried = code === undefined ? {} : { [kindCode]: code };
  return Object.freeze({ kind, method, ...declaration, ...carried });
}
