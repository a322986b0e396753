import { type Provider, reservedSegments } from "@insurance-gateway/core/contract";
import { loadProviderPackage, resolvePackageFile } from "@insurance-gateway/core/installation";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import { ConfigurationError } from "./configuration-error.ts";
import type { ProviderConfiguration, SecretConfiguration } from "./file.ts";
import type { Configuration, Environment } from "./load.ts";
import { readPem } from "./pem.ts";
import { type CredentialHeaders, credentialHeaders } from "./secrets.ts";

/** A provider of the configuration with its declarations. */
export interface InstalledProvider {
  readonly provider: Provider;
  /** The folder of its package. */
  readonly folder: string;
  readonly segment: string;
  /** The insurer's address and the header that shows it who the gateway is; for a sandbox, the file of it. */
  readonly upstream:
    | {
        readonly baseUrl: string;
        readonly credentials: CredentialHeaders;
        readonly tls: TlsSettings;
      }
    | { readonly sandbox: string };
  /** Its time limits, retries, breaker, bulkhead and limits. */
  readonly settings: ProviderConfiguration;
}

/**
 * Loads the provider packages of a configuration, from the configuration's folder.
 * @throws ConfigurationError with every fault
 */
export async function installProviders(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly InstalledProvider[]> {
  const faults: string[] = [];
  const installed: InstalledProvider[] = [];
  for (const [index, entry] of configuration.providers.entries()) {
    const fault = (path: string, message: string): void => {
      faults.push(`providers[${index}].${path}: ${message}`);
    };
    const found = await loadProviderPackage(configuration.folder, entry.package);
    if ("fault" in found) {
      fault("package", found.fault);
      continue;
    }
    const { folder, provider } = found;
    if (Object.keys(provider.endpoints).length === 0)
      fault("package", `${entry.package} declares no endpoint yet`);
    const segment = entry.segment ?? provider.id;
    if (reservedSegments.includes(segment)) fault("segment", `${segment} is the gateway's own`);
    if (installed.some((other) => other.segment === segment))
      fault("segment", `${segment} is taken`);
    const upstream = upstreamOf(configuration, entry, environment, fault);
    if (folder === null) fault("package", `${entry.package} does not export its package.json`);
    else if (upstream !== null)
      installed.push({ provider, folder, segment, upstream, settings: entry });
  }
  if (faults.length > 0) throw new ConfigurationError(configuration.source, faults);
  return installed;
}

function upstreamOf(
  configuration: Configuration,
  entry: ProviderConfiguration,
  environment: Environment,
  fault: (path: string, message: string) => void,
): InstalledProvider["upstream"] | null {
  if (entry.upstream === "sandbox") {
    const sandbox = resolvePackageFile(configuration.folder, entry.package, "/sandbox");
    if (sandbox === null) fault("upstream", `${entry.package} has no sandbox`);
    return sandbox === null ? null : { sandbox };
  }
  const { tls } = entry.upstream;
  const pem = (secret: SecretConfiguration | undefined, path: string): string | undefined =>
    secret &&
    readPem(secret, environment, configuration.folder, (message) =>
      fault(`upstream.tls.${path}`, message),
    );
  return {
    baseUrl: entry.upstream.baseUrl.replace(/\/+$/, ""),
    tls: {
      authorities: pem(tls?.authorities, "authorities"),
      certificate: pem(tls?.client?.certificate, "client.certificate"),
      key: pem(tls?.client?.key, "client.key"),
    },
    credentials: credentialHeaders(
      entry.upstream.credentials,
      environment,
      configuration.folder,
      (path, message) => fault(`upstream.credentials.${path}`, message),
    ),
  };
}
