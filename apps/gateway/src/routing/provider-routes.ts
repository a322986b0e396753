import { identifierOf } from "@insurance-gateway/core/contract";
import { requiredScope } from "../callers/permit.ts";
import type { CompareConfiguration } from "../configuration/file.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import { createValidate } from "../pipeline/validate.ts";
import type { ProviderRoute } from "./route.ts";
import type { PlacedRoute } from "./route-table.ts";

/** What the settings of a provider make of its routes. */
interface RouteSettings extends Pick<ProviderRoute, "limitCaller" | "submissionMs" | "upstream"> {
  /** The scopes of identifiers that the operator has changed, by endpoint. */
  readonly identifiers: CompareConfiguration["identifiers"];
}

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
  return ({ identifiers, ...settings }) =>
    declared.map(({ route, ...place }) => {
      const unique = identifiers[route.name] ?? identifierOf(route.endpoint)?.unique ?? "provider";
      return { ...place, route: { ...route, ...settings, unique } };
    });
}
