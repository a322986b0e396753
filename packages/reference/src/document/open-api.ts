import type { FailureRow, Paging, ReconcileDeclaration } from "@insurance-gateway/core/contract";
import type { Advice } from "@insurance-gateway/core/problems";
import type { EndpointKind, Method, OutcomeDeclaration } from "@insurance-gateway/core/runtime";
import type { Labels } from "../documentation/documentation.ts";

/** A JSON Schema of the 2020-12 dialect, as embedded in OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly examples?: readonly unknown[];
  readonly "x-labels"?: Labels;
}

/** A reference to a named object in `components`. */
export interface Reference {
  readonly $ref: string;
}

/** A named example of a body. */
export interface ExampleObject {
  readonly summary: string;
  readonly value: unknown;
}

/** A body of one media type. */
export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ExampleObject>>;
  /** For a multipart form: the media types of its files. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

/** The request body of an operation. */
export interface RequestBodyObject {
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** A response header. */
export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A parameter of a request outside its body. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  /** The syntax of a list or an object. Default: OpenAPI's default for the parameter's place (`in`). */
  readonly style?: "form" | "deepObject";
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ExampleObject>>;
  readonly "x-labels"?: Labels;
}

/** One meaning of a problem's code at an endpoint, with outcome and retry advice. */
export interface CodeMeaning extends Advice {
  /** The condition in Markdown; undefined for the usual meaning. */
  readonly when?: string;
}

/** All possible meanings of an endpoint's problems, by code. */
export type OutcomesByCode = Readonly<Record<string, readonly CodeMeaning[]>>;

/** An answer as an OpenAPI response. */
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** The operations to which the answer leads. */
  readonly links?: Readonly<
    Record<string, { readonly operationRef: string; readonly description: string }>
  >;
  readonly "x-outcome"?: OutcomesByCode;
}

/** A code snippet in one language for the reference page of an endpoint. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** An endpoint as an OpenAPI operation. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly "x-kind": EndpointKind;
  readonly "x-acts-at-insurer": boolean;
  /**
   * For a submission with a reconciliation query: the search that shows whether the insurer carried out the
   * submission.
   */
  readonly "x-reconciliation"?: Pick<ReconcileDeclaration, "endpoint" | "parameters">;
  /** For a search: its paging parameters and the fields of its pages. */
  readonly "x-paging"?: Paging;
  readonly "x-verified"?: Verification;
  readonly "x-labels"?: Labels;
}

/** The record that an endpoint was called successfully at the real insurer. */
export interface Verification {
  /** The day of the call: `2026-11-23`. */
  readonly date: string;
  readonly environment: "production" | "test";
}

/** An endpoint as its provider's package describes it, without the gateway's additions. */
export interface ProviderOperation {
  readonly operationId: string;
  readonly summary: string;
  /** The endpoint's comment after its first sentence; "" if there is no more text. */
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBodyObject;
  /** The success answers. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly "x-kind": EndpointKind;
  /** The paging of a search; undefined if the search does not declare `paging`. */
  readonly "x-paging"?: Paging;
  /** For an endpoint that was called at its insurer: the record in the package's `verified.json`. */
  readonly "x-verified"?: Verification;
  readonly "x-labels"?: Labels;
  readonly "x-outcome-rules"?: OutcomeRules;
}

/**
 * An endpoint's outcome rules, which decide whether a request is sent twice. Releases compare these rules; the gateway
 * does not serve them.
 */
export interface OutcomeRules extends Omit<OutcomeDeclaration, "same"> {
  readonly same?: readonly (string | NormalisedPlace)[];
  readonly failures?: readonly FailureRow[];
}

/** A field that identifies a submission in a search, with the results of the function that normalises the field. */
export interface NormalisedPlace {
  readonly at: string;
  readonly normaliser: string;
  /** The normal form of each example of the normaliser. */
  readonly forms: Readonly<Record<string, string>>;
}

/**
 * The provider's own part of the contract: paths, schemas and examples. `completeDocument` adds the texts of core and
 * of the gateway, so a changed text of core changes no provider's part.
 */
export interface ProviderDocument {
  readonly openapi: "3.1.1";
  readonly info: Pick<OpenApiDocument["info"], "title" | "version" | "summary" | "x-provider"> & {
    /**
     * The rules by which the gateway recognises failures of all endpoints: the provider's rules, then the adapter's
     * rules. Releases compare these rules; the gateway does not serve the rules.
     */
    readonly "x-failures"?: readonly FailureRow[];
  };
  readonly paths: Readonly<
    Record<string, Partial<Readonly<Record<Lowercase<Method>, ProviderOperation>>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The operations of one path. */
export type PathItem = Partial<Readonly<Record<Lowercase<Method>, Operation>>>;

/** A tag: a named group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** A server that serves the operations of a document. */
export interface Server {
  readonly url: string;
  readonly description: string;
  /** True if only the operator's own staff can reach the server. */
  readonly "x-internal": boolean;
}

/** An OpenAPI 3.1 document with the parts that this project writes. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
    readonly contact: { readonly name: string; readonly url: string };
    readonly "x-provider": {
      readonly id: string;
      readonly name: string;
      readonly lines: readonly string[];
      /** The package that declares the provider. */
      readonly package: string;
    };
  };
  readonly servers: readonly Server[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
