import { credentialsFault } from "@insurance-gateway/adapter";
import { parameterNames } from "@insurance-gateway/core/contract";
import type { AccountContent } from "./account.ts";
import type { AccountConfiguration, CredentialsConfiguration } from "./file.ts";
import { readCredentials } from "./insurer-credentials.ts";
import { insurerSettingsOf } from "./insurer-settings.ts";
import type { Configuration } from "./load.ts";
import type { InstalledProvider } from "./providers.ts";
import type { ReadSecret, SecretFault } from "./secrets.ts";

/** The parts of a provider that are needed to check accounts to it. */
export type AccountProvider = Pick<
  InstalledProvider,
  "adapter" | "provider" | "segment" | "settings"
>;

/**
 * Reads what an account to a provider uses.
 * @param fault - called for everything that is wrong, with its place in the account
 */
export type ReadContent = (
  account: Pick<AccountConfiguration, "credentials" | "settings">,
  provider: AccountProvider,
  fault: SecretFault,
) => AccountContent;

/** Makes the reading of accounts; the settings of a provider that they share are checked once. */
export function createReadContent(readSecret: ReadSecret): ReadContent {
  const shared = new Map<AccountProvider, readonly Parameters<SecretFault>[]>();
  const faultsOfShared = (provider: AccountProvider): readonly Parameters<SecretFault>[] => {
    const faults: Parameters<SecretFault>[] = [];
    readSettings(undefined, provider, readSecret, (...fault) => faults.push(fault));
    shared.set(provider, faults);
    return faults;
  };
  return ({ credentials, settings }, provider, fault) => {
    const { adapter, settings: configured } = provider;
    const isSandbox = configured.upstream === "sandbox";
    if (isSandbox && credentials !== undefined)
      fault("credentials", "are not for a simulated insurer, which has its own");
    if (!isSandbox && credentials === undefined)
      fault("credentials", 'must be set; { "type": "none" } where the insurer asks for none');
    if (adapter.login === undefined && credentials !== undefined && logsIn(credentials))
      fault("credentials", `${configured.package} has no adapter that logs in`);
    const refused =
      isSandbox || credentials === undefined
        ? null
        : credentialsFault(adapter.credentials, [credentials].flat());
    if (refused !== null) fault("credentials", refused);
    const credentialsRead = readAccountCredentials({ credentials }, readSecret, fault);
    if (settings !== undefined) {
      const checked = readSettings(settings, provider, readSecret, fault);
      return { credentials: credentialsRead, settings: checked };
    }
    for (const wrong of shared.get(provider) ?? faultsOfShared(provider)) fault(...wrong);
    // Thousands of accounts without settings of their own share those of the provider instead of copies.
    return { credentials: credentialsRead, settings: null };
  };
}

function logsIn(credentials: CredentialsConfiguration): boolean {
  return "type" in credentials
    ? credentials.type === "login"
    : credentials.some(({ type }) => type === "login");
}

/** Reads the settings of a provider, with those of an account over them. */
function readSettings(
  own: AccountConfiguration["settings"],
  { provider, settings: { settings: shared, upstream } }: AccountProvider,
  readSecret: ReadSecret,
  fault: SecretFault,
): AccountContent["settings"] {
  // An unknown name among the provider's own is its fault, which is reported there.
  const names = provider.settings === undefined ? [] : parameterNames(provider.settings);
  const known = Object.entries(shared ?? {}).filter(([name]) => names.includes(name));
  const hasNone = shared === undefined && own === undefined;
  const settings = hasNone ? undefined : { ...Object.fromEntries(known), ...own };
  return insurerSettingsOf(
    provider,
    { settings, upstream },
    (secret, path) => readSecret(secret, (message) => fault(path, message)),
    fault,
  );
}

function readAccountCredentials(
  { credentials }: Pick<AccountConfiguration, "credentials">,
  readSecret: ReadSecret,
  fault: SecretFault,
): AccountContent["credentials"] {
  if (credentials === undefined) return null;
  return readCredentials(credentials, readSecret, (path, message) =>
    fault(`credentials${path}`, message),
  );
}

/**
 * Checks the accounts of a configuration file, and reads what each uses. Of one whose provider has a fault of its own,
 * what needs no provider is checked.
 * @param report - is called for everything that is wrong, with its path
 * @returns by id
 */
export function readAccounts(
  {
    accounts: { list },
    issuers,
    providers: configured,
  }: Pick<Configuration, "accounts" | "issuers" | "providers">,
  installed: readonly AccountProvider[],
  readSecret: ReadSecret,
  report: (fault: string) => void,
): ReadonlyMap<string, AccountContent> {
  const contents = new Map<string, AccountContent>();
  const readContent = createReadContent(readSecret);
  const providers = new Map(installed.map((provider) => [provider.segment, provider]));
  const known = new Set(issuers.map(({ issuer }) => issuer));
  const ids = new Set<string>();
  /** By segment and issuer: of thousands of accounts, no text is made for each. */
  const tenants = new Map<string, Map<string, Set<string>>>();
  for (const [index, account] of list.entries()) {
    const fault = (path: string, message: string): void =>
      report(`accounts.list[${index}].${path}: ${message}`);
    const { id, segment, tenant } = account;
    if (ids.has(id)) fault("id", "appears twice");
    ids.add(id);
    const issuersOf = tenants.get(segment) ?? new Map<string, Set<string>>();
    tenants.set(segment, issuersOf);
    const names = issuersOf.get(tenant.issuer) ?? new Set();
    issuersOf.set(tenant.issuer, names);
    if (names.has(tenant.name)) fault("tenant", "has another account to this provider");
    names.add(tenant.name);
    // Without any issuer, tokens are the development issuer's.
    if (known.size > 0 && !known.has(tenant.issuer))
      fault("tenant.issuer", "is none of the issuers of the configuration");
    const provider = providers.get(segment);
    if (provider !== undefined) contents.set(id, readContent(account, provider, fault));
    else {
      readAccountCredentials(account, readSecret, fault);
      // The segment may be that of a provider that has faults.
      if (installed.length === configured.length)
        fault("segment", "is no segment of a provider of the configuration");
    }
  }
  return contents;
}
