import { identifierOf, type PlacedRoute } from "@insurance-gateway/core/runtime";
import { createCallerLimit } from "../callers/caller-limits.ts";
import { requiredScope } from "../callers/permit.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { Upstream } from "../insurers/insurer.ts";
import type { ProviderRoute } from "./route.ts";
import { createValidate } from "./validate.ts";

/**
 * Creates the routes of all providers from the newest settings; keeps the compiled schemas and callers' rate limits.
 * @param upstreams - the upstream of each insurer, by its segment
 */
export type ProviderRoutes = (
  installed: readonly InstalledProvider[],
  upstreams: ReadonlyMap<string, Upstream>,
) => readonly PlacedRoute<ProviderRoute>[];

/** Prepares the routes of the installed providers from the declarations of their endpoints. */
export function createProviderRoutes(
  installed: readonly InstalledProvider[],
  basePath: string,
): ProviderRoutes {
  const routesOf = new Map(
    installed.map((provider) => [provider.segment, routesOfProvider(provider, basePath)]),
  );
  return (newest, upstreams) =>
    newest.flatMap((provider) => {
      const upstream = upstreams.get(provider.segment);
      return upstream === undefined
        ? []
        : (routesOf.get(provider.segment)?.(provider, upstream) ?? []);
    });
}

function routesOfProvider(
  { provider, segment, settings: first }: InstalledProvider,
  basePath: string,
): (newest: InstalledProvider, upstream: Upstream) => readonly PlacedRoute<ProviderRoute>[] {
  let settings = first;
  const limitCaller = createCallerLimit(() => settings.callerLimit);
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
      limitCaller,
    },
  }));
  return (newest, upstream) => {
    ({ settings } = newest);
    const { compare, timeouts } = settings;
    return declared.map(({ route, ...place }) => {
      const { endpoint, name } = route;
      const unique = compare.identifiers[name] ?? identifierOf(endpoint)?.unique ?? "provider";
      const { submissionMs } = timeouts;
      return { ...place, route: { ...route, upstream, submissionMs, unique } };
    });
  };
}
