import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  findSubmission,
  type ListedScenario,
  listProviders,
  listScenarios,
  type PlacedRoute,
  type ProviderHistory,
  type ProviderStatusList,
  type ResponseOf,
  readKeyLookup,
  readProviderStatus,
  readSubmission,
  requireNoQuery,
  type StatusAnswer,
  type SubmissionStatus,
} from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import { createCallerLimit, type LimitCaller } from "../callers/caller-limits.ts";
import type { RequestHead } from "../http/exchange.ts";
import type { Submissions } from "../submissions/submissions.ts";

/**
 * The rate limit of a caller for the gateway's own routes. Queries for the states of submissions have a separate limit,
 * because a caller that has used up another limit must still be able to query a submission.
 */
const OWN_ROUTES_LIMIT = { requests: 600, windowSeconds: 60 };

/** A caller's request for one of the gateway's own routes. */
export interface OwnRouteRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Returns the decoded query; throws a Refusal if the query cannot be decoded. */
  readonly query: () => URLSearchParams;
  readonly headers: RequestHead["headersDistinct"];
}

/** The parts of the gateway from which its own routes answer. */
export interface OwnRouteParts {
  readonly submissions: Pick<Submissions, "status" | "statusByKey">;
  /** The state of the insurers, as callers may see it. */
  readonly providers: {
    readonly list: () => ProviderStatusList;
    readonly one: (segment: string) => Promise<ProviderHistory>;
  };
  /** The scenarios of the sandbox; null if no insurer is simulated. */
  readonly scenarios: readonly ListedScenario[] | null;
}

/** A route that the gateway answers itself, with JSON. */
export interface OwnRoute {
  readonly template: string;
  readonly limitCaller: LimitCaller;
  readonly answer: AnswerOwnRoute;
}

type AnswerOwnRoute<Body = unknown> = (
  request: OwnRouteRequest,
  parts: OwnRouteParts,
) => Promise<OwnRouteAnswer<Body>>;

/** The answer of one of the gateway's own routes: a JSON value, and further headers. */
export interface OwnRouteAnswer<Body = unknown> {
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the gateway's own routes. Each is declared in the package core, and its answer has the declared type. */
export function createOwnRoutes(
  basePath: string,
  { hasScenarios }: { readonly hasScenarios: boolean },
): readonly PlacedRoute<OwnRoute>[] {
  const limitCaller = createCallerLimit(() => OWN_ROUTES_LIMIT);
  const limitStates = createCallerLimit(() => OWN_ROUTES_LIMIT);
  const placed = <Declared extends Endpoint>(
    { method, path, query }: Declared,
    limit: LimitCaller,
    answer: AnswerOwnRoute<ResponseOf<Declared>>,
  ): PlacedRoute<OwnRoute> => ({
    method,
    path: basePath + path,
    route: {
      template: path,
      limitCaller: limit,
      async answer(request, parts) {
        if (query === undefined) requireNoQuery(request.query());
        return answer(request, parts);
      },
    },
  });
  const scenarioRoute = placed(listScenarios, limitCaller, async (_, { scenarios }) => ({
    body: { items: scenarios ?? [] },
  }));
  return [
    placed(readSubmission, limitStates, async ({ caller, params }, { submissions }) =>
      createStateAnswer(await submissions.status(caller, params.submissionId ?? "")),
    ),
    placed(findSubmission, limitStates, async ({ caller, headers, query }, { submissions }) =>
      createStateAnswer(
        await submissions.statusByKey(caller, readKeyLookup(query(), headers["idempotency-key"])),
      ),
    ),
    placed(listProviders, limitCaller, async (_, { providers }) => ({ body: providers.list() })),
    placed(readProviderStatus, limitCaller, async ({ params }, { providers }) => ({
      body: await providers.one(params.segment ?? ""),
    })),
    ...(hasScenarios ? [scenarioRoute] : []),
  ];
}

/**
 * Creates the answer with a submission's state; `Retry-After` says when to query again, for callers without a clock.
 */
function createStateAnswer({
  retryAfterSeconds,
  ...body
}: StatusAnswer): OwnRouteAnswer<SubmissionStatus> {
  const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
  return { body, headers };
}
