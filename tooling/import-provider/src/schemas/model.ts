/** Who writes a value: callers write requests, which are closed; insurers write answers, which are open. */
export type Side = "request" | "answer";

/** A value that an enumeration can list. */
export type Scalar = string | number | boolean;

/** The rules of JSON Schema for a text. */
export interface StringRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The source of a regular expression (ECMA-262, with the flag `u`). */
  readonly pattern?: string;
  /** A pattern that is not checked, which examples match. */
  readonly uncheckedPattern?: string;
  readonly format?: string;
}

/** The rules of JSON Schema for a number. */
export interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** Published, and not checked. */
  readonly format?: string;
}

/** How many items a list has. */
export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** How many members a map has. */
export interface MapRules {
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** One field of an object. */
export interface Field {
  /** As it is written on the wire. */
  readonly name: string;
  readonly schema: SchemaNode;
  readonly required: boolean;
  /** The text of its doc comment. */
  readonly description: string;
}

/** An object with named fields. */
export interface ObjectNode {
  readonly type: "object";
  readonly fields: readonly Field[];
  /** Further fields: refused, accepted as they are, or all of one schema. */
  readonly others: "closed" | "open" | SchemaNode;
  /** Groups of lists of fields: at least one list of each group must be complete: `anyOf: [{ required: ["a"] }, …]`. */
  readonly needsOneOf: readonly (readonly (readonly string[])[])[];
}

/** Alternatives, of which one fits; with `by`, the value of a field says which. */
export interface UnionNode {
  readonly type: "union";
  /** `one`: exactly one fits; `any`: at least one. */
  readonly mode: "one" | "any";
  readonly alternatives: readonly SchemaNode[];
  readonly by?: {
    readonly property: string;
    readonly values: readonly (readonly [value: string, alternative: SchemaNode])[];
    /** Whether the field may have another value, as in answers. */
    readonly open: boolean;
  };
}

/** A schema of the document, as the package declares it. */
export type SchemaNode =
  | ({ readonly type: "string" } & StringRules)
  | ({ readonly type: "number" | "integer" } & NumberRules)
  /** A 64-bit whole number, which is a string of digits here. */
  | { readonly type: "digits" }
  | { readonly type: "boolean" }
  | { readonly type: "null" }
  /** Anything that JSON can say. */
  | { readonly type: "anything" }
  /** One of these values; with `open`, any other text too. */
  | { readonly type: "enum"; readonly values: readonly Scalar[]; readonly open: boolean }
  | ({ readonly type: "list"; readonly item: SchemaNode; readonly joined?: boolean } & ListRules)
  | ({ readonly type: "map"; readonly value: SchemaNode } & MapRules)
  | { readonly type: "nullable"; readonly inner: SchemaNode }
  /** Bytes: a part of a form, or a whole body. */
  | { readonly type: "file"; readonly mediaTypes?: readonly [string, ...string[]] }
  | ObjectNode
  | UnionNode
  /** A definition, which has a name of its own. */
  | { readonly type: "named"; readonly definition: Definition };

/** The subject of a file of schemas: a schema of the document with its nested schemas, or an operation. */
export interface Home {
  /** Unique in the document: a JSON Pointer. */
  readonly id: string;
  readonly title: string;
}

/** A schema with a name: an interface or a type, with the constant that checks it. */
export interface Definition {
  readonly side: Side;
  /** The document's name for it, or words that describe its position. */
  readonly title: string;
  /** The file that contains it. */
  readonly home: Home;
  /** Set as soon as it is read: definitions refer to themselves. */
  node: SchemaNode;
  description: string;
}

/** The schemas directly inside a schema. */
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

/** The definitions that a schema names, without looking into them. */
export function definitionsIn(node: SchemaNode): readonly Definition[] {
  return node.type === "named" ? [node.definition] : partsOf(node).flatMap(definitionsIn);
}
