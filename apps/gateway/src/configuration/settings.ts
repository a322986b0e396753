import type { AccountContent } from "./account.ts";
import { readAccounts } from "./account-check.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { type Expiry, expiriesOf } from "./expiries.ts";
import type { Files } from "./files.ts";
import { type Configuration, type Environment, examine } from "./load.ts";
import { type Certificate, readCertificate } from "./pem.ts";
import { isProduction, unsafeSettings } from "./production.ts";
import { type InstalledProvider, loadProviders } from "./providers.ts";
import { createReadSecret, type ReadSecret } from "./secrets.ts";
import { readSubmissionKeys } from "./submission-store.ts";

/** A configuration that was checked as a whole, with the providers and secrets that it names. */
export interface Settings {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  /** The certificate for callers; null for plain HTTP. */
  readonly certificate: Certificate | null;
  /** The certificate for the operator's tools; null for plain HTTP. */
  readonly operationsCertificate: Certificate | null;
  /** The content of each account of the configuration file, by id. */
  readonly accounts: ReadonlyMap<string, AccountContent>;
  /** The token of requests that administer the accounts of the store; null if no such requests are served. */
  readonly accountsToken: string | null;
  /** When credentials and certificates end. */
  readonly expiries: readonly Expiry[];
}

/**
 * Reads everything that a gateway is configured with, for a start or while it runs, and checks it as a whole.
 * @throws ConfigurationError with every fault
 */
export type ReadSettings = (files: Files) => Promise<Settings>;

/** Makes the reading of the settings that the environment and the working folder lead to. */
export function createReadSettings(environment: Environment, workingFolder: string): ReadSettings {
  return async (files) => {
    const examined = examine(environment, workingFolder, files);
    const { source } = examined;
    const faults = [...examined.faults];
    if (examined.configuration === null) throw new ConfigurationError(source, faults);
    const { configuration } = examined;
    const report = (fault: string): void => {
      if (!isOf(fault, examined.leftOut)) faults.push(fault);
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

/** Whether a fault is of something that was left out, because it has other faults. */
function isOf(fault: string, leftOut: readonly string[]): boolean {
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
  // An empty one has a fault already.
  if (token !== null && token !== "" && token.length < LEAST_TOKEN)
    fault(`must have at least ${LEAST_TOKEN} characters; \`openssl rand -base64 32\` makes one`);
  return token;
}

/** A token that nobody guesses. */
const LEAST_TOKEN = 32;
