/** The message that contains a value. Requests are closed: they have only declared fields. Answers are open. */
export type Side = "request" | "answer";

/** A value that an enumeration can contain. */
export type Scalar = string | number | boolean;

/** The JSON Schema limits of a text. */
export interface StringRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The source of a regular expression (ECMA-262, with the flag `u`). */
  readonly pattern?: string;
  /** A pattern that the package does not check but that its examples match. */
  readonly uncheckedPattern?: string;
  readonly format?: string;
}

/** The JSON Schema limits of a number. */
export interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** The format of the number, which the contract publishes and the package does not check. */
  readonly format?: string;
}

/** The limits of a list's length. */
export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** The limits of a map's size. */
export interface MapRules {
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A field of an object. */
export interface Field {
  /** The name of the field in requests and answers. */
  readonly name: string;
  readonly schema: SchemaNode;
  readonly required: boolean;
  /** The text of the doc comment. */
  readonly description: string;
}

/** An object with named fields. */
export interface ObjectNode {
  readonly type: "object";
  readonly fields: readonly Field[];
  /** Undeclared fields: refused, accepted with any value, or accepted with a common schema. */
  readonly others: "closed" | "open" | SchemaNode;
  /**
   * The groups of field lists, from `anyOf: [{ required: ["a"] }, …]`. A value must have all fields of at least one
   * list of each group.
   */
  readonly needsOneOf: readonly (readonly (readonly string[])[])[];
}

/** Alternatives of which one must match; with `by`, the value of a field selects the alternative. */
export interface UnionNode {
  readonly type: "union";
  /** `one`: exactly one alternative matches; `any`: at least one matches. */
  readonly mode: "one" | "any";
  readonly alternatives: readonly SchemaNode[];
  readonly by?: {
    readonly property: string;
    readonly values: readonly (readonly [value: string, alternative: SchemaNode])[];
    /** True if the field may have another value, as in answers. */
    readonly open: boolean;
  };
}

/** A schema of the insurer's document in the form in which the package declares it. */
export type SchemaNode =
  | ({ readonly type: "string" } & StringRules)
  | ({ readonly type: "number" | "integer" } & NumberRules)
  /** A 64-bit whole number, represented as a string of digits. */
  | { readonly type: "digits" }
  | { readonly type: "boolean" }
  | { readonly type: "null" }
  /** Any JSON value. */
  | { readonly type: "anything" }
  /** One of these values; with `open`, also any other text. */
  | { readonly type: "enum"; readonly values: readonly Scalar[]; readonly open: boolean }
  | ({ readonly type: "list"; readonly item: SchemaNode; readonly joined?: boolean } & ListRules)
  | ({ readonly type: "map"; readonly value: SchemaNode } & MapRules)
  | { readonly type: "nullable"; readonly inner: SchemaNode }
  /** A file: a part of a form, or a whole body. */
  | { readonly type: "file"; readonly mediaTypes?: readonly [string, ...string[]] }
  | ObjectNode
  | UnionNode
  /** A definition with a separate name. */
  | { readonly type: "named"; readonly definition: Definition };

/** The subject of a file of schemas: a schema of the document with its nested schemas, or an operation. */
export interface Home {
  /** A JSON Pointer, unique in the document. */
  readonly id: string;
  readonly title: string;
}

/** A named schema: an interface or a type, and the constant that validates it. */
export interface Definition {
  readonly side: Side;
  /** The document's name of the schema, or words that describe its place. */
  readonly title: string;
  /** The file that contains the definition. */
  readonly home: Home;
  /** The schema of the definition. It is set when the schema is read, because definitions can refer to themselves. */
  node: SchemaNode;
  description: string;
}

/** Returns the schemas directly inside a schema. */
function partsOf(node: SchemaNode): readonly SchemaNode[] {
  switch (node.type) {
    case "object":
      return [
        ...node.fields.map(({ schema }) => schema),
        ...(typeof node.others === "string" ? [] : [node.others]),
      ];
    case "union":
      return [...node.alternatives, ...(node.by?.values.map(([, schema]) => schema) ?? [])];
    case "list":
      return [node.item];
    case "map":
      return [node.value];
    case "nullable":
      return [node.inner];
    default:
      return [];
  }
}

/** Returns the definitions that a schema uses directly. */
export function definitionsIn(node: SchemaNode): readonly Definition[] {
  return node.type === "named" ? [node.definition] : partsOf(node).flatMap(definitionsIn);
}
