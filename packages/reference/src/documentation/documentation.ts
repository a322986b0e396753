/** The texts of the doc comments in one provider's package. */
export interface Documentation {
  /** The provider's own comment. */
  readonly provider: string;
  /** The comment and the declared types of each endpoint, by name. */
  readonly endpoints: Readonly<Record<string, EndpointDocumentation>>;
  /** The named types that the endpoints use. */
  readonly types: Readonly<Record<string, TypeDocumentation>>;
  /** The type name of each schema: `export const holder: Schema<Holder>`. */
  readonly schemas: ReadonlyMap<unknown, string>;
  /**
   * The descriptions of an answer's headers, by the schema of the headers, because no endpoint names the headers' type.
   */
  readonly headers: ReadonlyMap<unknown, Readonly<Record<string, string>>>;
}

/** The documentation of an endpoint. */
export interface EndpointDocumentation {
  readonly text: string;
  /** The endpoint's purpose in other languages. */
  readonly labels?: Labels;
  readonly parts: { readonly [Part in EndpointPart]?: TypeReference };
}

/** The types of an endpoint's input and answer. */
export type EndpointPart =
  | "params"
  | "query"
  | "headers"
  | "body"
  | "response"
  /** The item of a search, and the page unless the search has the default page. */
  | "item"
  | "page"
  /** The answer of each status, if answers differ by status. */
  | `response ${number}`;

/** A named type: an interface with properties, or a name for another type. */
export interface TypeDocumentation {
  readonly text: string;
  readonly properties: Readonly<Record<string, PropertyDocumentation>>;
  /** The type for which the name is an alias, if this type is a list. */
  readonly meaning?: TypeReference;
}

/** A property of an interface. */
export interface PropertyDocumentation {
  readonly text: string;
  /** The label of the field in other languages, from tags such as `@el Αριθμός κυκλοφορίας`. */
  readonly labels?: Labels;
  readonly type: TypeReference;
}

/** The label of a field or endpoint by language. */
export interface Labels {
  /** The label in Greek. */
  readonly el: string;
}

/** A reference to a type: by its name, or as a list of items; empty for any other type. */
export interface TypeReference {
  /** The type's name, which is a key of `types`. */
  readonly name?: string;
  /** The type of the items of a list. */
  readonly items?: TypeReference;
}

/** The empty documentation of a provider without doc comments. */
export const noDocumentation: Documentation = {
  provider: "",
  endpoints: {},
  types: {},
  schemas: new Map(),
  headers: new Map(),
};

/** Returns the first sentence of a text. */
export function summaryOf(text: string): string {
  const [sentence = ""] = /^.*?(?<!\b(?:e\.g|i\.e|cf|etc))\.(?=\s|$)/s.exec(text) ?? [text];
  return sentence.replaceAll(/\s+/g, " ").replace(/\.$/, "").trim();
}
