import type { InstalledProvider } from "../configuration/providers.ts";
import { createCallerLimit } from "../resilience/caller-limits.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { createValidate } from "../validation/validate.ts";
import type { PlacedRoute } from "./route-table.ts";

/** The routes of a provider, made of its declarations. */
export function providerRoutes(
  { provider, segment, settings }: InstalledProvider,
  basePath: string,
  jsonDepth: number,
  upstream: Upstream,
): readonly PlacedRoute[] {
  const limitCaller = createCallerLimit(settings.callerLimit);
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
      limitCaller,
      submissionMs: settings.timeouts.submissionMs,
    },
  }));
}
