import { parameterNames } from "@insurance-gateway/core/runtime";
import type { AccountContent } from "./account.ts";
import type { AccountConfiguration } from "./file.ts";
import { faultsOfCredentials, readCredentials } from "./insurer-credentials.ts";
import { insurerSettingsOf } from "./insurer-settings.ts";
import type { Configuration } from "./load.ts";
import { INSECURE_TOKEN_SERVER, isTokenServerInsecure } from "./production.ts";
import type { InstalledProvider } from "./providers.ts";
import type { ReadSecret, SecretFault } from "./secrets.ts";

/** The properties of a provider that the check of its accounts needs. */
export type AccountProvider = Pick<
  InstalledProvider,
  "adapter" | "provider" | "segment" | "settings"
>;

/** A configured account, from the file or the store. */
export type GivenAccount = Pick<
  AccountConfiguration,
  "credentials" | "segment" | "settings" | "tenant"
>;

/** The rules for accounts in the file and in the store. */
export interface AccountRules {
  readonly installed: readonly AccountProvider[];
  /** The issuers whose tokens the gateway accepts; empty for the development issuer only. */
  readonly issuers: readonly string[];
  /** True if settings that are unsafe in production are refused. */
  readonly isProduction: boolean;
  readonly readSecret: ReadSecret;
}

/** The issuer of development tokens. Its name shows that the tokens are not real. */
export const DEVELOPMENT_ISSUER = "urn:insurance-gateway:development-issuer";

/**
 * Checks an account, and reads its credentials and settings. If the account's provider has faults, only the credentials
 * are checked.
 * @param fault - called for every fault, with its place in the account
 */
export type CheckAccount = (account: GivenAccount, fault: SecretFault) => AccountContent;

/** Creates the check of accounts. Settings that several accounts share are checked only once. */
export function createAccountCheck(rules: AccountRules): CheckAccount {
  const { installed, isProduction, readSecret } = rules;
  const issuers = rules.issuers.length === 0 ? [DEVELOPMENT_ISSUER] : rules.issuers;
  // In production, missing issuers are one fault. A further fault for each account's issuer would only repeat this
  // fault.
  const areKnown = rules.issuers.length > 0 || !isProduction;
  const providers = new Map(installed.map((provider) => [provider.segment, provider]));
  const shared = new Map<AccountProvider, readonly Parameters<SecretFault>[]>();
  const faultsOfShared = (provider: AccountProvider): readonly Parameters<SecretFault>[] => {
    const faults: Parameters<SecretFault>[] = [];
    readSettings(undefined, provider, readSecret, (...fault) => faults.push(fault));
    shared.set(provider, faults);
    return faults;
  };
  return (account, fault) => {
    const { credentials, segment, settings, tenant } = account;
    if (areKnown && !issuers.includes(tenant.issuer))
      fault(
        "tenant.issuer",
        `must be one of the issuers whose tokens the gateway accepts: ${issuers.join(", ")}`,
      );
    if (isProduction && isTokenServerInsecure(account))
      fault("credentials.tokenUrl", INSECURE_TOKEN_SERVER);
    const provider = providers.get(segment);
    if (provider !== undefined) checkCredentials(credentials, provider, fault);
    else fault("segment", "must be the segment of a configured provider");
    const credentialsRead =
      credentials === undefined
        ? null
        : readCredentials(credentials, readSecret, (path, message) =>
            fault(`credentials${path}`, message),
          );
    if (provider === undefined) return { credentials: credentialsRead, settings: null };
    if (settings !== undefined) {
      const checked = readSettings(settings, provider, readSecret, fault);
      return { credentials: credentialsRead, settings: checked };
    }
    for (const wrong of shared.get(provider) ?? faultsOfShared(provider)) fault(...wrong);
    // Accounts without separate settings share the provider's settings, because thousands of copies need memory.
    return { credentials: credentialsRead, settings: null };
  };
}

function checkCredentials(
  credentials: GivenAccount["credentials"],
  { adapter, settings: { package: name, upstream } }: AccountProvider,
  fault: SecretFault,
): void {
  const isSandbox = upstream === "sandbox";
  if (isSandbox && credentials !== undefined)
    fault("credentials", "must not be set for a simulated insurer, which has its own credentials");
  if (!isSandbox && credentials === undefined)
    fault("credentials", 'must be set; use { "type": "none" } if the insurer requires none');
  if (isSandbox || credentials === undefined) return;
  for (const wrong of faultsOfCredentials(adapter, name, [credentials].flat()))
    fault("credentials", wrong);
}

/** Reads the provider's settings for an account. The account's settings take precedence. */
function readSettings(
  own: AccountConfiguration["settings"],
  { provider, settings: { settings: shared, upstream } }: AccountProvider,
  readSecret: ReadSecret,
  fault: SecretFault,
): AccountContent["settings"] {
  // An unknown setting is reported as a fault of the provider, not of each account.
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

/**
 * Checks the accounts of a configuration file, and reads their credentials and settings.
 * @param report - called for every fault, with its path
 * @returns the content of each account, by the account's id
 */
export function readAccounts(
  { accounts: { list }, providers }: Pick<Configuration, "accounts" | "providers">,
  rules: AccountRules,
  report: (fault: string) => void,
): ReadonlyMap<string, AccountContent> {
  const contents = new Map<string, AccountContent>();
  const check = createAccountCheck(rules);
  const tenants = new Set<string>();
  for (const [index, account] of list.entries()) {
    const fault = (path: string, message: string): void => {
      // If a provider has faults, the gateway may not know the provider's segment. Then no segment is reported as
      // unknown.
      if (path !== "segment" || rules.installed.length === providers.length)
        report(`accounts.list[${index}].${path}: ${message}`);
    };
    const { id, segment, tenant } = account;
    if (contents.has(id)) fault("id", "appears twice");
    const place = JSON.stringify([segment, tenant.issuer, tenant.name]);
    if (tenants.has(place)) fault("tenant", "already has an account at this provider");
    tenants.add(place);
    contents.set(id, check(account, fault));
  }
  return contents;
}
