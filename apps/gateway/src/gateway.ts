import { pagingOf, withoutPage } from "@insurance-gateway/core/contract";
import { Registry } from "prom-client";
import { createAuthenticate } from "./authentication/authenticate.ts";
import { createIssuers } from "./authentication/issuers.ts";
import { createMaintenancePlan } from "./availability/maintenance.ts";
import { createProviderStatuses } from "./availability/provider-status.ts";
import { type FileDigests, noteFiles } from "./configuration/files.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import type { ReadSettings, Settings } from "./configuration/settings.ts";
import { openSubmissionKeys, storePlace } from "./configuration/submissions.ts";
import { type Connections, openConnections } from "./connections/open.ts";
import { startRecording } from "./drift/recording.ts";
import { type StoredDrift, startStoredDrift } from "./drift/stored.ts";
import { startDriftWatch } from "./drift/watch.ts";
import { connectInsurers, type Insurers, type InsurerUse } from "./insurers.ts";
import { createListener } from "./listener/listener.ts";
import type { Logger } from "./logging/logger.ts";
import { type GatewayObservation, observeGateway } from "./observation/observe-gateway.ts";
import { countWideSearches } from "./observation/wide-searches.ts";
import type { ConnectionRoutesParts } from "./operations/connection-routes.ts";
import { createOperations } from "./operations/operations.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { openReference } from "./reference/open-reference.ts";
import { takeReloads } from "./reload/control.ts";
import { createGenerations, type Generations } from "./reload/generations.ts";
import { type ReloadResult, type ReloadState, startReloading } from "./reload/reload.ts";
import { createAnswerBudget } from "./resilience/answer-budget.ts";
import {
  type HeldRefusals,
  measureBusyShare,
  startHeldRefusals,
} from "./resilience/held-refusals.ts";
import { type Shedding, startShedding } from "./resilience/shedding.ts";
import { ownRoutes } from "./routing/own-routes.ts";
import type { PlacedRoute } from "./routing/route-table.ts";
import { type Serving, serveWith } from "./serving.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { createEncryption } from "./submissions/encryption.ts";
import { createEvery } from "./submissions/housekeeping.ts";
import {
  openSubmissions,
  type Submissions,
  submissionSegments,
} from "./submissions/submissions.ts";
import { systemTime, type Time } from "./time.ts";
import { openUploads } from "./uploads/uploads.ts";
import { createUsage, type Usage } from "./usage/usage.ts";
import { verifyConnections } from "./verification/verify-connections.ts";

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
  /** The configuration that counts now. */
  readonly configuration: () => Configuration;
  /** Reads the configuration and its secrets again, and takes them over without failing a call; or refuses them as a whole. */
  readonly reload: () => Promise<ReloadResult>;
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
  /** How much of the time since it was last asked the process had something to do, from 0 to 1; measured when left out. */
  readonly busyShare?: () => number;
}

/** When an insurer takes as long as it may, this is left for the rest; a connection on which nothing moves for longer ends. */
const OWN_TIME_MS = 30_000;

/** How to close what has been opened, the oldest first. */
type Closing = (() => Promise<void>)[];

/** What a gateway is started with. */
interface Start {
  readonly readSettings: ReadSettings;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly time: Time;
  readonly openStore: (configuration: Configuration) => Promise<SubmissionStore>;
  readonly processMetrics: Registry;
  readonly busyShare: () => number;
}

/**
 * Starts a gateway, and reads its configuration again whenever its files change.
 * @throws ConfigurationError with every fault of the configuration; StoreRefusedError when another gateway has the store
 */
export async function startGateway(
  readSettings: ReadSettings,
  environment: Environment,
  logger: Logger,
  parts: GatewayParts = {},
): Promise<RunningGateway> {
  const { newStore = false, openStore: ownStore } = parts;
  const start: Start = {
    readSettings,
    environment,
    logger,
    time: parts.time ?? systemTime,
    openStore: (configuration) =>
      ownStore?.() ?? openStore(storePlace(configuration, environment), "serve", newStore),
    processMetrics: parts.processMetrics ?? new Registry(),
    busyShare: parts.busyShare ?? measureBusyShare(),
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
  const { logger, time } = start;
  const startedAt = time.now();
  const started = await readFirst(start);
  const { certificate, configuration } = started.settings;
  const { listen } = configuration;
  let listening = "";
  let reloadState = (): ReloadState => ({ isNewest: true, appliedAt: startedAt });
  const behind = await openBehind(start, started.settings, closing, {
    listening: () => listening,
    reloading: () => reloadState(),
  });
  const { generations, referenceFragment, seen } = behind;
  const current = (): Configuration => generations.current().configuration;
  let ready = false;
  const operations = createOperations({
    ...seen,
    drift: behind.drift,
    isReady: () => ready,
    logger,
    names: configuration.operations.names,
    connections: administrationOf(behind),
  });
  // The last to be closed: whoever watches sees the end.
  closing.unshift(() => operations.close());
  const listener = createListener({
    pipeline: pipelineOf(start, listen.basePath, behind),
    takeSettings: () => generations.take(),
    logger,
    observation: seen.observation,
    heldRefusals: behind.heldRefusals,
    uploads: await openUploads(configuration.data, () => current().limits),
    basePath: listen.basePath,
    limits: () => current().limits,
    trustedProxies: listen.trustedProxies,
    tls: certificate,
    longestCallMs: () => longestCallMs(current()),
    idleMs: () => longestCallMs(current()) + OWN_TIME_MS,
  });
  closing.push(async () => {
    ready = false;
    await listener.drain(current().shutdown.noticeMs);
  });
  const operationsAddress = await operations.listen({ ...configuration.operations });
  listening = (await listener.listen(listen)) + listen.basePath;
  const { reload, state, stop } = startReloading({
    readSettings: start.readSettings,
    started,
    async apply(next) {
      generations.replace(await behind.serveWith(next));
      listener.renew(next.certificate);
    },
    fetchKeys: behind.fetchKeys,
    time,
    logger,
    observation: seen.observation,
  });
  reloadState = state;
  closing.push(stop);
  closing.push(await takeReloads(configuration.data, reload, logger));
  ready = true;
  return {
    address: listening,
    operationsAddress,
    referenceAddress: referenceFragment && `${listening}/reference${referenceFragment()}`,
    firstLookup: firstLookup(generations.current().routes),
    inUse: () => behind.insurers.inUse(),
    configuration: current,
    reload,
  };
}

/** How connections are administered over HTTP; null where they are in the file. */
function administrationOf({
  connections: { administered },
  generations,
}: Behind): ConnectionRoutesParts | null {
  if (administered === null) return null;
  return {
    ...administered,
    async verify(id) {
      const listed = (await administered.administration()?.list()) ?? [];
      const { release, value } = generations.take();
      const connections = listed.filter((one) => one.id === id);
      return verifyConnections({ ...value, connections }).finally(release);
    },
  };
}

/** Reads the configuration of the start. */
async function readFirst({
  readSettings,
}: Start): Promise<{ readonly settings: Settings; readonly digests: FileDigests }> {
  const files = noteFiles();
  return { settings: await readSettings(files), digests: files.digests };
}

/** What is behind the listener. */
interface Behind {
  readonly seen: GatewayObservation;
  readonly drift: Pick<StoredDrift, "list">;
  readonly insurers: Insurers;
  readonly generations: Generations<Serving>;
  /** Opens what other settings need. */
  readonly serveWith: (settings: Settings) => Promise<Serving>;
  readonly fetchKeys: () => Promise<void>;
  /** Null without a reference. */
  readonly referenceFragment: (() => string) | null;
  readonly shedding: Shedding;
  readonly heldRefusals: HeldRefusals;
  readonly submissions: Submissions;
  readonly connections: Connections;
  readonly usage: Usage;
}

async function openBehind(
  start: Start,
  settings: Settings,
  closing: Closing,
  later: { readonly listening: () => string; readonly reloading: () => ReloadState },
): Promise<Behind> {
  const { environment, logger, processMetrics, time } = start;
  const { configuration, installed } = settings;
  const keys = await openSubmissionKeys(configuration, environment, "serve");
  // Until the first generation is open, its settings count.
  let newest = (): Settings => settings;
  const current = (): Configuration => newest().configuration;
  const maintenance = createMaintenancePlan(
    () => newest().installed,
    () => time.now(),
  );
  const usage = createUsage({
    timeZone: configuration.connections.timeZone,
    time,
    quotasOf: ({ connection }) => ({
      ...current().connections.quotas,
      ...connections.source.quotasOf(connection),
    }),
    refused: (place, quota) => observation.quotaReached(place, quota),
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  const answerBudget = createAnswerBudget(() => current().limits.answerBytes);
  const seen = observeGateway({
    traffic: () => insurers.traffic(),
    answerBytes: () => answerBudget.held(),
    countUnknown: () => submissions.countUnknown(),
    now: () => time.now(),
    configuration: later.reloading,
    expiries: () => newest().expiries,
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
    samplePercent: () => current().drift.samplePercent,
    time,
    differs(observed, difference) {
      observation.drifted(observed, difference);
      storedDrift.count(observed, difference);
    },
  });
  const issuers = createIssuers({ time, logger, observation });
  const encryption = createEncryption(keys);
  const connections = openConnections({
    settings: () => newest(),
    environment,
    encryption,
    time,
    issuers: () => generations.current().issuers.all.map(({ issuer }) => issuer),
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
    answerBudget,
    maintainedMs: (segment) => (maintenance.current(segment)?.to ?? time.now()) - time.now(),
  });
  closing.push(() => insurers.close());
  const { listening } = later;
  const reference = await openReference({ configuration, installed, insurers, listening });
  const statuses = createProviderStatuses({
    ...seen,
    maintenance,
    days: usage.days,
    attempts: () => usage.attempts(),
  });
  const status: Submissions["status"] = (caller, id) => submissions.status(caller, id);
  const own = ownRoutes(configuration.listen.basePath, insurers, { status }, statuses);
  const lasting = { issuers, insurers, reference, ownRoutes: own };
  const generations = createGenerations(await serveWith(settings, lasting));
  newest = generations.current;
  closing.push(() => generations.close());
  const shedding = startShedding(
    () => current().overload,
    time,
    () => observation.shed(),
  );
  closing.push(() => shedding.stop());
  const heldRefusals = startHeldRefusals({
    time,
    busyShare: start.busyShare,
    connections: () => current().limits.connections,
  });
  closing.push(() => heldRefusals.stop());
  const submissions: Submissions = await openSubmissions({
    ...start,
    configuration,
    async openStore() {
      store = await start.openStore(configuration);
      return store;
    },
    segments: submissionSegments(generations.current().routes),
    async withRoutes(work) {
      const { release, value } = generations.take();
      return work(value.routes).finally(release);
    },
    queriesPerSecond: () => current().submissions.queriesPerSecond,
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
    seen,
    drift: storedDrift,
    insurers,
    generations,
    serveWith: (next) => serveWith(next, lasting),
    fetchKeys: () => issuers.fetchKeys(),
    referenceFragment: reference?.fragment ?? null,
    shedding,
    heldRefusals,
    submissions,
    connections,
    usage,
  };
}

function pipelineOf(
  { logger, time }: Start,
  basePath: string,
  { connections, generations, seen, shedding, submissions, usage }: Behind,
): Pipeline {
  const { current } = generations;
  const isWide = countWideSearches(() => current().configuration.observation.searchesPerHour, time);
  return createPipeline({
    shedding,
    authenticate: createAuthenticate({
      settings() {
        const { configuration, issuers, limits } = current();
        const { tokenBytes } = limits;
        const tenantClaim = configuration.connections.claim;
        return { ...configuration.authentication, issuers: issuers.all, tenantClaim, tokenBytes };
      },
      time,
      tokenRefused: (fault) => seen.observation.tokenRefused(fault),
    }),
    submissions,
    tenants: connections.tenants,
    quotas: usage.quotas,
    searched({ endpoint, name, segment }, caller, input, requestId) {
      if (!isWide(caller, withoutPage(pagingOf(endpoint), input))) return;
      seen.observation.searchedWidely({ segment });
      logger.warn(
        { requestId, provider: endpoint.provider, endpoint: name },
        "a caller searches for unusually many customers",
      );
    },
    basePath,
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
