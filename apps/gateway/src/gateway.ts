import { join } from "node:path";
import { type AttachedSandbox, attachSandbox } from "@insurance-gateway/sandbox/attach";
import type { Logger } from "pino";
import { createAuthenticate } from "./authentication/authenticate.ts";
import { openIssuers } from "./authentication/issuers.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import { type InstalledProvider, installProviders } from "./configuration/providers.ts";
import { createListener } from "./listener/listener.ts";
import { createOperations } from "./listener/operations.ts";
import { createPipeline } from "./pipeline.ts";
import { providerRoutes } from "./routing/provider-routes.ts";
import { createRouteTable, type PlacedRoute } from "./routing/route-table.ts";
import { createUpstream, type Upstream } from "./upstream/upstream.ts";

/** A gateway that serves. */
export interface RunningGateway {
  /** The base address, the path prefix included. */
  readonly address: string;
  readonly operationsAddress: string;
  /** The first lookup without parameters, for a first try; null when there is none. */
  readonly firstLookup: string | null;
  /** Turns readiness off, finishes what is in flight and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the gateway of a configuration.
 * @throws ConfigurationError with every fault of the configuration
 */
export async function startGateway(
  configuration: Configuration,
  environment: Environment,
  logger: Logger,
): Promise<RunningGateway> {
  const { basePath } = configuration.listen;
  const issuers = await openIssuers(configuration, environment);
  const installed = await installProviders(configuration, environment);
  const sandbox = await attachWhereNeeded(configuration, installed);
  const upstreams = new Map(
    installed.map((provider) => [provider, connect(provider, sandbox)] as const),
  );
  const routes = [...upstreams].flatMap(([provider, upstream]) =>
    providerRoutes(provider, basePath, upstream),
  );
  const pipeline = createPipeline({
    authenticate: createAuthenticate(issuers),
    findRoute: createRouteTable([...routes, ...ownRoutes(basePath, sandbox)]),
    basePath,
    logger,
  });

  let ready = false;
  const listener = createListener(pipeline, logger, basePath);
  const operations = createOperations(() => ready);
  const closeAll = async (): Promise<void> => {
    ready = false;
    await listener.drain();
    await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    await sandbox?.detach();
    await operations.close();
  };
  try {
    const operationsAddress = await operations.listen({ ...configuration.operations });
    const address = await listener.listen({
      host: configuration.listen.host,
      port: configuration.listen.port,
    });
    ready = true;
    return {
      address: address + basePath,
      operationsAddress,
      firstLookup: firstLookup(routes),
      stop: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Attaches to the sandbox process when some provider's insurer is its stand-in. */
function attachWhereNeeded(
  configuration: Configuration,
  installed: readonly InstalledProvider[],
): Promise<AttachedSandbox> | null {
  const files = installed.flatMap(({ upstream }) =>
    "sandbox" in upstream ? [upstream.sandbox] : [],
  );
  return files.length === 0
    ? null
    : attachSandbox(join(configuration.data, "sandbox"), [...new Set(files)]);
}

function connect(
  { provider, timeouts, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): Upstream {
  return "sandbox" in upstream
    ? createUpstream({
        baseUrl: `${sandbox?.address}/${provider.id}`,
        credentials: {},
        timeouts,
        sandbox: true,
      })
    : createUpstream({ ...upstream, timeouts, sandbox: false });
}

/** The gateway's own routes: the scenarios, where some insurer is a stand-in. */
function ownRoutes(basePath: string, sandbox: AttachedSandbox | null): readonly PlacedRoute[] {
  if (sandbox === null) return [];
  const template = "/sandbox/scenarios";
  const answer = (): unknown => ({ items: sandbox.scenarios });
  return [{ method: "GET", path: basePath + template, route: { template, answer } }];
}

function firstLookup(routes: readonly PlacedRoute[]): string | null {
  const found = routes.find(
    ({ route }) =>
      "endpoint" in route && route.endpoint.kind === "lookup" && route.endpoint.query === undefined,
  );
  return found === undefined ? null : found.route.template;
}
