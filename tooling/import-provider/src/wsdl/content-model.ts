import type { XmlField } from "@insurance-gateway/adapter/soap";
import type { JsonObject } from "../document/references.ts";
import type { Declared, Kind } from "./declared.ts";
import type { SchemaFile } from "./load.ts";
import type { QName, XmlNode } from "./nodes.ts";

/** The parts of a schema that are not represented, for requests and for answers: null if nothing is lost. */
export interface TypeLoss {
  readonly at: string;
  readonly effect: string;
  readonly request: "lost" | "loosened" | null;
  readonly answer: "lost" | "loosened" | null;
}

/** One field of a type, for JSON and for XML. */
export interface TypeField {
  readonly field: XmlField;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The content of an element with a complex type. */
export interface Content {
  readonly fields: readonly TypeField[];
  /** Groups of lists of fields: one list of each group must be complete. */
  readonly needsOneOf: readonly (readonly (readonly string[])[])[];
  readonly losses: readonly TypeLoss[];
}

/** An element or attribute by its own type. */
export interface Leaf {
  readonly schema: JsonObject;
  readonly field: Omit<XmlField, "name">;
  readonly unchecked: readonly string[];
}

/** Where the declarations of a document are found. */
export interface Declarations {
  find(kind: Kind, name: QName, from: XmlNode): Declared;
  /** Reports whether other elements may replace an element (`substitutionGroup`). */
  hasSubstitutes(name: QName): boolean;
  /**
   * The type of an element or attribute.
   * @param global - its name, where it is a global element that others refer to
   */
  leafOf(declared: Declared, owner: string, global?: QName): Leaf;
  /** Returns the content of a type that another one extends or restricts. */
  inherited(derivation: Derivation): Content;
}

/** How a type extends or restricts another one. */
export interface Derivation {
  readonly base: QName;
  /** The `extension` or `restriction`. */
  readonly from: XmlNode;
  readonly file: SchemaFile;
  readonly owner: string;
  /** How many types are being read around this one. */
  readonly depth: number;
}

/** Groups in groups, and types that extend types: a longer chain is a circle. */
export const DEEPEST = 60;

/** One type while it is read. */
export interface Reading {
  readonly declarations: Declarations;
  readonly owner: string;
  readonly losses: TypeLoss[];
  /** How many parts were read. */
  steps: number;
}

/** Reports what is lost; in answers less than in requests, where nothing else is given. */
export function lose(
  { losses }: Reading,
  { at }: XmlNode,
  effect: string,
  request: "lost" | "loosened",
  answer: TypeLoss["answer"] = "loosened",
): void {
  losses.push({ at, effect, request, answer });
}
