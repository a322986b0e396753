/**
 * The compared part of a provider's `openapi.json`, an OpenAPI 3.1 document. Every document that
 * `@insurance-gateway/reference` writes has this type.
 */
export interface Contract {
  readonly info?: object;
  /** The operations by path and method. Paths begin with the provider's id, and methods are in lower case. */
  readonly paths: Readonly<Record<string, object>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** The release that a change requires (semantic versioning). */
export type ChangeLevel = "major" | "minor" | "patch";

/** The kind of a change: whether the part at the change's `pointer` was added, changed or removed. */
export type ChangeKind = "added" | "changed" | "removed";

/** A difference between two versions of a contract. */
export interface ContractChange {
  /** Method and path without the provider's id: `GET /brands`; null for a change of the whole provider. */
  readonly operation: string | null;
  /** The endpoint's name: `listBrands`; null for a change of the whole provider. */
  readonly endpoint: string | null;
  /**
   * The JSON Pointer of the difference, in the operation with every `$ref` replaced by its schema, or in the document
   * if `operation` is null. For a removed part, the place in the older version. "" is the whole operation.
   */
  readonly pointer: string;
  readonly change: ChangeKind;
  readonly level: ChangeLevel;
  /** One sentence for the users of the provider's package. */
  readonly text: string;
}

/** The levels in descending order, with their meaning for callers of the older version. */
export const levels: Readonly<Record<ChangeLevel, string>> = {
  major: "breaking: callers of the older version can fail",
  minor: "compatible: callers of the older version work as before",
  patch: "texts and examples only",
};

const order = ["major", "minor", "patch"] as const satisfies readonly ChangeLevel[];

/** Returns the smallest correct release for the changes; null without changes. */
export function neededLevel(changes: readonly ContractChange[]): ChangeLevel | null {
  return order.find((level) => changes.some((change) => change.level === level)) ?? null;
}

/** Compares two levels; negative if the first is higher. */
export function compareLevels(one: ChangeLevel, other: ChangeLevel): number {
  return order.indexOf(one) - order.indexOf(other);
}
