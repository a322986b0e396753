import type { Endpoint } from "@insurance-gateway/core/contract";
import type { IdentifierScope } from "@insurance-gateway/core/runtime";
import type { LimitCaller } from "../callers/caller-limits.ts";
import type { RequiredScope } from "../callers/permit.ts";
import type { Upstream } from "../insurers/insurer.ts";
import type { ValidateInput } from "./validate.ts";

/** One declared endpoint as the gateway serves it. */
export interface ProviderRoute {
  readonly endpoint: Endpoint;
  /** The endpoint's name in its provider: `createApplication`. */
  readonly name: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The path template for logs, with the segment and without values. */
  readonly template: string;
  /** The scopes that allow a call of this route. */
  readonly scope: RequiredScope;
  readonly validate: ValidateInput;
  readonly upstream: Upstream;
  /** Counts a request of a caller against the rate limit of the provider. */
  readonly limitCaller: LimitCaller;
  /** The submissions among which the insurer's identifier of this endpoint is unique. */
  readonly unique: IdentifierScope;
  /** Maximum time for sending a submission and reading its answer, in milliseconds. */
  readonly submissionMs: number;
}
