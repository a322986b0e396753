import type { InstalledProvider } from "../configuration/providers.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { createValidate } from "../validation/validate.ts";
import type { PlacedRoute } from "./route-table.ts";

/** The routes of a provider, made of its declarations. */
export function providerRoutes(
  { provider, segment, timeouts }: InstalledProvider,
  basePath: string,
  jsonDepth: number,
  upstream: Upstream,
): readonly PlacedRoute[] {
  return Object.entries(provider.endpoints).map(([name, endpoint]) => ({
    method: endpoint.method,
    path: `${basePath}/${segment}${endpoint.path}`,
    route: {
      endpoint,
      name,
      segment,
      template: `/${segment}${endpoint.path}`,
      validate: createValidate(endpoint, jsonDepth),
      upstream,
      submissionMs: timeouts.submissionMs,
    },
  }));
}
