import type { Endpoint, IdentifierScope } from "@insurance-gateway/core/contract";
import type { Caller } from "../callers/caller.ts";
import type { LimitCaller } from "../callers/caller-limits.ts";
import type { RequiredScope } from "../callers/permit.ts";
import type { RequestHead } from "../http/exchange.ts";
import type { Upstream } from "../insurers/upstream.ts";
import type { ValidateInput } from "./validate.ts";

/** One declared endpoint as the gateway serves it. */
export interface ProviderRoute {
  readonly endpoint: Endpoint;
  /** The endpoint's name in its provider: `createApplication`. */
  readonly name: string;
  /** The provider's path segment. */
  readonly segment: string;
  /** The path template as logs name it, the segment included: never a value. */
  readonly template: string;
  /** The scopes that allow a call of this route. */
  readonly scope: RequiredScope;
  readonly validate: ValidateInput;
  readonly upstream: Upstream;
  /** Counts a request of a caller of this provider. */
  readonly limitCaller: LimitCaller;
  /** Among which submissions the insurer's identifier of this endpoint is unique. */
  readonly unique: IdentifierScope;
  /** How long sending a submission and reading its answer may take. */
  readonly submissionMs: number;
}

/** A request for one of the gateway's own routes, with its caller. */
export interface OwnRequest {
  readonly caller: Caller;
  readonly params: FoundRoute["params"];
  /** Returns the query, decoded; throws a Refusal if it cannot be decoded. */
  readonly query: () => URLSearchParams;
  readonly headers: RequestHead["headersDistinct"];
}

/** A route of the gateway itself; it answers with a JSON value. */
export interface OwnRoute {
  readonly template: string;
  readonly limitCaller: LimitCaller;
  readonly answer: (request: OwnRequest) => Promise<OwnAnswer>;
}

/** The answer of an own route: a body for JSON, and headers of its own. */
export interface OwnAnswer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Anything the gateway serves. */
export type Route = ProviderRoute | OwnRoute;

/** A route that was found, with the parameters of its path. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}
