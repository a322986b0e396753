import { Registry } from "prom-client";
import { noteFiles } from "./configuration/files.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import type { ReadSettings } from "./configuration/settings.ts";
import { storePlace } from "./configuration/submission-store.ts";
import { createListener } from "./http/listener/listener.ts";
import { openUploads } from "./http/uploads/uploads.ts";
import { openTransport } from "./insurers/insurer-access.ts";
import type { InsurerCapacityUse } from "./insurers/insurers.ts";
import type { Logger } from "./operator/logging/logger.ts";
import type { AccountRoutesParts } from "./operator/operations/account-routes.ts";
import { createOperations } from "./operator/operations/operations.ts";
import { verifyAccounts } from "./operator/verification/verify-accounts.ts";
import { type Closing, openParts, type Parts, type Start } from "./parts.ts";
import { takeOrders } from "./reload/control.ts";
import { type ReloadResult, startReloading } from "./reload/reload.ts";
import type { ProviderRoute } from "./routing/route.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { systemTime, type Time } from "./time.ts";

/** A gateway that serves. */
export interface RunningGateway {
  /** The base address, the path prefix included. */
  readonly address: string;
  readonly operationsAddress: string;
  /** The address of the pages, with the secret of this start if they give development tokens; null without a reference. */
  readonly referenceAddress: string | null;
  /** The first lookup without parameters, for a first try; null when there is none. */
  readonly firstLookup: string | null;
  /** The used capacity of each insurer at this moment: none after a stop. */
  inUse(): readonly InsurerCapacityUse[];
  /** The configuration that counts now. */
  readonly configuration: () => Configuration;
  /** Reads the configuration and its secrets again, and takes them over without failing a call; or refuses them as a whole. */
  readonly reload: () => Promise<ReloadResult>;
  /** Turns readiness off, serves for the time of the notice, finishes requests in flight and closes everything. */
  stop(): Promise<void>;
}

/** The parts that may replace the gateway's own. */
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

/** Opens the parts, then the operator's address, then the callers', and then takes reloads and orders. */
async function open(start: Start, closing: Closing): Promise<Omit<RunningGateway, "stop">> {
  const { logger, readSettings, time } = start;
  const files = noteFiles();
  const settings = await readSettings(files);
  const parts = await openParts(start, settings, closing);
  const { current, generations, insurers, issuers, pipeline, reference, seen, submissions } = parts;
  const { configuration } = current;
  const { data, listen, operations: operatorPlace } = configuration();
  let ready = false;

  const operations = createOperations({
    ...seen,
    recording: parts.recording,
    isReady: () => ready && submissions.storeState() !== "files_moved",
    logger,
    names: operatorPlace.names,
    tls: settings.operationsCertificate,
    accounts: administrationOf(parts, logger),
  });
  // The last to be closed, so that the operator sees the end.
  closing.unshift(() => operations.close());
  const operationsAddress = await operations.listen({ ...operatorPlace });

  const listener = createListener({
    pipeline,
    takeSettings: () => generations.takeGeneration(),
    logger,
    observation: seen.observation,
    uploads: await openUploads(data, () => configuration().limits),
    pages: parts.pages,
    limits: () => configuration().limits,
    trustedProxies: listen.trustedProxies,
    tls: settings.certificate,
    longestCallMs: () => longestCallMs(configuration()),
    idleMs: () => longestCallMs(configuration()) + OWN_TIME_MS,
  });
  closing.push(async () => {
    ready = false;
    await listener.drain(configuration().shutdown.noticeMs);
  });
  const address = (await listener.listen(listen)) + listen.basePath;
  reference?.listensAt(address);

  const { reload, stop } = startReloading({
    readSettings,
    started: files.digests,
    current,
    async apply(next) {
      await parts.replace(next);
      current.apply(next);
      listener.renew(next.certificate);
      operations.renew(next.operationsCertificate);
    },
    fetchKeys: () => issuers.fetchKeys(),
    faultsWithout: (segments) => submissions.faultsWithout(segments),
    time,
    logger,
    observation: seen.observation,
  });
  closing.push(stop);
  const dropLookups = async (): Promise<{ readonly dropped: number }> => ({
    dropped: insurers.dropLookups(),
  });
  closing.push(await takeOrders(data, { reload, dropLookups }, logger));
  ready = true;
  return {
    address,
    operationsAddress,
    referenceAddress: reference && `${address}/reference${reference.fragment()}`,
    firstLookup: firstLookup(generations.current().routes),
    inUse: () => insurers.inUse(),
    configuration,
    reload,
  };
}

/** How accounts are administered over HTTP. */
function administrationOf(
  { administration, current, generations, seen }: Parts,
  logger: Logger,
): AccountRoutesParts {
  return {
    token: () => current.settings().accountsToken,
    administration,
    guessed(from) {
      logger.warn({ by: from }, "a request had a wrong token for the administration of accounts");
      seen.observation.administrationGuessed();
    },
    async verify(id) {
      const account = (await administration().list()).find((one) => one.id === id);
      if (account === undefined) return null;
      const { release, value } = generations.takeGeneration();
      const [found] = await verifyAccounts({ ...value, accounts: [account] }).finally(release);
      return found ?? null;
    },
  };
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
