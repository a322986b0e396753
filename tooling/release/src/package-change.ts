import type { ChangeLevel } from "@insurance-gateway/contract-diff";

/** A difference between the published package and the packed one. */
export interface PackageChange {
  readonly level: ChangeLevel;
  /** Where it is: endpoint and JSON Pointer, or entry point and name. */
  readonly place: string;
  /** One sentence. */
  readonly text: string;
}
