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

/** The gateway, serving in the test's own process over real HTTP. */
export interface GatewayInProcess extends RunningGateway {
  readonly folder: GatewayFolder;
  /** A token of its development issuer. */
  readonly token: string;
  /** A token for somebody else. */
  tokenFor(subject: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Asks it for a path, as the owner of its token. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /** Stops it, and leaves the folder to another one. */
  end(): Promise<void>;
  /** The lines it has logged. */
  readonly log: readonly string[];
}

/** The parts of a request besides the token. */
export interface AskOptions extends Omit<RequestInit, "headers" | "signal"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** A body of JSON, which is posted. */
  readonly json?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** The parts that a test may replace. */
export interface InProcessOptions {
  readonly time?: Time & Partial<HeldTime>;
  /** The folder of an earlier gateway. */
  readonly folder?: GatewayFolder;
  readonly openStore?: () => Promise<SubmissionStore>;
}

/** Starts a gateway with a configuration on free ports. */
export async function startInProcess(
  configuration: object,
  environment: Environment = {},
  { folder = makeGatewayFolder(configuration), ...parts }: InProcessOptions = {},
): Promise<GatewayInProcess> {
  // The test itself may hold up the process that it shares with the gateway.
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
    // Its refusals are not held back either: a clock that the test holds would never let them go.
    ...parts,
  });
  parts.time?.files?.add(join(gateway.configuration().data, "submissions.sqlite"));
  const issuer = await openDevelopmentIssuer(gateway.configuration().data);
  const tokenFor: GatewayInProcess["tokenFor"] = (subject, claims = {}) =>
    // Longer than any test moves its clock.
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

/** Makes the store that an operator makes once; a database that cannot be reached now gets none. */
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

/** A test that sends a lookup wants the insurer to get it, unless it says how long lookups are fresh. */
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
 * Stops a gateway, and fails the test when a place of a bulkhead or a connection of an insurer is still in use: a leak
 * shows only after as many calls as there are places.
 */
async function stopAndCheck(gateway: RunningGateway): Promise<void> {
  await gateway.stop();
  const leaks = gateway
    .inUse()
    .filter((one) => one.running !== 0 || one.queued !== 0 || one.connections !== 0);
  if (leaks.length > 0)
    throw new Error(`Still in use after the gateway has stopped: ${JSON.stringify(leaks)}`);
}

/** The configuration of one provider whose insurer is at an address. */
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
