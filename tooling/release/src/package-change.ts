import type { ChangeLevel } from "@insurance-gateway/contract-diff";

/** A difference between the published and the packed package. */
export interface PackageChange {
  readonly level: ChangeLevel;
  /** The place of the change: endpoint and JSON Pointer, or entry point and name. */
  readonly place: string;
  /** The change of the package in one sentence. */
  readonly text: string;
}
