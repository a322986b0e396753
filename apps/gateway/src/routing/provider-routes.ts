import { requiredScope } from "../authentication/permit.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import { createValidate } from "../validation/validate.ts";
import type { ProviderRoute } from "./route.ts";
import type { PlacedRoute } from "./route-table.ts";

/** What the settings of a provider make of its routes. */
type RouteSettings = Pick<ProviderRoute, "limitCaller" | "submissionMs" | "upstream">;

/** Gives the routes of a provider with the settings that count now. */
export type ProviderRoutes = (settings: RouteSettings) => readonly PlacedRoute[];

/** Makes the routes of a provider of its declarations. */
export function providerRoutes(
  { provider, segment }: Pick<InstalledProvider, "provider" | "segment">,
  basePath: string,
): ProviderRoutes {
  const declared = Object.entries(provider.endpoints).map(([name, endpoint]) => ({
    method: endpoint.method,
    path: `${basePath}/${segment}${endpoint.path}`,
    route: {
      endpoint,
      name,
      segment,
      template: `/${segment}${endpoint.path}`,
      scope: requiredScope(segment, endpoint.kind),
      validate: createValidate(endpoint),
    },
  }));
  return (settings) =>
    declared.map(({ route, ...place }) => ({ ...place, route: { ...route, ...settings } }));
}
