import type { Insurers } from "../insurers.ts";
import type { Submissions } from "../submissions/submissions.ts";
import type { OwnRoute } from "./route.ts";
import type { PlacedRoute } from "./route-table.ts";

/** The gateway's own routes: what became of a submission; and the scenarios, where some insurer is a stand-in. */
export function ownRoutes(
  basePath: string,
  { scenarios }: Pick<Insurers, "scenarios">,
  submissions: Pick<Submissions, "status">,
): readonly PlacedRoute[] {
  const routes: readonly OwnRoute[] = [
    {
      template: "/submissions/{submissionId}",
      answer: ({ caller, params }) => submissions.status(caller, params.submissionId ?? ""),
    },
    ...(scenarios === null
      ? []
      : [{ template: "/sandbox/scenarios", answer: async () => ({ items: scenarios }) }]),
  ];
  return routes.map((route) => ({ method: "GET", path: basePath + route.template, route }));
}
