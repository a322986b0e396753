import { pagingOf, withoutPage } from "@insurance-gateway/core/contract";
import { Registry } from "prom-client";
import { verifyAccounts } from "./accounts/verify-accounts.ts";
import { type Behind, type Closing, openBehind, type Start } from "./behind-listener.ts";
import { createAuthenticate } from "./callers/authenticate.ts";
import { type FileDigests, noteFiles } from "./configuration/files.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import type { ReadSettings, Settings } from "./configuration/settings.ts";
import { storePlace } from "./configuration/submissions.ts";
import { createListener } from "./http/listener/listener.ts";
import { openUploads } from "./http/uploads/uploads.ts";
import { openTransport } from "./insurers/attempt.ts";
import type { InsurerUse } from "./insurers/insurers.ts";
import type { Logger } from "./operator/logging/logger.ts";
import { countWideSearches } from "./operator/observation/wide-searches.ts";
import type { AccountRoutesParts } from "./operator/operations/account-routes.ts";
import { createOperations } from "./operator/operations/operations.ts";
import { createPipeline, type Pipeline } from "./pipeline/pipeline.ts";
import { takeOrders } from "./reload/control.ts";
import { type ReloadResult, type ReloadState, startReloading } from "./reload/reload.ts";
import type { ProviderRoute } from "./routing/route.ts";
import { StoreUnavailableError } from "./store/faults.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { systemTime, type Time } from "./time.ts";

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
  /** The metrics of the process, which are shown beside the gateway's. */
  readonly processMetrics?: Registry;
}

/** When an insurer takes as long as it may, this is left for the rest; a connection on which nothing moves for longer ends. */
const OWN_TIME_MS = 30_000;

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
  const { openStore: ownStore } = parts;
  const start: Start = {
    readSettings,
    environment,
    logger,
    time: parts.time ?? systemTime,
    openStore: (configuration) =>
      ownStore?.() ??
      openStore(storePlace(configuration, environment), "serve", hasInsurer(configuration)),
    processMetrics: parts.processMetrics ?? new Registry(),
    openTransport,
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

/** Whether calls reach a real insurer. */
function hasInsurer({ providers }: Configuration): boolean {
  return providers.some(({ upstream }) => upstream !== "sandbox");
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
    recording: behind.recording,
    isReady: () => ready && behind.submissions.storeState() !== "files_moved",
    logger,
    names: configuration.operations.names,
    tls: started.settings.operationsCertificate,
    accounts: administrationOf(behind, logger),
  });
  // The last to be closed, so that the operator sees the end.
  closing.unshift(() => operations.close());
  const listener = createListener({
    pipeline: pipelineOf(start, listen.basePath, behind),
    takeSettings: () => generations.take(),
    logger,
    observation: seen.observation,
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
      operations.renew(next.operationsCertificate);
    },
    fetchKeys: behind.fetchKeys,
    faultsWithout: (segments) => behind.submissions.faultsWithout(segments),
    time,
    logger,
    observation: seen.observation,
  });
  reloadState = state;
  closing.push(stop);
  const dropLookups = async (): Promise<{ readonly dropped: number }> => ({
    dropped: behind.insurers.dropLookups(),
  });
  closing.push(await takeOrders(configuration.data, { reload, dropLookups }, logger));
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

/** How accounts are administered over HTTP; null where they are in the file. */
function administrationOf(
  { accounts: { administered }, generations, seen }: Behind,
  logger: Logger,
): AccountRoutesParts | null {
  if (administered === null) return null;
  return {
    ...administered,
    guessed(from) {
      logger.warn({ by: from }, "a request had a wrong token for the administration of accounts");
      seen.observation.administrationGuessed();
    },
    async verify(id) {
      const administration = administered.administration();
      if (administration === null) throw new StoreUnavailableError("not open", false);
      const listed = await administration.list();
      const { release, value } = generations.take();
      const accounts = listed.filter((one) => one.id === id);
      return verifyAccounts({ ...value, accounts }).finally(release);
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

/** Makes the way of requests from what is behind the listener. */
export function pipelineOf(
  { logger, time }: Start,
  basePath: string,
  { accounts, generations, own, seen, shedding, submissions, usage }: Behind,
): Pipeline {
  const { current } = generations;
  const isWide = countWideSearches(() => current().configuration.observation.searchesPerHour, time);
  return createPipeline({
    own,
    shedding,
    authenticate: createAuthenticate({
      settings() {
        const { configuration, issuers, limits } = current();
        const { tokenBytes } = limits;
        const tenantClaim = configuration.accounts.claim;
        return { ...configuration.authentication, issuers: issuers.all, tenantClaim, tokenBytes };
      },
      time,
      tokenRefused: (fault) => seen.observation.tokenRefused(fault),
    }),
    submissions,
    tenants: accounts.tenants,
    quotas: usage.quotas,
    searched({ endpoint, name, segment }, caller, input, requestId) {
      if (!isWide(caller, withoutPage(pagingOf(endpoint), input))) return;
      seen.observation.searchedWidely({ segment });
      logger.warn(
        {
          requestId,
          caller: submissions.pseudonym(caller),
          provider: endpoint.provider,
          endpoint: name,
        },
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

function firstLookup(routes: readonly ProviderRoute[]): string | null {
  const found = routes.find(({ endpoint }) => endpoint.kind === "lookup" && !("query" in endpoint));
  return found === undefined ? null : found.template;
}
