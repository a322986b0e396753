import { join } from "node:path";
import { type AttachedSandbox, attachSandbox } from "@insurance-gateway/sandbox/attach";
import type { Configuration } from "./configuration/load.ts";
import type { InstalledProvider } from "./configuration/providers.ts";
import type { ProviderTraffic } from "./observation/observation.ts";
import { providerRoutes } from "./routing/provider-routes.ts";
import type { PlacedRoute } from "./routing/route-table.ts";
import type { InsurerConnection } from "./upstream/attempt.ts";
import { createUpstream, type UpstreamParts } from "./upstream/upstream.ts";

/** Every insurer behind the gateway. */
export interface Insurers {
  /** The routes of all of them. */
  readonly routes: readonly PlacedRoute[];
  /** The scenarios of the stand-ins; null where no insurer is one. */
  readonly scenarios: AttachedSandbox["scenarios"] | null;
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

/** Attaches to the sandbox process when some provider's insurer is its stand-in. */
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
  { provider, settings, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): InsurerConnection {
  const { answers, bulkhead, compare, timeouts } = settings;
  // Every place of the bulkhead has a connection, so that nobody waits where no limit of time is kept.
  const common = { answers, compare, timeouts, connections: bulkhead.running };
  return "sandbox" in upstream
    ? {
        baseUrl: `${sandbox?.address}/${provider.id}`,
        credentials: {},
        tls: {},
        ...common,
        sandbox: true,
      }
    : { ...upstream, ...common, sandbox: false };
}
