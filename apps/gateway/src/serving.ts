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

/** The settings of the gateway until the next reload. A request has one of these from its arrival to its end. */
export interface Serving extends RequestSettings, Settings {
  readonly issuers: TrustedIssuers;
  /** The way to each insurer, by its segment. */
  readonly upstreams: OpenedInsurers["upstreams"];
  /** The routes of the providers. */
  readonly routes: readonly ProviderRoute[];
  /** Closes what no later settings use, when nothing is served with these any more. */
  close(): Promise<void>;
}

/** The parts that stay open through every change of the settings. */
export interface LastingParts {
  readonly issuers: Issuers;
  readonly insurers: Insurers;
  /** Null where it is not served. */
  readonly reference: OpenedReference | null;
}

/** The settings that requests are served with. */
export type OpenServing = Awaited<ReturnType<typeof openServing>>;

/** Opens what requests are served with. */
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
    /** Serves with other settings from now on; if it fails, nothing is changed. */
    async replace(next: Settings): Promise<void> {
      generations.replace(await serveWith(next));
    },
  };
}
