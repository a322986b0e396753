import { pagingOf, withoutPage } from "@insurance-gateway/core/contract";
import { Registry } from "prom-client";
import { createAuthenticate } from "./authentication/authenticate.ts";
import { type Issuers, openIssuers } from "./authentication/issuers.ts";
import { createMaintenancePlan, type MaintenancePlan } from "./availability/maintenance.ts";
import { createProviderStatuses } from "./availability/provider-status.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import { refuseUnsafe } from "./configuration/production.ts";
import { installProviders } from "./configuration/providers.ts";
import { openSubmissionKeys, storePlace } from "./configuration/submissions.ts";
import { type Connections, openConnections } from "./connections/open.ts";
import { startRecording } from "./drift/recording.ts";
import { type StoredDrift, startStoredDrift } from "./drift/stored.ts";
import { startDriftWatch } from "./drift/watch.ts";
import { connectInsurers, type Insurers, type InsurerUse } from "./insurers.ts";
import { openCertificate } from "./listener/certificate.ts";
import { createListener } from "./listener/listener.ts";
import type { Logger } from "./logging/logger.ts";
import { type GatewayObservation, observeGateway } from "./observation/observe-gateway.ts";
import { countWideSearches } from "./observation/wide-searches.ts";
import { createOperations } from "./operations/operations.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { type OpenedReference, openReference } from "./reference/open-reference.ts";
import { type HeldRefusals, startHeldRefusals } from "./resilience/held-refusals.ts";
import { type Shedding, startShedding } from "./resilience/shedding.ts";
import { ownRoutes } from "./routing/own-routes.ts";
import { createRouteTable, type PlacedRoute } from "./routing/route-table.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { createEncryption } from "./submissions/encryption.ts";
import { createEvery } from "./submissions/housekeeping.ts";
import { openSubmissions, type Submissions } from "./submissions/submissions.ts";
import { systemTime, type Time } from "./time.ts";
import { openUploads } from "./uploads/uploads.ts";
import { createUsage, type Usage } from "./usage/usage.ts";

/** A gateway that serves. */
export interface RunningGateway {
  /** The base address, the path prefix included. */
  readonly address: string;
  readonly operationsAddress: string;
  /** What a person opens, with the secret of this start where the pages give development tokens; null without a reference. */
  readonly referenceAddress: string | null;
  /** The first lookup without parameters, for a first try; null when there is none. */
  readonly firstLookup: string | null;
  /** What is in use of each insurer at this moment: nothing, once it has stopped. */
  inUse(): readonly InsurerUse[];
  /** Turns readiness off, goes on for the time of the notice, finishes what is in flight and closes everything. */
  stop(): Promise<void>;
}

/** What may be put in the place of the gateway's own. */
export interface GatewayParts {
  /** The clock and the timers of what is scheduled. */
  readonly time?: Time;
  readonly openStore?: () => Promise<SubmissionStore>;
  /** Serves from an empty PostgreSQL although the data folder has a SQLite file with submissions. */
  readonly newStore?: boolean;
  /** The metrics of the process, which are shown beside the gateway's. */
  readonly processMetrics?: Registry;
}

/** When an insurer takes as long as it may, this is left for the rest; a connection on which nothing moves for longer ends. */
const OWN_TIME_MS = 30_000;

/** How to close what has been opened, the oldest first. */
type Closing = (() => Promise<void>)[];

/** What a gateway is started with. */
interface Start {
  readonly configuration: Configuration;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly time: Time;
  readonly openStore: () => Promise<SubmissionStore>;
  readonly processMetrics: Registry;
}

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
  refuseUnsafe(configuration, environment);
  const {
    time = systemTime,
    newStore = false,
    openStore: openItsStore = () =>
      openStore(storePlace(configuration, environment), "serve", newStore),
    processMetrics = new Registry(),
  } = parts;
  const start: Start = {
    configuration,
    environment,
    logger,
    time,
    openStore: openItsStore,
    processMetrics,
  };
  const closing: Closing = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    return { ...(await open(start, closing)), stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function open(start: Start, closing: Closing): Promise<Omit<RunningGateway, "stop">> {
  const { configuration, environment, logger } = start;
  const { listen, shutdown } = configuration;
  const tls = openCertificate(configuration, environment);
  let listening = "";
  const behind = await openBehind(start, closing, () => listening);
  let ready = false;
  const operations = createOperations({
    ...behind.seen,
    drift: behind.drift,
    isReady: () => ready,
    logger,
    names: configuration.operations.names,
    connections: behind.connections.administered,
  });
  // The last to be closed: whoever watches sees the end.
  closing.unshift(() => operations.close());
  const listener = createListener({
    pipeline: pipelineOf(start, behind),
    logger,
    observation: behind.seen.observation,
    heldRefusals: behind.heldRefusals,
    uploads: await openUploads(configuration.data, configuration.limits),
    basePath: listen.basePath,
    limits: configuration.limits,
    trustedProxies: listen.trustedProxies,
    tls,
    longestCallMs: longestCallMs(configuration),
    idleMs: longestCallMs(configuration) + OWN_TIME_MS,
  });
  closing.push(async () => {
    ready = false;
    await listener.drain(shutdown.noticeMs);
  });
  const operationsAddress = await operations.listen({ ...configuration.operations });
  listening = (await listener.listen(listen)) + listen.basePath;
  ready = true;
  return {
    address: listening,
    operationsAddress,
    referenceAddress: behind.reference && `${listening}/reference${behind.reference.fragment}`,
    firstLookup: firstLookup(behind.insurers.routes),
    inUse: () => behind.insurers.inUse(),
  };
}

/** What stands behind the listener. */
interface Behind {
  readonly seen: GatewayObservation;
  readonly drift: Pick<StoredDrift, "list">;
  readonly issuers: Issuers;
  readonly insurers: Insurers;
  readonly reference: OpenedReference | null;
  readonly shedding: Shedding;
  readonly heldRefusals: HeldRefusals;
  readonly submissions: Submissions;
  readonly connections: Connections;
  readonly maintenance: MaintenancePlan;
  readonly usage: Usage;
}

async function openBehind(
  start: Start,
  closing: Closing,
  listening: () => string,
): Promise<Behind> {
  const { configuration, environment, logger, processMetrics, time } = start;
  const keys = await openSubmissionKeys(configuration, environment, "serve");
  const installed = await installProviders(configuration, environment);
  const maintenance = createMaintenancePlan(installed, () => time.now());
  const usage = createUsage({
    timeZone: configuration.connections.timeZone,
    time,
    quotasOf: ({ connection }) => ({
      ...configuration.connections.quotas,
      ...connections.source.quotasOf(connection),
    }),
    refused: (place, quota) => observation.quotaReached(place, quota),
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  const seen = observeGateway({
    traffic: () => insurers.traffic(),
    countUnknown: () => submissions.countUnknown(),
    now: () => time.now(),
    processMetrics,
    usage,
    maintenance,
  });
  const { observation } = seen;
  let store: SubmissionStore | null = null;
  const common = { store: () => store, time, every: createEvery(start) };
  const storedDrift = startStoredDrift(common);
  const recording = startRecording(common);
  const drift = startDriftWatch({
    ...configuration.drift,
    time,
    differs(observed, difference) {
      observation.drifted(observed, difference);
      storedDrift.count(observed, difference);
    },
  });
  const issuers = await openIssuers(configuration, { time, logger, observation });
  closing.push(() => issuers.close());
  const encryption = createEncryption(keys);
  const connections = openConnections({
    configuration,
    environment,
    installed,
    encryption,
    time,
    issuers: issuers.all.map(({ issuer }) => issuer),
    changed: (segment, id) => insurers.connectionChanged(segment, id),
  });
  const insurers = await connectInsurers(configuration, installed, {
    observation,
    logger,
    received(observed, endpoint, answer) {
      drift.received(observed, endpoint, answer);
      recording.received(observed, endpoint, answer);
    },
    now: () => time.elapsed(),
    recovered: (segment, connection) => submissions.insurerRecovered(segment, connection),
    readConnection: connections.source.read,
    maintainedMs: (segment) => (maintenance.current(segment)?.to ?? time.now()) - time.now(),
  });
  closing.push(() => insurers.close());
  const reference = await openReference({
    configuration,
    installed,
    issuers,
    insurers,
    listening,
  });
  const shedding = startShedding(configuration.overload, time, () => observation.shed());
  closing.push(() => shedding.stop());
  const heldRefusals = startHeldRefusals({
    time,
    connections: configuration.limits.connections,
  });
  closing.push(() => heldRefusals.stop());
  const submissions: Submissions = await openSubmissions({
    ...start,
    openStore: async () => {
      store = await start.openStore();
      return store;
    },
    routes: insurers.routes,
    encryption,
    tenants: connections.tenants,
    connections: connections.source,
    maintenance,
    usage,
  });
  closing.push(() => submissions.stop());
  // Before the store is closed.
  closing.push(async () => {
    await recording.stop();
    await drift.stop();
    await storedDrift.stop();
  });
  return {
    drift: storedDrift,
    seen,
    issuers,
    insurers,
    reference,
    shedding,
    heldRefusals,
    submissions,
    connections,
    maintenance,
    usage,
  };
}

function pipelineOf({ configuration, logger, time }: Start, behind: Behind): Pipeline {
  const { insurers, issuers, maintenance, reference, seen, shedding, submissions, usage } = behind;
  const { tenants } = behind.connections;
  const { limits, listen } = configuration;
  const isWide = countWideSearches(configuration.observation.searchesPerHour, time);
  const statuses = createProviderStatuses({
    ...seen,
    maintenance,
    days: usage.days,
    attempts: () => usage.attempts(),
  });
  const own = ownRoutes(listen.basePath, insurers, submissions, statuses);
  return createPipeline({
    reference,
    shedding,
    authenticate: createAuthenticate({
      ...configuration.authentication,
      issuers: issuers.all,
      tenantClaim: configuration.connections.claim,
      tokenBytes: limits.tokenBytes,
      time,
      tokenRefused: (fault) => seen.observation.tokenRefused(fault),
    }),
    findRoute: createRouteTable([...insurers.routes, ...own]),
    submissions,
    tenants,
    quotas: usage.quotas,
    searched({ endpoint, name, segment }, caller, input, requestId) {
      if (!isWide(caller, withoutPage(pagingOf(endpoint), input))) return;
      seen.observation.searchedWidely({ segment });
      logger.warn(
        { requestId, provider: endpoint.provider, endpoint: name },
        "a caller searches for unusually many customers",
      );
    },
    basePath: listen.basePath,
    limits,
    logger,
  });
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
