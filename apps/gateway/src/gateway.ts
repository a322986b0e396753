import { join } from "node:path";
import { type AttachedSandbox, attachSandbox } from "@insurance-gateway/sandbox/attach";
import type { Logger } from "pino";
import { createAuthenticate } from "./authentication/authenticate.ts";
import { openIssuers } from "./authentication/issuers.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import { type InstalledProvider, installProviders } from "./configuration/providers.ts";
import { openSubmissionKeys, retentionOf, storePlace } from "./configuration/submissions.ts";
import { createListener } from "./listener/listener.ts";
import { createOperations } from "./listener/operations.ts";
import type { Observation } from "./observation/observation.ts";
import { createPipeline } from "./pipeline.ts";
import { startShedding } from "./resilience/shedding.ts";
import { providerRoutes } from "./routing/provider-routes.ts";
import type { OwnRoute } from "./routing/route.ts";
import { createRouteTable, type PlacedRoute } from "./routing/route-table.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { openSubmissions } from "./submissions/opening.ts";
import { createSealer, type Sealer } from "./submissions/sealing.ts";
import { openStoreSecret } from "./submissions/store-secret.ts";
import {
  endpointFinder,
  type Submissions,
  startSubmissions,
  submissionSegments,
} from "./submissions/submissions.ts";
import { systemTime, type Time } from "./time.ts";
import type { InsurerConnection } from "./upstream/attempt.ts";
import { createUpstream } from "./upstream/upstream.ts";

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

/** What a test may put in the place of the gateway's own. */
export interface GatewayParts {
  /** The clock and the timers of what is scheduled. */
  readonly time?: Time;
  readonly openStore?: () => Promise<SubmissionStore>;
}

/**
 * Starts the gateway of a configuration.
 * @throws ConfigurationError with every fault of the configuration; StoreRefusedError when another gateway has the store
 */
export async function startGateway(
  configuration: Configuration,
  environment: Environment,
  logger: Logger,
  {
    time = systemTime,
    openStore: openStoreOf = () => openStore(storePlace(configuration, environment), "serve"),
  }: GatewayParts = {},
): Promise<RunningGateway> {
  const { limits, listen } = configuration;
  const { basePath } = listen;
  const issuers = await openIssuers(configuration, environment, { time, logger });
  const keys = await openSubmissionKeys(configuration, environment, "serve");
  const installed = await installProviders(configuration, environment);
  const sandbox = await attachWhereNeeded(configuration, installed);
  const observation: Observation = {
    requestEnded() {},
    attemptEnded() {},
    heldBack() {},
    answeredStale() {},
    rateLimited() {},
    tokenRefused() {},
    shed() {},
  };
  const upstreams = new Map(
    installed.map((provider) => {
      const connection = connectionOf(provider, sandbox);
      return [
        provider,
        createUpstream(provider, connection, { observation, now: time.now }),
      ] as const;
    }),
  );
  const routes = [...upstreams].flatMap(([provider, upstream]) =>
    providerRoutes(provider, basePath, limits.jsonDepth, upstream),
  );
  const disconnect = async (): Promise<void> => {
    await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    await issuers.close();
    await sandbox?.detach();
  };
  const open = (): Promise<Submissions> =>
    submissionsOf({
      configuration,
      openStore: openStoreOf,
      sealer: createSealer(keys),
      routes,
      time,
      logger,
    });
  const submissions = await openSubmissions({ open, time, logger }).catch(
    async (error: unknown) => {
      await disconnect();
      throw error;
    },
  );
  const shedding = startShedding(configuration.overload.eventLoopDelayMs, time, observation.shed);
  const pipeline = createPipeline({
    shedding,
    authenticate: createAuthenticate({
      ...configuration.authentication,
      issuers: issuers.all,
      tokenBytes: limits.tokenBytes,
      time,
      tokenRefused: (fault) => observation.tokenRefused(fault),
    }),
    findRoute: createRouteTable([...routes, ...ownRoutes(basePath, sandbox, submissions)]),
    submissions,
    basePath,
    limits,
    logger,
  });

  let ready = false;
  const listener = createListener({
    pipeline,
    logger,
    basePath,
    limits,
    trustedProxies: listen.trustedProxies,
    tls: null,
    // No insurer may take longer, and half a minute more is left for the rest.
    idleMs:
      30_000 +
      Math.max(
        ...configuration.providers.flatMap(({ timeouts }) => [
          timeouts.submissionMs,
          timeouts.totalMs,
        ]),
      ),
  });
  const operations = createOperations(() => ready);
  const closeAll = async (): Promise<void> => {
    ready = false;
    await listener.drain();
    await submissions.stop();
    await shedding.stop();
    await disconnect();
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

/** What submissions are opened with. */
interface SubmissionsOfGateway {
  readonly configuration: Configuration;
  readonly openStore: () => Promise<SubmissionStore>;
  readonly sealer: Sealer;
  readonly routes: readonly PlacedRoute[];
  readonly time: Time;
  readonly logger: Logger;
}

async function submissionsOf(gateway: SubmissionsOfGateway): Promise<Submissions> {
  const { configuration, logger, sealer, time } = gateway;
  const routes = gateway.routes.map(({ route }) => route);
  const store = await gateway.openStore();
  try {
    const secret = await openStoreSecret(store, sealer, configuration.source);
    // Where nobody else is at it, what is in flight belongs to a process that has died.
    if (!store.shared) await store.expireLeases(Number.MAX_SAFE_INTEGER, time.now());
    return startSubmissions({
      store,
      secret,
      sealer,
      retention: retentionOf(configuration),
      basePath: configuration.listen.basePath,
      findEndpoint: endpointFinder(routes),
      segments: submissionSegments(routes),
      time,
      logger,
    });
  } catch (error) {
    await store.close();
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

function connectionOf(
  { provider, settings, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): InsurerConnection {
  const { answers, timeouts } = settings;
  return "sandbox" in upstream
    ? {
        baseUrl: `${sandbox?.address}/${provider.id}`,
        credentials: {},
        tls: {},
        timeouts,
        answers,
        sandbox: true,
      }
    : { ...upstream, timeouts, answers, sandbox: false };
}

/** The gateway's own routes: what became of a submission; and the scenarios, where some insurer is a stand-in. */
function ownRoutes(
  basePath: string,
  sandbox: AttachedSandbox | null,
  submissions: Submissions,
): readonly PlacedRoute[] {
  const routes: readonly OwnRoute[] = [
    {
      template: "/submissions/{submissionId}",
      answer: ({ caller, params }) => submissions.status(caller, params.submissionId ?? ""),
    },
    ...(sandbox === null
      ? []
      : [
          {
            template: "/sandbox/scenarios",
            answer: async () => ({ items: sandbox.scenarios }),
          },
        ]),
  ];
  return routes.map((route) => ({ method: "GET", path: basePath + route.template, route }));
}

function firstLookup(routes: readonly PlacedRoute[]): string | null {
  const found = routes.find(
    ({ route }) =>
      "endpoint" in route && route.endpoint.kind === "lookup" && route.endpoint.query === undefined,
  );
  return found === undefined ? null : found.route.template;
}
