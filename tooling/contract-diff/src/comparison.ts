import type { Finding, Location } from "./finding.ts";
import type { Sameness } from "./sameness.ts";
import type { VersionedSchema } from "./side.ts";

/** Compares the schemas of two versions of a contract, including everything inside them. */
export interface Comparison {
  readonly areSame: Sameness;
  readonly compare: (
    before: VersionedSchema,
    after: VersionedSchema,
    at: Location,
  ) => readonly Finding[];
  /** Reports whether a schema provably allows every value that another schema allows. */
  readonly contains: (outer: VersionedSchema, inner: VersionedSchema) => boolean;
}
