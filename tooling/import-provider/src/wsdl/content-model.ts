import type { XmlField } from "@insurance-gateway/adapter/soap";
import type { JsonObject } from "../document/references.ts";
import type { Declared, Kind } from "./declared.ts";
import type { SchemaFile } from "./load.ts";
import type { QName, XmlNode } from "./nodes.ts";

/** A loss of a type, with the severity in requests and in answers; null if requests or answers lose nothing. */
export interface TypeLoss {
  readonly at: string;
  readonly effect: string;
  readonly request: "lost" | "loosened" | null;
  readonly answer: "lost" | "loosened" | null;
}

/** A field of a type, for JSON and for XML. */
export interface TypeField {
  readonly field: XmlField;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The content of an element with a complex type. */
export interface Content {
  readonly fields: readonly TypeField[];
  /** The groups of field lists. A value must have all fields of at least one list of each group. */
  readonly needsOneOf: readonly (readonly (readonly string[])[])[];
  readonly losses: readonly TypeLoss[];
}

/** An element or attribute with its own type. */
export interface Leaf {
  readonly schema: JsonObject;
  readonly field: Omit<XmlField, "name">;
  readonly unchecked: readonly string[];
}

/** Finds the declarations of a document. */
export interface Declarations {
  find(kind: Kind, name: QName, from: XmlNode): Declared;
  /** Reports whether other elements may replace an element (`substitutionGroup`). */
  hasSubstitutes(name: QName): boolean;
  /**
   * Returns the type of an element or attribute.
   * @param global - the element's name if it is a global element, to which other elements refer
   */
  leafOf(declared: Declared, owner: string, global?: QName): Leaf;
  /** Returns the content of a type that another type extends or restricts. */
  inherited(derivation: Derivation): Content;
}

/** The extension or restriction of a type. */
export interface Derivation {
  readonly base: QName;
  /** The element `extension` or `restriction`. */
  readonly from: XmlNode;
  readonly file: SchemaFile;
  readonly owner: string;
  /** The number of enclosing types in progress. */
  readonly depth: number;
}

/** Maximum length of a chain of groups, or of types that extend each other; a longer chain is a cycle. */
export const MAX_TYPE_LEVELS = 60;

/** The state of reading one type. */
export interface Reading {
  readonly declarations: Declarations;
  readonly owner: string;
  readonly losses: TypeLoss[];
  /** The number of parts read so far. */
  steps: number;
}

/** Adds a loss to a type. Answers lose less than requests, because undeclared parts of an answer are passed on. */
export function addTypeLoss(
  { losses }: Reading,
  { at }: XmlNode,
  effect: string,
  request: "lost" | "loosened",
  answer: TypeLoss["answer"] = "loosened",
): void {
  losses.push({ at, effect, request, answer });
}
