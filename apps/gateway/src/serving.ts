import type { Issuers, TrustedIssuers } from "./callers/issuers.ts";
import type { Settings } from "./configuration/settings.ts";
import type { Insurers, OpenedInsurers } from "./insurers/insurers.ts";
import type { Route } from "./pipeline/facts.ts";
import type { RequestSettings } from "./pipeline/pipeline.ts";
import type { OpenedReference } from "./reference/open-reference.ts";
import type { ProviderRoutes } from "./routing/provider-routes.ts";
import type { ProviderRoute } from "./routing/route.ts";
import { createRouteTable, type PlacedRoute } from "./routing/route-table.ts";

/** What the gateway serves with until the next reload. A request has one of these from its arrival to its end. */
export interface Serving extends RequestSettings, Settings {
  readonly issuers: TrustedIssuers;
  /** The way to each insurer, by its segment. */
  readonly upstreams: OpenedInsurers["upstreams"];
  /** The routes of the providers. */
  readonly routes: readonly ProviderRoute[];
  /** Closes what no later settings use, when nothing is served with these any more. */
  close(): Promise<void>;
}

/** What goes on through every change of the settings. */
export interface LastingParts {
  readonly issuers: Issuers;
  readonly insurers: Insurers;
  /** Null where it is not served. */
  readonly reference: OpenedReference | null;
  readonly providerRoutes: ProviderRoutes;
  readonly ownRoutes: readonly PlacedRoute<Route>[];
}

/** Opens what settings need, beside what is open already. */
export async function serveWith(
  settings: Settings,
  { insurers, issuers, ownRoutes, providerRoutes, reference }: LastingParts,
): Promise<Serving> {
  const { configuration } = settings;
  const trusted = await issuers.open(configuration);
  const { close, upstreams } = insurers.open(settings);
  const routes = providerRoutes(settings.installed, upstreams);
  return {
    ...settings,
    issuers: trusted,
    upstreams,
    routes: routes.map(({ route }) => route),
    findRoute: createRouteTable<Route>([...routes, ...ownRoutes]),
    limits: configuration.limits,
    reference: reference?.with(settings.configuration, trusted.development) ?? null,
    async close() {
      await Promise.all([close(), trusted.close()]);
    },
  };
}
