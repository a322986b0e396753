import { askedKey, type StatusAnswer } from "@insurance-gateway/core/runtime";
import type { Caller } from "../callers/caller.ts";
import { createCallerLimit, type LimitCaller } from "../callers/caller-limits.ts";
import type { RequestHead } from "../http/exchange.ts";
import type { PlacedRoute } from "../routing/route-table.ts";
import type { Submissions } from "../submissions/submissions.ts";

/**
 * What one caller may ask: as much as of a provider. The states of submissions have a limit of their
 * own: a caller that has used up another one must still find out what became of a submission.
 */
const OWN_LIMIT = { requests: 600, windowSeconds: 60 };

/** A request for one of the gateway's own routes, with its caller. */
export interface OwnRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Returns the query, decoded; throws a Refusal if it cannot be decoded. */
  readonly query: () => URLSearchParams;
  readonly headers: RequestHead["headersDistinct"];
}

/** The parts of the gateway that its own routes ask. */
export interface OwnParts {
  readonly submissions: Pick<Submissions, "status" | "statusByKey">;
  /** The status of the insurers. */
  readonly providers: {
    readonly list: () => unknown;
    readonly one: (segment: string) => Promise<unknown>;
  };
  /** The scenarios of the simulated insurers; null when no insurer is simulated. */
  readonly scenarios: readonly unknown[] | null;
}

/** A route of the gateway itself; it answers with a JSON value. */
export interface OwnRoute {
  readonly template: string;
  readonly limitCaller: LimitCaller;
  readonly answer: (request: OwnRequest, parts: OwnParts) => Promise<OwnAnswer>;
}

/** The answer of an own route: a body for JSON, and headers of its own. */
export interface OwnAnswer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The gateway's own routes: the state of a submission, the status of the insurers, and the scenarios of simulated ones. */
export function ownRoutes(
  basePath: string,
  { hasScenarios }: { readonly hasScenarios: boolean },
): readonly PlacedRoute<OwnRoute>[] {
  const limitCaller = createCallerLimit(() => OWN_LIMIT);
  const limitStates = createCallerLimit(() => OWN_LIMIT);
  const routes: readonly OwnRoute[] = [
    {
      limitCaller: limitStates,
      template: "/submissions/{submissionId}",
      answer: async ({ caller, params }, { submissions }) =>
        stateAnswer(await submissions.status(caller, params.submissionId ?? "")),
    },
    {
      limitCaller: limitStates,
      template: "/submissions",
      answer: async ({ caller, headers, query }, { submissions }) =>
        stateAnswer(
          await submissions.statusByKey(caller, askedKey(query(), headers["idempotency-key"])),
        ),
    },
    {
      limitCaller,
      template: "/providers",
      answer: async (_, { providers }) => ({ body: providers.list() }),
    },
    {
      limitCaller,
      template: "/providers/{segment}/status",
      answer: async ({ params }, { providers }) => ({
        body: await providers.one(params.segment ?? ""),
      }),
    },
    {
      limitCaller,
      template: "/sandbox/scenarios",
      answer: async (_, { scenarios }) => ({ body: { items: scenarios } }),
    },
  ];
  return routes
    .filter(({ template }) => hasScenarios || template !== "/sandbox/scenarios")
    .map((route) => ({ method: "GET", path: basePath + route.template, route }));
}

/** The state of a submission, with the time to ask again as `Retry-After`, too: it needs no clock of the caller. */
function stateAnswer({ retryAfterSeconds, ...body }: StatusAnswer): OwnAnswer {
  const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
  return { body, headers };
}
