import type { Advice, ProblemCode } from "@insurance-gateway/core/problems";
import type { OpenApiDocument } from "../document/open-api.ts";

/** A test value or header with which a simulated insurer behaves in a special way. */
export interface ScenarioOnPage {
  readonly provider: string;
  readonly name: string;
  readonly endpoint: string;
  readonly effect: string;
  /** The trigger besides the header: `holder.afm is 000000036`. */
  readonly when: string | null;
  /** The problem with which the gateway answers; null if the call succeeds. */
  readonly problem: (Advice & { readonly code: ProblemCode }) | null;
}

/** A provider in the reference. */
export interface ProviderOnPage {
  readonly id: string;
  /** The real path segment; "" for the gateway itself. */
  readonly segment: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** The complete document of the package; null if the provider has no endpoints. */
  readonly document: OpenApiDocument | null;
  /** The changelog of the package as Markdown; null before its first release. */
  readonly changelog: string | null;
}

/** A provider that has endpoints and therefore an OpenAPI document. */
export type DescribedProvider = ProviderOnPage & {
  readonly document: NonNullable<ProviderOnPage["document"]>;
};

/** The content of the pages. */
export interface SiteSource {
  readonly providers: readonly ProviderOnPage[];
  readonly scenarios: readonly ScenarioOnPage[];
  /** The gateway's base address with its path prefix. */
  readonly address: string;
  /** The path prefix alone, or "". */
  readonly basePath: string;
  /** True if pages may offer a token of the development issuer. */
  readonly developmentToken: boolean;
  /** The gateway's limits as lines of a table: name, value. */
  readonly limits: readonly (readonly [string, string])[];
}
