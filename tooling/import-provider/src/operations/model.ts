import type { FileType } from "@insurance-gateway/core/contract";
import type { EndpointKind, Method } from "@insurance-gateway/core/runtime";
import type { JsonObject } from "../document/references.ts";
import type { Definition } from "../schemas/model.ts";
import type { OperationOptions } from "./options.ts";

/** One media type of a body or an answer with its schema. */
export interface ImportedMedia {
  readonly mediaType: string;
  readonly definition: Definition;
}

/** The answer of one success status; no media for one without a body. */
export interface ImportedAnswer {
  readonly status: number;
  readonly media: readonly ImportedMedia[];
  readonly headers?: Definition;
}

/** How a query parameter is written to the insurer, where that is another way than the contract's. */
export type QueryStyle = "pipes" | "spaces" | "fields" | "json";

/** How the insurer's operation differs on the wire from its declaration. */
export interface ImportedCall {
  /** The insurer's path template, where the public one is another. */
  readonly path?: string;
  readonly query: Readonly<Record<string, { readonly name?: string; readonly style?: QueryStyle }>>;
  /** The insurer's cookie for a public header. */
  readonly cookies: Readonly<Record<string, string>>;
  /** The parameters that have the value of a setting. */
  readonly settings: {
    readonly path: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly cookies: Readonly<Record<string, string>>;
  };
}

/** An operation of the document, as an endpoint. */
export interface ImportedEndpoint {
  /** As the document has it: `GET /policies/{id}`. */
  readonly operation: string;
  readonly pointer: string;
  readonly name: string;
  readonly kind: EndpointKind;
  readonly method: Method;
  /** The public path, after the provider's segment. */
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
  /** The document's examples: of parameters by name, of the body, of the first answer. */
  readonly examples: {
    readonly params: JsonObject;
    readonly query: JsonObject;
    readonly headers: JsonObject;
    readonly body: readonly unknown[];
    readonly answer: readonly unknown[];
  };
}
