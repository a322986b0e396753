import { Registry } from "prom-client";
import { createRecordingReader } from "./configuration/files.ts";
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
import { type CloseStack, openParts, type Parts, type StartArguments } from "./parts.ts";
import { acceptCommands } from "./reload/control.ts";
import { type ReloadResult, startReloading } from "./reload/reload.ts";
import type { ProviderRoute } from "./routing/route.ts";
import { openStore } from "./store/open-store.ts";
import type { SubmissionStore } from "./store/store.ts";
import { systemTime, type Time } from "./time.ts";

/** A running gateway. */
export interface RunningGateway {
  /** Base address, including the path prefix. */
  readonly address: string;
  readonly operationsAddress: string;
  /**
   * Address of the reference pages; null if the reference is switched off. If the pages issue development tokens, the
   * address's fragment contains the secret for these tokens.
   */
  readonly referenceAddress: string | null;
  /** Path of a lookup without parameters, for the operator's first call; null if no provider has such a lookup. */
  readonly firstLookup: string | null;
  /** Returns the used slots and connections of each insurer; after a stop, no slots and connections are in use. */
  inUse(): readonly InsurerCapacityUse[];
  /** Returns the configuration in use. */
  readonly configuration: () => Configuration;
  /** Reads the configuration and its secrets again. Applies all changes without failing a call, or applies none. */
  readonly reload: () => Promise<ReloadResult>;
  /** Turns readiness off, serves until the notice period ends, finishes requests in flight, and closes everything. */
  stop(): Promise<void>;
}

/** Replacements for parts of the gateway, for tests and commands. */
export interface GatewayParts {
  /** The clock, and the timers of scheduled tasks. */
  readonly time?: Time;
  readonly openStore?: () => Promise<SubmissionStore>;
  /** Metrics of the process, which the metrics page shows together with the gateway's metrics. */
  readonly processMetrics?: Registry;
}

/**
 * Maximum time of a call without the time for the insurer, in milliseconds. The gateway closes a connection that was
 * idle for this time plus the longest time of a call to an insurer.
 */
const NON_INSURER_TIME_MS = 30_000;

/**
 * Starts a gateway that reloads the configuration when the configuration's files change.
 * @throws ConfigurationError with every fault of the configuration; StoreRefusedError if another gateway uses the store
 */
export async function startGateway(
  readSettings: ReadSettings,
  environment: Environment,
  logger: Logger,
  parts: GatewayParts = {},
): Promise<RunningGateway> {
  const { openStore: ownStore } = parts;
  const start: StartArguments = {
    readSettings,
    environment,
    logger,
    time: parts.time ?? systemTime,
    openStore: (configuration) =>
      ownStore?.() ??
      openStore(storePlace(configuration, environment), "serve", hasRealInsurer(configuration)),
    processMetrics: parts.processMetrics ?? new Registry(),
    openTransport,
  };
  const closing: CloseStack = [];
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

/** Reports whether calls can reach a real insurer. */
function hasRealInsurer({ providers }: Configuration): boolean {
  return providers.some(({ upstream }) => upstream !== "sandbox");
}

/**
 * Opens the parts, the operations address and the callers' address, then starts to watch the configuration's files and
 * to accept commands of other processes.
 */
async function open(
  start: StartArguments,
  closing: CloseStack,
): Promise<Omit<RunningGateway, "stop">> {
  const { logger, readSettings, time } = start;
  const files = createRecordingReader();
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
    accounts: accountRoutesParts(parts, logger),
  });
  // The operations address closes last, so that the operator can observe the whole stop.
  closing.unshift(() => operations.close());
  const operationsAddress = await operations.listen({ ...operatorPlace });

  const listener = createListener({
    pipeline,
    takeSettings: () => generations.acquireGeneration(),
    logger,
    observation: seen.observation,
    uploads: await openUploads(data, () => configuration().limits),
    pages: parts.pages,
    limits: () => configuration().limits,
    trustedProxies: listen.trustedProxies,
    tls: settings.certificate,
    longestCallMs: () => longestCallMs(configuration()),
    idleMs: () => longestCallMs(configuration()) + NON_INSURER_TIME_MS,
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
  closing.push(await acceptCommands(data, { reload, dropLookups }, logger));
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

/** Returns the arguments of the HTTP routes for the administration of accounts. */
function accountRoutesParts(
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
      const { release, value } = generations.acquireGeneration();
      const [found] = await verifyAccounts({ ...value, accounts: [account] }).finally(release);
      return found ?? null;
    },
  };
}

/** Returns the longest time limit of a call to any insurer, in milliseconds. */
export function longestCallMs({ providers }: Pick<Configuration, "providers">): number {
  return Math.max(
    ...providers.flatMap(({ timeouts }) => [timeouts.submissionMs, timeouts.totalMs]),
  );
}

function firstLookup(routes: readonly ProviderRoute[]): string | null {
  const found = routes.find(({ endpoint }) => endpoint.kind === "lookup" && !("query" in endpoint));
  return found === undefined ? null : found.template;
}
