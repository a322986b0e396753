import type { ProviderStatuses } from "../availability/provider-status.ts";
import type { Insurers } from "../insurers.ts";
import { partOf } from "../processes/share.ts";
import { createCallerLimit } from "../resilience/caller-limits.ts";
import type { Submissions } from "../submissions/submissions.ts";
import type { OwnRoute } from "./route.ts";
import type { PlacedRoute } from "./route-table.ts";

/**
 * What one caller may ask of all processes together: as much as of a provider. The states of submissions have a limit of their
 * own: a caller that has used up another one must still find out what became of a submission.
 */
const OWN_LIMIT = { requests: 600, windowSeconds: 60 };

/** The gateway's own routes: the state of a submission, the status of the insurers, and the scenarios of simulated ones. */
export function ownRoutes(
  basePath: string,
  { scenarios }: Pick<Insurers, "scenarios">,
  submissions: Pick<Submissions, "status">,
  providers: ProviderStatuses,
  processes: number,
): readonly PlacedRoute[] {
  const ownLimit = { ...OWN_LIMIT, requests: partOf(OWN_LIMIT.requests, processes) };
  const limitCaller = createCallerLimit(() => ownLimit);
  const limitStates = createCallerLimit(() => ownLimit);
  const routes: readonly OwnRoute[] = [
    {
      limitCaller: limitStates,
      template: "/submissions/{submissionId}",
      answer: ({ caller, params }) => submissions.status(caller, params.submissionId ?? ""),
    },
    { limitCaller, template: "/providers", answer: async () => providers.list() },
    {
      limitCaller,
      template: "/providers/{segment}/status",
      answer: ({ params }) => providers.one(params.segment ?? ""),
    },
    ...(scenarios === null
      ? []
      : [
          {
            limitCaller,
            template: "/sandbox/scenarios",
            answer: async () => ({ items: scenarios }),
          },
        ]),
  ];
  return routes.map((route) => ({ method: "GET", path: basePath + route.template, route }));
}
