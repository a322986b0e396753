import type { Expiry } from "../configuration/expiries.ts";
import type { ConnectionConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import { insurerSettingsOf } from "../configuration/insurer-settings.ts";
import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { ReadSecret, SecretFault } from "../configuration/secrets.ts";
import type { Settings } from "../configuration/settings.ts";
import { readCredentials } from "../insurer-credentials/configured.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { ConnectionContent, ReadConnection } from "./connection.ts";
import { createConnectionIndex, type FindConnections } from "./tenants.ts";

/** What a provider must be known by before connections to it can be checked. */
export type ConnectedProvider = Pick<
  InstalledProvider,
  "adapter" | "provider" | "segment" | "settings"
>;

/** Where the connections of a gateway are, and how they are read. */
export interface ConnectionSource {
  readonly find: FindConnections;
  readonly read: ReadConnection;
  /** The quotas of a connection's own, which go over those of all. */
  quotasOf(id: string): QuotasConfiguration;
  /** When credentials and certificates of connections in the store end; those of the file are in the settings. */
  expiries(): readonly Expiry[];
  /** Whether there is a connection with this id. */
  has(id: string): boolean;
  /** Takes the store as soon as it is open, before anything is served from it. */
  opened(store: SubmissionStore): Promise<void>;
  /** Learns of connections that were added, changed or removed since. */
  refresh(): Promise<void>;
}

/**
 * Reads what a connection uses.
 * @param fault - called for everything that is wrong, with its place in the connection
 */
export function readConnection(
  connection: Pick<ConnectionConfiguration, "credentials" | "settings">,
  { adapter, provider, settings }: ConnectedProvider,
  readSecret: ReadSecret,
  fault: SecretFault,
): ConnectionContent {
  const { credentials } = connection;
  const isSandbox = settings.upstream === "sandbox";
  if (isSandbox && credentials !== undefined)
    fault("credentials", "are not for a simulated insurer, which has its own");
  if (!isSandbox && credentials === undefined)
    fault("credentials", 'must be set; { "type": "none" } where the insurer asks for none');
  if (adapter.login === undefined && [credentials].flat().some((one) => one?.type === "login"))
    fault("credentials", `${settings.package} has no adapter that logs in`);
  const merged = { ...settings.settings, ...connection.settings };
  const isEmpty = settings.settings === undefined && connection.settings === undefined;
  const credentialsRead = readConnectionCredentials(connection, readSecret, fault);
  const checked = insurerSettingsOf(
    provider,
    { settings: isEmpty ? undefined : merged, upstream: settings.upstream },
    (secret, path) => readSecret(secret, (message) => fault(path, message)),
    fault,
  );
  // Of thousands of connections that have none of their own, each would hold a copy of the provider's.
  return {
    credentials: credentialsRead,
    settings: connection.settings === undefined ? null : checked,
  };
}

function readConnectionCredentials(
  { credentials }: Pick<ConnectionConfiguration, "credentials">,
  readSecret: ReadSecret,
  fault: SecretFault,
): ConnectionContent["credentials"] {
  if (credentials === undefined) return null;
  return readCredentials(credentials, readSecret, (path, message) =>
    fault(`credentials${path}`, message),
  );
}

/**
 * Checks the connections of a configuration file, and reads what each uses. Of one whose provider has a fault of its own,
 * what needs no provider is checked.
 * @param report - is called for everything that is wrong, with its path
 * @returns by id
 */
export function readConnections(
  {
    connections: { list },
    issuers,
    providers: configured,
  }: Pick<Configuration, "connections" | "issuers" | "providers">,
  installed: readonly ConnectedProvider[],
  readSecret: ReadSecret,
  report: (fault: string) => void,
): ReadonlyMap<string, ConnectionContent> {
  const contents = new Map<string, ConnectionContent>();
  const providers = new Map(installed.map((provider) => [provider.segment, provider]));
  const known = new Set(issuers.map(({ issuer }) => issuer));
  const ids = new Set<string>();
  const tenants = new Set<string>();
  for (const [index, connection] of list.entries()) {
    const fault = (path: string, message: string): void =>
      report(`connections.list[${index}].${path}: ${message}`);
    const { id, segment, tenant } = connection;
    if (ids.has(id)) fault("id", "is there twice");
    ids.add(id);
    const key = JSON.stringify([tenant.issuer, tenant.name, segment]);
    if (tenants.has(key)) fault("tenant", "has another connection to this provider");
    tenants.add(key);
    // Without any issuer, tokens are the development issuer's.
    if (known.size > 0 && !known.has(tenant.issuer))
      fault("tenant.issuer", "is none of the issuers of the configuration");
    const provider = providers.get(segment);
    if (provider !== undefined)
      contents.set(id, readConnection(connection, provider, readSecret, fault));
    else if (installed.length < configured.length)
      // The segment may be that of a provider that has faults.
      readConnectionCredentials(connection, readSecret, fault);
    else fault("segment", "is no segment of a provider of the configuration");
  }
  return contents;
}

/** The connections of a configuration file: which there are, and whose, stays as it was at the start. */
export function configuredConnections(
  current: () => Pick<Settings, "configuration" | "connections">,
): ConnectionSource {
  const index = createConnectionIndex();
  const { list } = current().configuration.connections;
  const places = new Map(list.map(({ id }, place) => [id, place]));
  for (const { id, segment, tenant } of list) index.add({ id, segment, tenant });
  const configured = (id: string): ConnectionConfiguration | undefined =>
    current().configuration.connections.list[places.get(id) ?? -1];
  return {
    find: index.find,
    has: (id) => places.has(id),
    quotasOf: (id) => configured(id)?.quotas ?? {},
    expiries: () => [],
    async read(segment, id) {
      if (configured(id)?.segment !== segment) return null;
      return current().connections.get(id) ?? null;
    },
    opened: async () => {},
    refresh: async () => {},
  };
}
