import type { FoundRoute } from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import type { LimitHeaders } from "../callers/caller-limits.ts";
import type { Answer } from "../http/send-answer.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { OwnRoute } from "./own-routes.ts";

/** A route of a provider, or of the gateway itself. */
export type Route = ProviderRoute | OwnRoute;

/**
 * The known facts about a request, which grow with each step. Refusals, the log and the metrics use them, because
 * they report every request, regardless of the step at which it ended.
 */
export interface RequestFacts {
  readonly caller: Caller | undefined;
  /** The caller's pseudonym in the log; null while the store cannot be reached. */
  readonly pseudonym: string | null;
  /** The caller's remaining limits, as headers of the answer. */
  readonly limits: LimitHeaders | undefined;
  readonly found: FoundRoute<Route> | undefined;
  /** The id of the caller's account at the insurer of the route. */
  readonly account: string | undefined;
  /** Counts an admitted request as failed with a problem. */
  readonly countFailure: (() => void) | undefined;
  /** True if the request became a submission: then the submission's outcome applies. */
  readonly isSubmitted: boolean;
  /** The template of the reference's page that answers. */
  readonly pageTemplate: string | undefined;
  /** The problem with which the request was answered. */
  readonly problem: RequestProblem | undefined;
}

/** The problem of a request, as the log names it. */
export interface RequestProblem {
  readonly code: string;
  readonly outcome: string;
  readonly reason?: string;
}

/** The facts about a request that has just arrived. */
export const NOTHING_KNOWN: RequestFacts = {
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

/** The answer to a request, with the facts about the request. */
export interface PipelineResult {
  readonly answer: Answer;
  readonly facts: RequestFacts;
}
