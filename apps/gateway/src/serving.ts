import type { Issuers, TrustedIssuers } from "./callers/issuers.ts";
import type { Settings } from "./configuration/settings.ts";
import type { Insurers, OpenedInsurers } from "./insurers/insurers.ts";
import type { Route } from "./pipeline/facts.ts";
import { createOwnRoutes } from "./pipeline/own-routes.ts";
import type { RequestSettings } from "./pipeline/pipeline.ts";
import type { OpenedReference } from "./reference/open-reference.ts";
import { createGenerations } from "./reload/generations.ts";
import { createProviderRoutes } from "./routing/provider-routes.ts";
import type { ProviderRoute } from "./routing/route.ts";
import { createRouteTable } from "./routing/route-table.ts";

/** The settings and connections between two reloads. A request uses the settings of its arrival until its end. */
export interface Serving extends RequestSettings, Settings {
  readonly issuers: TrustedIssuers;
  /** The connections to each insurer, by segment. */
  readonly upstreams: OpenedInsurers["upstreams"];
  /** Routes of the providers. */
  readonly routes: readonly ProviderRoute[];
  /** Closes the connections that newer settings do not use. Called when no request uses these settings. */
  close(): Promise<void>;
}

/** The parts of a gateway that a reload does not replace. */
export interface LastingParts {
  readonly issuers: Issuers;
  readonly insurers: Insurers;
  /** The reference; null if the configuration switches it off. */
  readonly reference: OpenedReference | null;
}

/** The current settings, and the function that replaces them. */
export type OpenServing = Awaited<ReturnType<typeof openServing>>;

/** Opens the connections and routes for the first settings. */
export async function openServing(
  settings: Settings,
  { insurers, issuers, reference }: LastingParts,
) {
  const { basePath } = settings.configuration.listen;
  const routesOf = createProviderRoutes(settings.installed, basePath);
  const own = createOwnRoutes(basePath, { hasScenarios: insurers.scenarios !== null });

  async function serveWith(next: Settings): Promise<Serving> {
    const { configuration, installed } = next;
    const trusted = await issuers.open(configuration);
    const { close, upstreams } = insurers.open(next);
    const routes = routesOf(installed, upstreams);
    return {
      ...next,
      issuers: trusted,
      upstreams,
      routes: routes.map(({ route }) => route),
      findRoute: createRouteTable<Route>([...routes, ...own]),
      limits: configuration.limits,
      reference: reference?.with(configuration, trusted.development) ?? null,
      async close() {
        await Promise.all([close(), trusted.close()]);
      },
    };
  }

  const generations = createGenerations(await serveWith(settings));
  return {
    generations,
    /**
     * Opens new settings for all later requests. If the new settings cannot be opened, the previous settings stay in
     * use.
     */
    async replace(next: Settings): Promise<void> {
      generations.replace(await serveWith(next));
    },
  };
}
