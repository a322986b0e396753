import type { Endpoint } from "@insurance-gateway/core/contract";
import type { IdentifierScope } from "@insurance-gateway/core/runtime";
import type { LimitCaller } from "../callers/caller-limits.ts";
import type { RequiredScope } from "../callers/permit.ts";
import type { Upstream } from "../insurers/insurer.ts";
import type { ValidateInput } from "./validate.ts";

/** An endpoint of a provider, as the gateway serves it. */
export interface ProviderRoute {
  readonly endpoint: Endpoint;
  /** The name of the endpoint in its provider, such as `createApplication`. */
  readonly name: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The path template for the log: it begins with the segment, and has no values of parameters. */
  readonly template: string;
  /** The scopes with which a caller may use this route. */
  readonly scope: RequiredScope;
  readonly validate: ValidateInput;
  readonly upstream: Upstream;
  /** Counts a request of a caller against the caller's rate limit for the provider. */
  readonly limitCaller: LimitCaller;
  /** The submissions among which the endpoint's insurer never repeats an identifier. */
  readonly unique: IdentifierScope;
  /** Maximum time to send a submission and read its answer, in milliseconds. */
  readonly submissionMs: number;
}
