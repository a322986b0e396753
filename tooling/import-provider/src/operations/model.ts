import type { FileType } from "@insurance-gateway/core/contract";
import type { EndpointKind, Method } from "@insurance-gateway/core/runtime";
import type { JsonObject } from "../document/references.ts";
import type { Definition } from "../schemas/model.ts";
import type { OperationOptions } from "./options.ts";

/** A media type of a body or an answer, with its schema. */
export interface ImportedMedia {
  readonly mediaType: string;
  readonly definition: Definition;
}

/** The answer of one success status; `media` is empty for an answer without a body. */
export interface ImportedAnswer {
  readonly status: number;
  readonly media: readonly ImportedMedia[];
  readonly headers?: Definition;
}

/** The syntax of a query parameter at the insurer, if this syntax differs from the syntax in the contract. */
export type QueryStyle = "pipes" | "spaces" | "fields" | "json";

/** Differences between an operation's requests at the insurer and its declaration. */
export interface ImportedCall {
  /** The insurer's path template, if it differs from the public path. */
  readonly path?: string;
  readonly query: Readonly<Record<string, { readonly name?: string; readonly style?: QueryStyle }>>;
  /** The insurer's cookie names, by the name of the public header that replaces the cookie. */
  readonly cookies: Readonly<Record<string, string>>;
  /** The parameters whose values are settings of the operator. */
  readonly settings: {
    readonly path: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly cookies: Readonly<Record<string, string>>;
  };
}

/** An operation of the document, converted to an endpoint. */
export interface ImportedEndpoint {
  /** The operation in the document: `GET /policies/{id}`. */
  readonly operation: string;
  readonly pointer: string;
  readonly name: string;
  readonly kind: EndpointKind;
  readonly method: Method;
  /** The public path after the provider's segment. */
  readonly path: string;
  readonly description: string;
  readonly params?: Definition;
  readonly query?: Definition;
  readonly headers?: Definition;
  readonly body?: { readonly required: boolean; readonly media: readonly ImportedMedia[] };
  readonly answers: readonly ImportedAnswer[];
  readonly files?: readonly [FileType, ...FileType[]];
  readonly options: OperationOptions;
  readonly call: ImportedCall;
  /** The examples in the insurer's document: of parameters by name, of the body, and of the first answer. */
  readonly examples: {
    readonly params: JsonObject;
    readonly query: JsonObject;
    readonly headers: JsonObject;
    readonly body: readonly unknown[];
    readonly answer: readonly unknown[];
  };
}
