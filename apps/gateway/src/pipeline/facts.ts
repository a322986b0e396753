import type { FoundRoute } from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import type { LimitHeaders } from "../callers/caller-limits.ts";
import type { Answer } from "../http/send-answer.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { OwnRoute } from "./own-routes.ts";

/** A route to a provider's endpoint, or one of the gateway's own routes. */
export type Route = ProviderRoute | OwnRoute;

/**
 * The facts about a request that are known so far; each step of the pipeline adds some. Refusals, the log and the
 * metrics use these facts for every request, regardless of the step at which the request ended.
 */
export interface RequestFacts {
  readonly caller: Caller | undefined;
  /** The pseudonym that stands for the caller in the log; null if the store is unavailable. */
  readonly pseudonym: string | null;
  /** Headers of the answer that state the caller's rate limit and remaining requests. */
  readonly limits: LimitHeaders | undefined;
  readonly found: FoundRoute<Route> | undefined;
  /** The id of the caller's account at the insurer of the route. */
  readonly account: string | undefined;
  /** Counts an admitted request as failed; undefined before the request is admitted. */
  readonly countFailure: (() => void) | undefined;
  /** True if the request has begun a submission: then a problem states the submission's outcome. */
  readonly isSubmitted: boolean;
  /** The path template of the documentation page that answers the request. */
  readonly pageTemplate: string | undefined;
  /** The problem with which the request was answered; undefined for a success. */
  readonly problem: RequestProblem | undefined;
}

/** The problem of a request, as the log and the metrics name it. */
export interface RequestProblem {
  readonly code: string;
  readonly outcome: string;
  readonly reason?: string;
}

/** The facts about a request before the first step. */
export const NO_FACTS: RequestFacts = {
  caller: undefined,
  pseudonym: null,
  limits: undefined,
  found: undefined,
  account: undefined,
  countFailure: undefined,
  isSubmitted: false,
  pageTemplate: undefined,
  problem: undefined,
};

/** The answer that the pipeline has created for a request, with the facts about the request. */
export interface PipelineResult {
  readonly answer: Answer;
  readonly facts: RequestFacts;
}
