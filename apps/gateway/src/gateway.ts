import { Registry } from "prom-client";
import { createAuthenticate } from "./authentication/authenticate.ts";
import { openIssuers } from "./authentication/issuers.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import { refuseUnsafe } from "./configuration/production.ts";
import { installProviders } from "./configuration/providers.ts";
import { openSubmissionKeys, storePlace } from "./configuration/submissions.ts";
import { connectInsurers } from "./insurers.ts";
import { openCertificate } from "./listener/certificate.ts";
import { createListener } from "./listener/listener.ts";
import type { Logger } from "./logging/logger.ts";
import { observeGateway } from "./observation/observe-gateway.ts";
import { createOperations } from "./operations/operations.ts";
import { createPipeline } from "./pipeline.ts";
import { startShedding } from "./resilience/shedding.ts";
import { ownRoutes } from "./routing/own-routes.ts";
import { createRouteTable, type PlacedRoute } from "./routing/route-table.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { openSubmissions } from "./submissions/opening.ts";
import { createSealer } from "./submissions/sealing.ts";
import { submissionsOnStore } from "./submissions/submissions-on-store.ts";
import { systemTime, type Time } from "./time.ts";

/** A gateway that serves. */
export interface RunningGateway {
  /** The base address, the path prefix included. */
  readonly address: string;
  readonly operationsAddress: string;
  /** The first lookup without parameters, for a first try; null when there is none. */
  readonly firstLookup: string | null;
  /** Turns readiness off, goes on for the time of the notice, finishes what is in flight and closes everything. */
  stop(): Promise<void>;
}

/** What may be put in the place of the gateway's own. */
export interface GatewayParts {
  /** The clock and the timers of what is scheduled. */
  readonly time?: Time;
  readonly openStore?: () => Promise<SubmissionStore>;
  /** The metrics of the process, which are shown beside the gateway's. */
  readonly processMetrics?: Registry;
}

/** Some of no caller's time is left to the gateway when an insurer takes as long as it may. */
const OWN_TIME_MS = 30_000;

/**
 * Starts the gateway of a configuration.
 * @throws ConfigurationError with every fault of the configuration; StoreRefusedError when another gateway has the store
 */
export async function startGateway(
  configuration: Configuration,
  environment: Environment,
  logger: Logger,
  parts: GatewayParts = {},
): Promise<RunningGateway> {
  const { limits, listen, overload, shutdown } = configuration;
  const { basePath } = listen;
  const {
    time = systemTime,
    openStore: openItsStore = () => openStore(storePlace(configuration, environment), "serve"),
  } = parts;
  refuseUnsafe(configuration, environment);
  const tls = openCertificate(configuration, environment);
  const keys = await openSubmissionKeys(configuration, environment, "serve");
  const installed = await installProviders(configuration, environment);
  const closing: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).toReversed()) await close();
  };

  try {
    const seen = observeGateway({
      traffic: () => insurers.traffic(),
      countUnknown: () => submissions.countUnknown(),
      now: () => time.now(),
      processMetrics: parts.processMetrics ?? new Registry(),
    });
    const { observation } = seen;
    const issuers = await openIssuers(configuration, { time, logger });
    closing.push(() => issuers.close());
    const insurers = await connectInsurers(configuration, installed, {
      observation,
      now: () => time.elapsed(),
    });
    closing.push(() => insurers.close());
    const shedding = startShedding(overload.eventLoopDelayMs, time, () => observation.shed());
    closing.push(() => shedding.stop());
    const open = { configuration, openStore: openItsStore, routes: insurers.routes, time, logger };
    const submissions = await openSubmissions({
      open: () => submissionsOnStore({ ...open, sealer: createSealer(keys) }),
      time,
      logger,
    });
    closing.push(() => submissions.stop());

    let ready = false;
    const operations = createOperations({
      ...seen,
      isReady: () => ready,
      logger,
      names: configuration.operations.names,
    });
    // The last to be closed: whoever watches sees the end.
    closing.unshift(() => operations.close());
    const pipeline = createPipeline({
      shedding,
      authenticate: createAuthenticate({
        ...configuration.authentication,
        issuers: issuers.all,
        tokenBytes: limits.tokenBytes,
        time,
        tokenRefused: (fault) => observation.tokenRefused(fault),
      }),
      findRoute: createRouteTable([
        ...insurers.routes,
        ...ownRoutes(basePath, insurers, submissions),
      ]),
      submissions,
      basePath,
      limits,
      logger,
    });
    const listener = createListener({
      pipeline,
      logger,
      observation,
      basePath,
      limits,
      trustedProxies: listen.trustedProxies,
      tls,
      idleMs: longestCallMs(configuration) + OWN_TIME_MS,
    });
    closing.push(async () => {
      ready = false;
      await listener.drain(shutdown.noticeMs);
    });
    const operationsAddress = await operations.listen({ ...configuration.operations });
    const address = await listener.listen(listen);
    ready = true;
    return {
      address: address + basePath,
      operationsAddress,
      firstLookup: firstLookup(insurers.routes),
      stop: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The longest that a call of any insurer may take, in milliseconds. */
export function longestCallMs({ providers }: Pick<Configuration, "providers">): number {
  return Math.max(
    ...providers.flatMap(({ timeouts }) => [timeouts.submissionMs, timeouts.totalMs]),
  );
}

function firstLookup(routes: readonly PlacedRoute[]): string | null {
  const found = routes.find(
    ({ route }) =>
      "endpoint" in route && route.endpoint.kind === "lookup" && route.endpoint.query === undefined,
  );
  return found === undefined ? null : found.route.template;
}
