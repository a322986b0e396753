import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { Registry } from "prom-client";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import type { Environment } from "../../src/configuration/load.ts";
import { createReadSettings } from "../../src/configuration/settings.ts";
import { type RunningGateway, startGateway } from "../../src/gateway.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { makeStore } from "../../src/store/exclusive-store.ts";
import { StoreRefusedError, StoreUnavailableError } from "../../src/store/faults.ts";
import { databaseOf, sqliteFile } from "../../src/store/open-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { Time } from "../../src/time.ts";
import type { HeldTime } from "./held-time.ts";

/** A gateway in the test's process, which serves over HTTP. */
export interface GatewayInProcess extends RunningGateway {
  readonly folder: GatewayFolder;
  /** A token of the gateway's development issuer. */
  readonly token: string;
  /** Returns a token for another subject. */
  tokenFor(subject: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Sends a request with the gateway's token. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /** Stops the gateway, and keeps the folder for another gateway. */
  end(): Promise<void>;
  /** The lines that the gateway has logged. */
  readonly log: readonly string[];
}

/** The parts of a request besides the token. */
export interface AskOptions extends Omit<RequestInit, "headers" | "signal"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body, which is sent with POST. */
  readonly json?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** The parts of a gateway that a test may replace. */
export interface InProcessOptions {
  readonly time?: Time & Partial<HeldTime>;
  /** The folder of an earlier gateway. */
  readonly folder?: GatewayFolder;
  readonly openStore?: () => Promise<SubmissionStore>;
}

/** Starts a gateway with the given configuration on free ports. */
export async function startInProcess(
  configuration: object,
  environment: Environment = {},
  { folder = makeGatewayFolder(configuration), ...parts }: InProcessOptions = {},
): Promise<GatewayInProcess> {
  // The test may block the event loop, which the gateway uses too. The gateway must not refuse requests then.
  const calm = {
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
    ...askingEachTime(configuration),
  };
  folder.writeConfiguration(calm);
  const variables = { PORT: "0", OPERATIONS_PORT: "0", ...environment };
  if (parts.openStore === undefined) await makeStoreOnce(configuration, folder, environment);
  const log: string[] = [];
  const logger = createLogger({ write: (line) => void log.push(line) });
  const readSettings = createReadSettings(variables, folder.path);
  const gateway = await startGateway(readSettings, variables, logger, {
    processMetrics: new Registry(),
    ...parts,
  });
  parts.time?.files?.add(join(gateway.configuration().data, "submissions.sqlite"));
  const issuer = await openDevelopmentIssuer(gateway.configuration().data);
  const tokenFor: GatewayInProcess["tokenFor"] = (subject, claims = {}) =>
    // The token stays valid in tests that move the clock forward.
    issuer.sign({ subject, scope: "*:*", claims, expiresInSeconds: 10 * 365 * 86_400 });
  const token = await tokenFor("tester");
  return {
    ...gateway,
    folder,
    token,
    tokenFor,
    ask: (path, { headers = {}, json, signal, ...options } = {}) =>
      fetch(gateway.address + path, {
        ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
        ...options,
        signal: signal ?? null,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
      }),
    log,
    end: () => stopAndCheck(gateway),
    async stop() {
      await stopAndCheck(gateway);
      folder.remove();
    },
  };
}

/** Creates the store if it does not exist. Does nothing if the database is unavailable. */
async function makeStoreOnce(
  { data = "data" }: { readonly data?: string },
  { path }: GatewayFolder,
  { DATABASE_URL, GATEWAY_DATA = data }: Environment,
): Promise<void> {
  const place = { data: resolve(path, GATEWAY_DATA), databaseUrl: DATABASE_URL };
  if (databaseOf(place) === null && existsSync(sqliteFile(place))) return;
  try {
    await makeStore(place);
  } catch (error) {
    const isExpected = error instanceof StoreRefusedError || error instanceof StoreUnavailableError;
    if (!isExpected) throw error;
  }
}

/**
 * Switches off cached answers, so that each lookup reaches the insurer, unless the test sets `freshMinutes`.
 */
function askingEachTime(configuration: object): object {
  const { providers }: { readonly providers?: unknown } = configuration;
  if (!Array.isArray(providers)) return configuration;
  const asking = (provider: { readonly answers?: object }): object => ({
    ...provider,
    answers: { freshMinutes: 0, ...provider.answers },
  });
  return { ...configuration, providers: providers.map(asking) };
}

/**
 * Stops a gateway. Throws if the gateway still uses a slot or a connection of an insurer, because otherwise such a leak
 * would show only after many calls.
 */
async function stopAndCheck(gateway: RunningGateway): Promise<void> {
  await gateway.stop();
  const leaks = gateway
    .inUse()
    .filter((one) => one.running !== 0 || one.queued !== 0 || one.connections !== 0);
  if (leaks.length > 0)
    throw new Error(`Still in use after the gateway has stopped: ${JSON.stringify(leaks)}`);
}

/** Returns the configuration of one provider with an insurer at the given address. */
export function insurerConfiguration(
  letter: string,
  baseUrl: string,
  more: object = {},
): { readonly package: string; readonly upstream: object } {
  return {
    package: `@insurance-gateway/provider-${letter}`,
    upstream: { baseUrl, adapter: "declared", credentials: { type: "none" }, ...more },
  };
}
