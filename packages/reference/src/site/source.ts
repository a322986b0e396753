import type { Advice, ProblemCode } from "@insurance-gateway/core/problems";
import type { OpenApiDocument } from "../document/open-api.ts";

/** A test value or header that makes a simulated insurer do something particular. */
export interface ScenarioOnPage {
  readonly provider: string;
  readonly name: string;
  readonly endpoint: string;
  readonly effect: string;
  /** The trigger beside the header: `holder.afm is 000000036`. */
  readonly when: string | null;
  /** The problem that the gateway answers with; null if the call succeeds. */
  readonly problem: (Advice & { readonly code: ProblemCode }) | null;
}

/** One provider of the catalogue. */
export interface ProviderOnPage {
  readonly id: string;
  /** Its real path segment; "" for the gateway itself. */
  readonly segment: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** The complete document of its package; null while it declares no endpoint. */
  readonly document: OpenApiDocument | null;
  /** The changelog of its package, as Markdown; null before its first release. */
  readonly changelog: string | null;
}

/** A provider with a document: one without an endpoint has none. */
export type DescribedProvider = ProviderOnPage & {
  readonly document: NonNullable<ProviderOnPage["document"]>;
};

/** The content of the pages. */
export interface SiteSource {
  readonly providers: readonly ProviderOnPage[];
  readonly scenarios: readonly ScenarioOnPage[];
  /** The gateway's base address, a path prefix included. */
  readonly address: string;
  /** The path prefix alone, or "". */
  readonly basePath: string;
  /** Whether pages may offer a token of the development issuer. */
  readonly developmentToken: boolean;
  /** The gateway's limits, as lines of a table: what, value. */
  readonly limits: readonly (readonly [string, string])[];
}
