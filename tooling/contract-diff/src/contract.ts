/**
 * The part of a provider's `openapi.json` that is compared: an OpenAPI 3.1 document. Any document that
 * `@insurance-gateway/reference` writes fits, and so does the parsed text of a committed file.
 */
export interface Contract {
  readonly info?: object;
  /** The operations by path, which begins with the provider's id, and method in lower case. */
  readonly paths: Readonly<Record<string, object>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** How much of a release a change needs (semantic versioning). */
export type ChangeLevel = "major" | "minor" | "patch";

/** The change of the part of the contract that `pointer` names. */
export type ChangeKind = "added" | "changed" | "removed";

/** One difference between two versions of a contract. */
export interface ContractChange {
  /** Method and path without the provider's id: `GET /brands`; null for what concerns the whole provider. */
  readonly operation: string | null;
  /** The endpoint's name: `listBrands`; null for what concerns the whole provider. */
  readonly endpoint: string | null;
  /**
   * The JSON Pointer of the difference: in the operation with every `$ref` replaced by its schema, or in the document if
   * `operation` is null. For a removed part it is the place in the older version. "" is the operation itself.
   */
  readonly pointer: string;
  readonly change: ChangeKind;
  readonly level: ChangeLevel;
  /** One sentence for the users of the provider's package. */
  readonly text: string;
}

/** The levels from the one that matters most, with what each means for callers of the older version. */
export const levels: Readonly<Record<ChangeLevel, string>> = {
  major: "breaking: callers of the older version can fail",
  minor: "compatible: callers of the older version work as before",
  patch: "texts and examples only",
};

const order = ["major", "minor", "patch"] as const satisfies readonly ChangeLevel[];

/** The least correct release for some changes; null for no changes. */
export function neededLevel(changes: readonly ContractChange[]): ChangeLevel | null {
  return order.find((level) => changes.some((change) => change.level === level)) ?? null;
}

/** Compares two levels: negative where the first matters more. */
export function compareLevels(one: ChangeLevel, other: ChangeLevel): number {
  return order.indexOf(one) - order.indexOf(other);
}
