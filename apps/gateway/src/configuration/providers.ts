import type { Adapter } from "@insurance-gateway/adapter";
import {
  loadAdapter,
  loadProviderPackage,
  resolvePackageFile,
} from "@insurance-gateway/adapter/installation";
import type { Provider } from "@insurance-gateway/core/contract";
import { identifierOf, reservedSegments, rowFaults } from "@insurance-gateway/core/runtime";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import { ConfigurationError } from "./configuration-error.ts";
import type { ProviderConfiguration } from "./file.ts";
import { diskFiles } from "./files.ts";
import {
  faultsOfCredentials,
  type InsurerCredential,
  readCredentials,
} from "./insurer-credentials.ts";
import { type InsurerSettings, insurerSettingsOf } from "./insurer-settings.ts";
import type { Configuration, Environment } from "./load.ts";
import { readTls } from "./pem.ts";
import { createReadSecret, type ReadSecret } from "./secrets.ts";

/** A configured provider with its declarations. */
export interface InstalledProvider {
  readonly provider: Provider;
  /** The adapter for the insurer's dialect. */
  readonly adapter: Adapter;
  /** The folder of the provider's package. */
  readonly folder: string;
  readonly segment: string;
  /** The insurer's address and the credentials for it, or the file of a sandbox. */
  readonly upstream:
    | {
        readonly baseUrl: string;
        readonly credentials: readonly InsurerCredential[];
        readonly tls: TlsSettings;
      }
    | { readonly sandbox: string };
  /** The configured time limits, retries, circuit breaker, bulkhead and other limits. */
  readonly settings: ProviderConfiguration;
  /** The operator's settings, checked by the package's `settings`; null if the sandbox's own settings are used. */
  readonly insurerSettings: InsurerSettings | null;
}

/**
 * Loads a configuration's provider packages from the configuration's folder.
 * @throws ConfigurationError with every fault
 */
export async function installProviders(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly InstalledProvider[]> {
  const faults: string[] = [];
  const readSecret = createReadSecret(environment, configuration.folder, diskFiles);
  const installed = await loadProviders(configuration, readSecret, (fault) => faults.push(fault));
  if (faults.length > 0) throw new ConfigurationError(configuration.source, faults);
  return installed;
}

/**
 * Loads a configuration's provider packages, and reads the secrets in their settings.
 * @param report - called for every fault, with its path
 */
export async function loadProviders(
  configuration: Pick<Configuration, "accounts" | "folder" | "providers">,
  readSecret: ReadSecret,
  report: (fault: string) => void,
): Promise<readonly InstalledProvider[]> {
  const installed: InstalledProvider[] = [];
  for (const [index, entry] of configuration.providers.entries()) {
    const fault = (path: string, message: string): void =>
      report(`providers[${index}].${path}: ${message}`);
    const found = await loadProviderPackage(configuration.folder, entry.package);
    if ("fault" in found) {
      fault("package", found.fault);
      continue;
    }
    const { folder, provider } = found;
    if (Object.keys(provider.endpoints).length === 0)
      fault("package", `${entry.package} declares no endpoint yet`);
    const segment = entry.segment ?? provider.id;
    if (reservedSegments.includes(segment))
      fault("segment", `${segment} is reserved for the gateway`);
    if (installed.some((other) => other.segment === segment))
      fault("segment", `${segment} is used by another provider`);
    for (const [row, { endpoint }] of entry.failures.entries())
      if (endpoint !== undefined && !Object.hasOwn(provider.endpoints, endpoint))
        fault(`failures[${row}].endpoint`, `${entry.package} has no endpoint ${endpoint}`);
    for (const endpoint of Object.keys(entry.compare.identifiers))
      if (identifierOf(provider.endpoints[endpoint] ?? {}) === undefined)
        fault(
          `compare.identifiers.${endpoint}`,
          `${entry.package} has no endpoint ${endpoint} with an \`insurerId\``,
        );
    const insurerSettings = insurerSettingsOf(
      provider,
      entry,
      (secret, path) => readSecret(secret, (message) => fault(path, message)),
      fault,
      configuration.accounts.claim === undefined,
    );
    const { upstream: configured } = entry;
    // `upstream.adapter: "declared"` means that the insurer's API equals the declared calls, without an adapter.
    const spoken = typeof configured === "object" ? configured.adapter : undefined;
    const adapter = await loadAdapter(configuration.folder, entry.package, spoken);
    if ("fault" in adapter) fault("package", adapter.fault);
    else {
      // The `failures` rows of a foreign adapter may contradict each other, and report a failed call as executed.
      for (const wrong of rowFaults(provider, adapter.failures))
        fault("package", `the adapter of ${entry.package}: ${wrong}`);
      const credentials = typeof configured === "object" ? [configured.credentials].flat() : [];
      const areOfAccounts =
        configuration.accounts.claim !== undefined &&
        credentials.every(({ type }) => type === "none");
      if (configured !== "sandbox" && !areOfAccounts)
        for (const wrong of faultsOfCredentials(adapter, entry.package, credentials))
          fault("upstream.credentials", wrong);
    }
    for (const wrong of rowFaults(provider, entry.failures)) fault("failures", wrong);
    const upstream = upstreamOf(configuration, entry, readSecret, fault);
    if (folder === null) fault("package", `${entry.package} does not export its package.json`);
    else if (upstream !== null && !("fault" in adapter))
      installed.push({
        provider,
        adapter,
        folder,
        segment,
        upstream,
        settings: entry,
        insurerSettings,
      });
  }
  return installed;
}

function upstreamOf(
  { folder }: Pick<Configuration, "folder">,
  entry: ProviderConfiguration,
  readSecret: ReadSecret,
  fault: (path: string, message: string) => void,
): InstalledProvider["upstream"] | null {
  if (entry.upstream === "sandbox") {
    const sandbox = resolvePackageFile(folder, entry.package, "/sandbox");
    if (sandbox === null) fault("upstream", `${entry.package} has no sandbox`);
    return sandbox === null ? null : { sandbox };
  }
  const { baseUrl, credentials, tls } = entry.upstream;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    tls: readTls(tls, readSecret, (path, message) => fault(`upstream.tls.${path}`, message)),
    credentials: readCredentials(credentials, readSecret, (path, message) =>
      fault(`upstream.credentials${path}`, message),
    ),
  };
}
