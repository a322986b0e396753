/** What the doc comments of one provider's package say: written once, beside the code, and read from there. */
export interface Documentation {
  /** The provider's own comment. */
  readonly provider: string;
  /** What each endpoint's comment says, and the types it was declared with, by its name. */
  readonly endpoints: Readonly<Record<string, EndpointDocumentation>>;
  /** The named types that they lead to. */
  readonly types: Readonly<Record<string, TypeDocumentation>>;
}

/** One endpoint. */
export interface EndpointDocumentation {
  readonly text: string;
  readonly parts: { readonly [Part in EndpointPart]?: TypeReference };
}

/** What an endpoint takes and gives. */
export type EndpointPart =
  | "params"
  | "query"
  | "headers"
  | "body"
  | "response"
  /** The item of a search, and its whole page where that is not the usual one. */
  | "item"
  | "page"
  /** The answer of one status, where answers differ by it. */
  | `response ${number}`;

/** A named type: an interface with its properties, or a name for something simpler. */
export interface TypeDocumentation {
  readonly text: string;
  readonly properties: Readonly<Record<string, PropertyDocumentation>>;
  /** What a name for one of several types, or for a list, stands for. */
  readonly meaning?: TypeReference;
}

/** One property of an interface. */
export interface PropertyDocumentation {
  readonly text: string;
  readonly type: TypeReference;
}

/** A type as it is written at a property: a name, a list of something, one of several, or none of these. */
export interface TypeReference {
  /** The name in `types`. */
  readonly name?: string;
  /** What a list holds. */
  readonly items?: TypeReference;
  /** What it may be, null left out, where that is more than one thing. */
  readonly members?: readonly TypeReference[];
}

/** The documentation of a provider that has none: what is generated rather than written. */
export const noDocumentation: Documentation = { provider: "", endpoints: {}, types: {} };

/** The first sentence of a text. */
export function summaryOf(text: string): string {
  const [sentence = ""] = /^.*?(?<!\b(?:e\.g|i\.e|cf|etc))\.(?=\s|$)/s.exec(text) ?? [text];
  return sentence.replaceAll(/\s+/g, " ").replace(/\.$/, "").trim();
}
