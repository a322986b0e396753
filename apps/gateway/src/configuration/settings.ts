import type { AccountContent } from "./account.ts";
import { readAccounts } from "./account-check.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { type Expiry, expiriesOf } from "./expiries.ts";
import type { Files } from "./files.ts";
import { type Configuration, type Environment, examineConfiguration } from "./load.ts";
import { type Certificate, readCertificate } from "./pem.ts";
import { isProduction, unsafeSettings } from "./production.ts";
import { type InstalledProvider, loadProviders } from "./providers.ts";
import { createReadSecret, type ReadSecret } from "./secrets.ts";
import { readSubmissionKeys } from "./submission-store.ts";

/** A configuration without faults, with its loaded providers and its secrets. */
export interface Settings {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  /** The certificate for callers; null for plain HTTP. */
  readonly certificate: Certificate | null;
  /** The certificate for the operator's tools; null for plain HTTP. */
  readonly operationsCertificate: Certificate | null;
  /** The content of each account of the configuration file, by id. */
  readonly accounts: ReadonlyMap<string, AccountContent>;
  /** The token for requests that administer the accounts of the store; null if the gateway refuses these requests. */
  readonly accountsToken: string | null;
  /** The expiry dates of credentials and certificates. */
  readonly expiries: readonly Expiry[];
}

/**
 * Reads all settings of a gateway, for a start or a reload, and checks them together.
 * @throws ConfigurationError with every fault
 */
export type ReadSettings = (files: Files) => Promise<Settings>;

/** Creates the reader of the settings that the environment and the working folder select. */
export function createReadSettings(environment: Environment, workingFolder: string): ReadSettings {
  return async (files) => {
    const examined = examineConfiguration(environment, workingFolder, files);
    const { source } = examined;
    const faults = [...examined.faults];
    if (examined.configuration === null) throw new ConfigurationError(source, faults);
    const { configuration } = examined;
    const report = (fault: string): void => {
      if (!isInRemovedPart(fault, examined.leftOut)) faults.push(fault);
    };
    for (const fault of await unsafeSettings(configuration, environment)) report(fault);
    const readSecret = createReadSecret(environment, configuration.folder, files);
    readSubmissionKeys(configuration, readSecret, report);
    const certificate = readCertificate(configuration, "listen", readSecret, report);
    const operationsCertificate = readCertificate(configuration, "operations", readSecret, report);
    const installed = await loadProviders(configuration, readSecret, report);
    const rules = {
      installed,
      issuers: configuration.issuers.map(({ issuer }) => issuer),
      isProduction: isProduction(environment),
      readSecret,
    };
    const accounts = readAccounts(configuration, rules, report);
    const accountsToken = readAccountsToken(configuration, readSecret, report);
    if (faults.length > 0) throw new ConfigurationError(source, faults);
    const read = { configuration, installed, certificate, operationsCertificate, accounts };
    return { ...read, accountsToken, expiries: expiriesOf(read) };
  };
}

/**
 * Reports whether a fault is in a removed part of the configuration. For such a part, another fault is reported
 * already.
 */
function isInRemovedPart(fault: string, leftOut: readonly string[]): boolean {
  return leftOut.some((key) => fault.startsWith(key) && /^[.[:]/.test(fault.slice(key.length)));
}

function readAccountsToken(
  { operations }: Configuration,
  readSecret: ReadSecret,
  report: (fault: string) => void,
): string | null {
  const { accountsToken } = operations;
  if (accountsToken === undefined) return null;
  const fault = (message: string): void => report(`operations.accountsToken: ${message}`);
  const token = readSecret(accountsToken, fault);
  // An empty token counts as missing, and another check reports missing tokens.
  if (token !== null && token !== "" && token.length < MIN_TOKEN_LENGTH)
    fault(
      `must have at least ${MIN_TOKEN_LENGTH} characters; create one with \`openssl rand -base64 32\``,
    );
  return token;
}

/** Minimum length of a token that cannot be guessed, in characters. */
const MIN_TOKEN_LENGTH = 32;
