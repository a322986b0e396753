import { join } from "node:path";
import type { SandboxCredential } from "@insurance-gateway/core/sandbox";
import { type AttachedSandbox, attachSandbox } from "@insurance-gateway/sandbox/attach";
import type { Configuration } from "./configuration/load.ts";
import type { InstalledProvider } from "./configuration/providers.ts";
import type { InsurerCredential } from "./insurer-credentials/configured.ts";
import type { ProviderTraffic } from "./observation/observation.ts";
import { providerRoutes } from "./routing/provider-routes.ts";
import type { PlacedRoute } from "./routing/route-table.ts";
import type { InsurerConnection } from "./upstream/attempt.ts";
import { createUpstream, type UpstreamParts } from "./upstream/upstream.ts";

/** Every insurer behind the gateway. */
export interface Insurers {
  /** The routes of all of them. */
  readonly routes: readonly PlacedRoute[];
  /** The scenarios of the simulated insurers; null when no insurer is simulated. */
  readonly scenarios: AttachedSandbox["scenarios"] | null;
  /** A connection to a segment has other credentials or settings, or was removed. */
  connectionChanged(segment: string, id: string): void;
  /** How the traffic of each stands at this moment. */
  traffic(): readonly ProviderTraffic[];
  /** What is in use of each at this moment. */
  inUse(): readonly InsurerUse[];
  /** Waits for what is under way, then closes every connection. */
  close(): Promise<void>;
}

/** What is in use of one insurer; once the gateway has stopped, every number is 0. */
export interface InsurerUse {
  readonly segment: string;
  /** Calls that have a place of the bulkhead. */
  readonly running: number;
  /** Calls that wait for a place. */
  readonly queued: number;
  /** Attempts that have a connection or wait for one. */
  readonly connections: number;
}

/** Connects to the insurers of the installed providers, each with an upstream of its own. */
export async function connectInsurers(
  { data, limits, listen }: Configuration,
  installed: readonly InstalledProvider[],
  parts: UpstreamParts,
): Promise<Insurers> {
  const sandbox = await attachWhereNeeded(data, installed);
  const connected = installed.map((provider) => ({
    provider,
    upstream: createUpstream(provider, connectionOf(provider, sandbox), parts),
  }));
  return {
    routes: connected.flatMap(({ provider, upstream }) =>
      providerRoutes(provider, listen.basePath, limits.jsonDepth, upstream),
    ),
    scenarios: sandbox?.scenarios ?? null,
    connectionChanged(segment, id) {
      for (const { provider, upstream } of connected)
        if (provider.segment === segment) upstream.connectionChanged(id);
    },
    traffic: () => connected.map(({ upstream }) => upstream.traffic()),
    inUse: () =>
      connected.map(({ upstream }) => {
        const { queued, running, segment } = upstream.traffic();
        return { segment, running, queued, connections: upstream.connections() };
      }),
    async close() {
      await Promise.all(connected.map(({ upstream }) => upstream.close()));
      await sandbox?.detach();
    },
  };
}

/** Attaches to the sandbox process when the insurer of some provider is simulated. */
function attachWhereNeeded(
  data: string,
  installed: readonly InstalledProvider[],
): Promise<AttachedSandbox> | null {
  const files = installed.flatMap(({ upstream }) =>
    "sandbox" in upstream ? [upstream.sandbox] : [],
  );
  return files.length === 0 ? null : attachSandbox(join(data, "sandbox"), [...new Set(files)]);
}

function connectionOf(
  { adapter, insurerSettings, provider, settings, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): InsurerConnection {
  const { answers, bulkhead, compare, timeouts } = settings;
  // Every place of the bulkhead has a connection, so that nobody waits where no limit of time is kept.
  const common = {
    adapter,
    settings: insurerSettings ?? sandbox?.settings[provider.id] ?? {},
    answers,
    compare,
    timeouts,
    connections: bulkhead.running,
  };
  if (!("sandbox" in upstream)) return { ...upstream, ...common, sandbox: false };
  const baseUrl = `${sandbox?.address}/${provider.id}`;
  const known = sandbox?.credentials[provider.id] ?? [];
  const credentials = known.map((credential) => sandboxCredential(credential, baseUrl));
  return { baseUrl, credentials, tls: {}, ...common, sandbox: true };
}

/** How long a simulated insurer is waited for when it is asked for a token, in milliseconds. */
const SANDBOX_LOGIN_MS = 10_000;

function sandboxCredential(credential: SandboxCredential, baseUrl: string): InsurerCredential {
  switch (credential.type) {
    case "headers":
      return { type: "fixed", read: () => ({ headers: credential.headers, login: null }) };
    case "login":
      return { type: "login", read: () => credential, timeoutMs: SANDBOX_LOGIN_MS };
    case "oauth2":
      return {
        type: "oauth2",
        tokenUrl: baseUrl + credential.path,
        clientId: credential.clientId,
        scope: undefined,
        audience: undefined,
        tls: {},
        timeoutMs: SANDBOX_LOGIN_MS,
        readSecret: () => credential.clientSecret,
        authentication: { type: "client_secret_basic", secret: () => credential.clientSecret },
      };
  }
}
